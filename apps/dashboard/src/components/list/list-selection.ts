/** Chosen rows, by key: they stay chosen when the list is sorted, filtered or read again. */
import { useMemo, useState } from 'react'

export interface Selection<Row> {
  chosen: ReadonlyMap<string, Row>
  has: (row: Row) => boolean
  toggle: (row: Row) => void
  /** All of these, or none of them when they already are. */
  toggleAll: (rows: readonly Row[]) => void
  put: (rows: readonly Row[]) => void
  clear: () => void
}

export function useSelection<Row>(keyOf: (row: Row) => string | number): Selection<Row> {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Row>>(new Map())
  return useMemo(() => {
    const key = (row: Row): string => String(keyOf(row))
    const put = (rows: readonly Row[]): void =>
      setChosen((former) => new Map([...former, ...rows.map((row) => [key(row), row] as const)]))
    const drop = (rows: readonly Row[]): void =>
      setChosen((former) => {
        const dropped = new Set(rows.map(key))
        return new Map([...former].filter(([one]) => !dropped.has(one)))
      })
    return {
      chosen,
      has: (row) => chosen.has(key(row)),
      toggle: (row) => (chosen.has(key(row)) ? drop([row]) : put([row])),
      toggleAll: (rows) => (rows.every((row) => chosen.has(key(row))) ? drop(rows) : put(rows)),
      put,
      clear: () => setChosen(new Map()),
    }
  }, [chosen, keyOf])
}
