/**
 * Tables of numbers that go with a graph: one line per vertex, the same number of columns in each.
 */
import { BadGraphFile } from '../errors.ts'
import { DoubleColumn } from './column.ts'
import { NumberLines } from './number-lines.ts'

export interface TableShape {
  rows: number
  columns: number
  /** Whole numbers within these bounds, as part numbers are; null for any number. */
  within: { least: number; most: number } | null
}

export async function readTable(
  name: string,
  chunks: AsyncIterable<Uint8Array>,
  { rows, columns, within }: TableShape,
): Promise<Float64Array> {
  const values = new DoubleColumn()
  let read = 0
  const line = (numbers: Float64Array, count: number, at: number): void => {
    if (count === 0) return
    if (count !== columns) throw new BadGraphFile(name, at, `${count} numbers, not ${columns}`)
    if (read++ === rows)
      throw new BadGraphFile(name, at, `there are more lines than the ${rows} vertices`)
    for (let i = 0; i < count; i++) {
      const value = numbers[i]!
      const fits =
        within === null ||
        (Number.isInteger(value) && value >= within.least && value <= within.most)
      if (!fits)
        throw new BadGraphFile(
          name,
          at,
          `${value} is no part; they are ${within.least} to ${within.most}`,
        )
      values.push(value)
    }
  }
  const lines = await new NumberLines(name, { line }).readAll(chunks)
  if (read < rows) throw new BadGraphFile(name, lines, `${read} lines for ${rows} vertices`)
  return values.done()
}
