/** How commands on queries and tables ask a station, and print what it says. */
import { availableParallelism } from 'node:os'
import { Interrupts } from '../../interrupts.ts'
import { reachStation, reached, throughStation, type ReachedStation } from '../../reach-station.ts'
import { requireArchive } from '../archive/folder.ts'
import { remoteApi } from '../../api.ts'
import type { QueryOptions } from './query/query.ts'

/** A folder that is not there has no tables; opening it would make it. */
export function requireTables({ data, station, postgres }: QueryOptions): void {
  if (station === undefined && postgres === undefined) requireArchive(data)
}

/** Through the station that there is, or one of our own for the time of the question. */
export function askLake<T>(
  options: QueryOptions,
  ask: (station: ReachedStation) => Promise<T>,
  work: Wanted | null = null,
): Promise<T> {
  return throughStation(
    () => reachQueries(options, work),
    async (station) => {
      try {
        return await ask(station)
      } finally {
        await station.stop()
      }
    },
  )
}

/** Work that may be interrupted: the first signal asks it to end, the second ends everything at once. */
export function workLake<T>(
  options: QueryOptions,
  work: Wanted | null,
  run: (station: ReachedStation, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return throughStation(
    () => reachQueries(options, work),
    async (station) => {
      const interrupts = new Interrupts(station.kill)
      try {
        return await run(station, interrupts.signal)
      } finally {
        await station.stop()
        interrupts.end()
      }
    },
  )
}

export function printFacts(
  { json }: { json?: boolean },
  facts: unknown,
  lines: readonly string[],
): void {
  const text = json ? JSON.stringify(facts) : lines.join('\n')
  if (text !== '') process.stdout.write(`${text}\n`)
}

/** Wider values are cut: CSV and JSON have them complete. */
const WIDEST = 48

export function textTable(columns: readonly string[], rows: readonly unknown[][]): string[] {
  const cells = [columns.map(String), ...rows.map((row) => row.map(cellOf))]
  const widths = columns.map((_, i) => Math.max(...cells.map((row) => row[i]!.length)))
  const isNumber = columns.map((_, i) => rows.every((row) => isNumeric(row[i])))
  return cells.map((row) =>
    row
      .map((cell, i) => (isNumber[i] ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!)))
      .join('  ')
      .trimEnd(),
  )
}

const isNumeric = (value: unknown): boolean => value === null || typeof value === 'number'

function cellOf(value: unknown): string {
  const whole = value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)
  const line = whole.replaceAll(/\s+/g, ' ')
  return line.length > WIDEST ? `${line.slice(0, WIDEST - 1)}…` : line
}

interface Wanted {
  workers?: number
  memoryMb?: number
}

/** `work`: workers are needed, for something is to be computed. */
async function reachQueries(options: QueryOptions, work: Wanted | null): Promise<ReachedStation> {
  if (options.station !== undefined) {
    return reached(remoteApi({ ...options, station: options.station }))
  }
  const { data, postgres } = options
  return reachStation({
    data,
    ...(postgres === undefined ? {} : { postgres }),
    agents: 0,
    ...(work === null ? {} : { workers: { own: availableParallelism(), ...work } }),
  })
}
