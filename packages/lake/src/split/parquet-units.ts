/**
 * Cuts a Parquet file into units of whole row groups. Its foot says how many rows and bytes each of them has, so
 * nothing else is read; a task finds its rows by their numbers, and DuckDB skips all groups that have none of them.
 */
import { unitCount, type SizeOptions } from './units.ts'
import type { Unit } from '../model.ts'

export interface RowGroup {
  rows: number
  bytes: number
  /** As a task has them in hand: what a unit weighs. */
  unpackedBytes: number
}

type ParquetUnit = Extract<Unit, { kind: 'range' }>

export function parquetUnits(
  groups: readonly RowGroup[],
  { fileBytes, ...options }: SizeOptions & { fileBytes: number },
): ParquetUnit[] {
  const weight = sum(groups.map(({ unpackedBytes }) => unpackedBytes))
  const count = unitCount(weight, options)
  const units: (ParquetUnit & { rows: { from: number; to: number } })[] = []
  let from = { row: 0, byte: 0 }
  const at = { row: 0, byte: 0, weight: 0 }
  for (const group of groups) {
    at.row += group.rows
    at.byte += group.bytes
    at.weight += group.unpackedBytes
    if (at.weight * count < weight * (units.length + 1)) continue
    units.push({
      kind: 'range',
      from: from.byte,
      to: at.byte,
      rows: { from: from.row, to: at.row },
    })
    from = { row: at.row, byte: at.byte }
  }
  const last = units.at(-1)
  if (last === undefined || units.length === 1) return [{ kind: 'range', from: 0, to: fileBytes }]
  // What remains belongs to the last: groups without rows, and the foot.
  last.to = fileBytes
  last.rows.to = at.row
  return units
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)
