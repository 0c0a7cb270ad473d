// Goal: `minga archive diff` compares captures with and without a station, and changes nothing. Method: the real
// command line on a folder filled by `minga archive import`.
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { recordExchange } from '../../packages/archive/src/exchange-members.ts'
import { countingIds, sampleExchange } from '../../packages/archive/src/sample-exchange.ts'
import { mingaOutput, runMinga } from './run-minga.ts'

const folder = mkdtempSync(join(tmpdir(), 'minga-diff-'))
const data = join(folder, 'data')
const URL_A = 'http://example.org/'

before(async () => {
  const newId = countingIds()
  const members = ['The old price', 'The new price'].flatMap((text, day) => {
    const capturedAt = Date.UTC(2026, 0, 1 + day)
    const body = Buffer.from(`<html><body><p>${text}</p></body></html>`)
    return recordExchange(sampleExchange({ url: URL_A, capturedAt, body }), newId).members
  })
  const file = join(folder, 'old.warc.gz')
  writeFileSync(file, Buffer.concat(members))
  await mingaOutput('archive', 'import', file, '--data', data)
})
after(() => rmSync(folder, { recursive: true, force: true }))

test('the figures are one JSON object, and the folder stays as it was', async () => {
  const database = join(data, 'minga.db')
  const { mtimeMs } = statSync(database)
  const printed = await mingaOutput(
    'archive',
    'diff',
    URL_A,
    '20260101',
    '20260102',
    '--json',
    '--data',
    data,
  )
  const diff = JSON.parse(printed) as Record<string, unknown>
  assert.equal(diff['changed'], true)
  for (const figure of ['visual', 'structural', 'content']) {
    assert.ok(Number(diff[figure]) >= 0 && Number(diff[figure]) <= 1, figure)
  }
  assert.ok(Array.isArray(diff['blocks']))
  assert.equal(statSync(database).mtimeMs, mtimeMs)
})

test('without times the last two captures are shown as text', async () => {
  const text = await mingaOutput('archive', 'diff', URL_A, '--data', data)
  assert.match(text, /^--- .*2026-01-01 00:00:00 UTC\n\+\+\+ .*2026-01-02/)
  assert.match(text, /^- .*old/m)
  assert.match(text, /^\+ .*new/m)
})

test('pages are written to files', async () => {
  const [html, both] = [join(folder, 'a.html'), join(folder, 'b.html')]
  const printed = await mingaOutput(
    'archive',
    'diff',
    URL_A,
    '--html',
    html,
    '--side-by-side',
    both,
    '--data',
    data,
  )
  assert.equal(printed, '')
  assert.match(readFileSync(html, 'utf8'), /<ins>new<\/ins>/)
  assert.match(readFileSync(both, 'utf8'), /<table>/)
})

test('what cannot be compared ends with a code and a sentence', async () => {
  const missing = await runMinga('archive', 'diff', 'http://never.test/', '2026', '--data', data)
  assert.equal(missing.code, 1)
  assert.match(missing.stderr, /MINGA_NO_SUCH_CAPTURE|no such capture/)
  const wrong = await runMinga('archive', 'diff', URL_A, 'soon', '--data', data)
  assert.equal(wrong.code, 2)
  assert.match(wrong.stderr, /soon/)
  const nowhere = join(folder, 'nowhere', 'a.html')
  const file = await runMinga('archive', 'diff', URL_A, '--html', nowhere, '--data', data)
  assert.equal(file.code, 2)
  assert.ok(!existsSync(nowhere))
})
