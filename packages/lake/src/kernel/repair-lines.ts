/** Lines of JSON on their way to DuckDB: bytes that are no UTF-8 are replaced, lines beyond the limit left out. */
import { isUtf8 } from 'node:buffer'
import { LINE_FEED, RECORD_LIMIT_BYTES } from '../split/dialect.ts'
import type { RepairCounts } from '../split/repair-csv.ts'

const NOTHING = Buffer.alloc(0)

/** The chunks are split again, so that each piece ends with a line. */
export async function* repairLines(
  chunks: AsyncIterable<Buffer>,
  counts: RepairCounts,
): AsyncGenerator<Buffer> {
  let rest: Buffer = NOTHING
  let isSkipping = false
  for await (const chunk of chunks) {
    const from = isSkipping ? chunk.indexOf(LINE_FEED) + 1 : 0
    if (isSkipping && from === 0) continue
    isSkipping = false
    const block = Buffer.concat([rest, chunk.subarray(from)])
    const end = block.lastIndexOf(LINE_FEED) + 1
    rest = block.subarray(end)
    if (rest.length > RECORD_LIMIT_BYTES) {
      counts.tooLong++
      rest = NOTHING
      isSkipping = true
    }
    if (end > 0) yield repairedBlock(block.subarray(0, end), counts)
  }
  if (rest.length > 0) yield repairedBlock(rest, counts)
}

function repairedBlock(block: Buffer, counts: RepairCounts): Buffer {
  const repaired = isUtf8(block) ? block : lineByLine(block, counts)
  counts.longest = Math.max(counts.longest, repaired.length)
  return repaired
}

function lineByLine(block: Buffer, counts: RepairCounts): Buffer {
  const lines: Buffer[] = []
  for (let at = 0; at < block.length;) {
    const found = block.indexOf(LINE_FEED, at)
    const end = found < 0 ? block.length : found + 1
    const line = block.subarray(at, end)
    if (!isUtf8(line)) counts.notUtf8++
    // Buffer's own decoding replaces as the standard says: each longest wrong part by one U+FFFD.
    lines.push(isUtf8(line) ? line : Buffer.from(line.toString('utf8')))
    at = end
  }
  return Buffer.concat(lines)
}
