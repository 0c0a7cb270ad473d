/** A statement as a file, line by line, so that any length fits in memory. */
import { formatMicros } from './format-micros.ts'
import type { StatementLine } from './statement.ts'

/** Every line of a statement, read in pages. */
export async function* statementLines(
  readPage: (afterId: string | undefined) => Promise<readonly StatementLine[]>,
): AsyncGenerator<StatementLine> {
  let page = await readPage(undefined)
  while (page.length > 0) {
    yield* page
    page = await readPage(page.at(-1)!.postingId)
  }
}

const CSV_HEAD = 'time,posting,kind,reference,note,requests,amount,balance\r\n'

/** RFC 4180. Amounts are exact decimals, times are UTC. */
export async function* statementCsv(
  lines: AsyncIterable<StatementLine>,
): AsyncGenerator<string, void> {
  yield CSV_HEAD
  for await (const line of lines) {
    const cells = [
      new Date(line.at).toISOString(),
      cell(line.postingId),
      cell(line.kind),
      cell(line.reference),
      cell(line.note ?? ''),
      String(line.requests),
      formatMicros(line.amountMicros),
      formatMicros(line.balanceMicros),
    ]
    yield `${cells.join(',')}\r\n`
  }
}

/** Text that a spreadsheet would run as a formula gets a quote in front: notes come from people. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export async function* statementJsonl(
  lines: AsyncIterable<StatementLine>,
): AsyncGenerator<string, void> {
  for await (const line of lines) yield `${JSON.stringify(line)}\n`
}
