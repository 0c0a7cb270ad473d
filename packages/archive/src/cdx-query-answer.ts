/** Captures as a CDX server shows them: chosen, thinned out and written line by line as they come. */
import { cdxjLine } from './cdxj.ts'
import { fieldValue, type CdxQuery, type CdxRow } from './cdx-query.ts'

type Choice = Pick<CdxQuery, 'filters' | 'collapse' | 'limit' | 'isFromEnd'>

/** The rows of an answer, in the order of `rows`; those from the end are turned round again. */
export async function* chooseRows(
  rows: AsyncIterable<CdxRow>,
  query: Choice,
): AsyncGenerator<CdxRow> {
  const chosen = limited(collapsed(filtered(rows, query.filters), query.collapse), query.limit)
  if (!query.isFromEnd) return yield* chosen
  const last: CdxRow[] = []
  for await (const row of chosen) last.push(row)
  yield* last.toReversed()
}

async function* filtered(
  rows: AsyncIterable<CdxRow>,
  filters: CdxQuery['filters'],
): AsyncGenerator<CdxRow> {
  for await (const row of rows) if (filters.every((passes) => passes(row))) yield row
}

/** Of neighbours that begin alike in a field, the first. Each rule sees what the last one left. */
function collapsed(
  rows: AsyncIterable<CdxRow>,
  rules: CdxQuery['collapse'],
): AsyncIterable<CdxRow> {
  return rules.reduce<AsyncIterable<CdxRow>>((left, rule) => collapsedBy(left, rule), rows)
}

async function* collapsedBy(
  rows: AsyncIterable<CdxRow>,
  { field, characters }: CdxQuery['collapse'][number],
): AsyncGenerator<CdxRow> {
  let former: string | null = null
  for await (const row of rows) {
    const value = fieldValue(row, field).slice(0, characters)
    if (value === former) continue
    former = value
    yield row
  }
}

async function* limited(rows: AsyncIterable<CdxRow>, limit: number | null): AsyncGenerator<CdxRow> {
  let left = limit ?? Infinity
  if (left === 0) return
  for await (const row of rows) {
    yield row
    if (--left === 0) return
  }
}

type Form = Pick<CdxQuery, 'output' | 'fields' | 'limit' | 'showResumeKey'>

/** Sending every line by itself would cost more than reading it. */
const PIECE_CHARS = 16_384

/** The text of an answer, in pieces. */
export async function* writeRows(rows: AsyncIterable<CdxRow>, form: Form): AsyncGenerator<string> {
  let count = 0
  let last: CdxRow | null = null
  let piece = form.output === 'json' ? `[${JSON.stringify(form.fields)}` : ''
  for await (const row of rows) {
    count++
    last = row
    piece += lineOf(row, form)
    if (piece.length < PIECE_CHARS) continue
    yield piece
    piece = ''
  }
  // Only a full answer has more behind it.
  const isCut = form.showResumeKey && last !== null && count === form.limit
  yield piece + endOf(form, isCut ? last!.resumeKey : null)
}

function lineOf(row: CdxRow, { output, fields }: Form): string {
  if (output === 'cdxj') return `${cdxjLine(row.entry, row.key)}\n`
  const values = fields.map((field) => fieldValue(row, field))
  return output === 'json' ? `,\n${JSON.stringify(values)}` : `${values.join(' ')}\n`
}

function endOf({ output }: Form, resumeKey: string | null): string {
  const key = resumeKey === null ? null : JSON.stringify([resumeKey])
  if (output === 'json') return key === null ? ']\n' : `,\n[],\n${key}]\n`
  return resumeKey === null ? '' : `\n${resumeKey}\n`
}

/** Two orders of the same captures, away from a moment to both sides, as one by distance. */
export async function* byDistance(
  before: AsyncIterator<CdxRow>,
  after: AsyncIterator<CdxRow>,
  distanceOf: (row: CdxRow) => number,
): AsyncGenerator<CdxRow> {
  let [left, right] = [await before.next(), await after.next()]
  while (!left.done || !right.done) {
    const takeLeft = right.done || (!left.done && distanceOf(left.value) <= distanceOf(right.value))
    if (takeLeft && !left.done) {
      yield left.value
      left = await before.next()
    } else if (!right.done) {
      yield right.value
      right = await after.next()
    }
  }
}
