/** Step 3 of a check: `index.cdxj` says, in order, what the captures table says. */
import { parseCdxjLine, writeCdxjFile, type CdxjEntry } from '@minga/archive'
import { cdxjEntryOf } from '@minga/coordinator'
import { join } from 'node:path'
import { readLines, sizeOf, withTemporaryFolder } from './folder.ts'
import type { ArchiveFindingCode } from './findings.ts'
import type { CaptureTable, Check } from './table.ts'

const NAME = 'index.cdxj'
const MEND = 'Delete it; the next stop of a crawl or station writes it again.'

export async function verifyIndex(table: CaptureTable, check: Check): Promise<void> {
  const path = join(check.data, 'archive', NAME)
  const add = (offset: number, code: ArchiveFindingCode, message: string): Promise<void> =>
    check.findings.add({ severity: 'error', file: NAME, offset, code, message })
  // A running station rewrites the index at times: both sides of a comparison must be from the same moment.
  for (let attempt = 0; ; attempt++) {
    const facts = attempt === 0 ? check.facts : await table.facts()
    if (facts.indexedUpTo === 0) return
    if (sizeOf(path) === null) return add(0, 'index-missing', 'The index is missing.')
    const problems = await compare(path, table, facts.indexedUpTo)
    const isCurrent = !table.isLive || (await table.facts()).indexedUpTo === facts.indexedUpTo
    if (!isCurrent && attempt < 3) continue
    for (const { offset, code, message } of problems) await add(offset, code, `${message} ${MEND}`)
    return
  }
}

interface IndexProblem {
  offset: number
  code: ArchiveFindingCode
  message: string
}

function compare(path: string, table: CaptureTable, upTo: number): Promise<IndexProblem[]> {
  // Sorted on disk, because neither fits into memory when there are millions of captures.
  return withTemporaryFolder(null, async (folder) => {
    const expected = join(folder, 'expected.cdxj')
    await writeCdxjFile(expected, entriesUpTo(table, upTo))
    return differences(readLines(path), readLines(expected))
  })
}

async function* entriesUpTo(table: CaptureTable, upTo: number): AsyncGenerator<CdxjEntry> {
  for await (const row of table.captures()) {
    if (row.id > upTo) return
    yield cdxjEntryOf(row)
  }
}

/** Enough to see what happened. */
const PROBLEMS_MAX = 100

async function differences(
  index: AsyncIterable<string>,
  expected: AsyncIterable<string>,
): Promise<IndexProblem[]> {
  const problems: IndexProblem[] = []
  const wanted = expected[Symbol.asyncIterator]()
  let want = await wanted.next()
  let offset = 0
  let last = ''
  for await (const line of index) {
    if (problems.length >= PROBLEMS_MAX) break
    if (line < last) {
      const message = `The line is not in its place: ${start(line)}`
      return [...problems, { offset, code: 'index-order', message }]
    }
    last = line
    while (want.done !== true && want.value < line) {
      problems.push({
        offset,
        code: 'index-differs',
        message: `A line is missing: ${start(want.value)}`,
      })
      want = await wanted.next()
    }
    if (want.done !== true && want.value === line) want = await wanted.next()
    else problems.push({ offset, code: 'index-differs', message: strange(line) })
    offset += Buffer.byteLength(line) + 1
  }
  if (want.done !== true && problems.length < PROBLEMS_MAX) {
    const message = `The end is missing, from: ${start(want.value)}`
    problems.push({ offset, code: 'index-differs', message })
  }
  return problems
}

function strange(line: string): string {
  return parseCdxjLine(line)
    ? `The line describes no capture of the table: ${start(line)}`
    : `The line cannot be read: ${start(line)}`
}

const start = (line: string): string => (line.length > 160 ? `${line.slice(0, 160)}…` : line)
