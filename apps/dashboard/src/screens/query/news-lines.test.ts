// Goal: nothing is missed and nothing comes twice when the line to a query breaks. Method: lines that are cut anywhere.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { QueryNews } from '@minga/protocol'
import { followQuery, linesIn } from './news-lines.ts'

async function* pieces(...texts: string[]): AsyncGenerator<string> {
  for (const text of texts) yield text
}

test('lines come whole however they are cut', async () => {
  const seen: string[] = []
  for await (const line of linesIn(pieces('a\nb', 'c\n', '\nd', '\ne'))) seen.push(line)
  assert.deepEqual(seen, ['a', 'bc', 'd'])
})

test('a lost line is opened again behind the last rows, until the query has ended', async () => {
  const rows = (n: number): string =>
    `${JSON.stringify({ rows: { query: 'q', columns: ['n'], rows: [[n]] }, after: `c${n}` })}\n`
  const asked: string[] = []
  const seen: QueryNews[] = []
  const lines: boolean[] = []
  const sent = [[rows(1), rows(2).slice(0, 20)], null, [rows(2), '{"ended":{}}\n']]
  await followQuery(
    {
      open: async (after) => {
        asked.push(after)
        const next = sent.shift()
        if (next === null || next === undefined) throw new Error('away')
        return pieces(...next)
      },
      onNews: (news) => seen.push(news),
      onLine: (isOpen) => lines.push(isOpen),
      sleep: async () => {},
    },
    new AbortController().signal,
  )
  assert.deepEqual(asked, ['0', 'c1', 'c1'])
  assert.deepEqual(
    seen.map((news) => ('rows' in news ? news.rows.rows[0]![0] : 'ended')),
    [1, 2, 'ended'],
  )
  assert.deepEqual(lines, [true, false, false, true])
})

test('a listener that stops receives nothing more', async () => {
  const over = new AbortController()
  let opened = 0
  await followQuery(
    {
      open: async () => {
        opened++
        over.abort()
        return pieces()
      },
      onNews: () => assert.fail('nothing was received'),
      onLine: () => {},
      sleep: async () => {},
    },
    over.signal,
  )
  assert.equal(opened, 1)
})
