/** Tables on a real store and real files, with a clock that tests set. */
import fs from 'node:fs'
import path from 'node:path'
import { systemClock } from '@minga/protocol'
import type { Store } from '@minga/store'
import type { Home, TestEngine } from '../../../store/test/contract-engines.ts'
import { LakeFiles } from '../../src/files/lake-files.ts'
import type { Column, Segment } from '../../src/model.ts'
import type { SweepCounts } from '../../src/tables/sweep.ts'
import { Tables } from '../../src/tables/tables.ts'
import type { FixtureOperations } from './fixture-operations.ts'

export const OPERATIONS = new URL('./fixture-operations.ts', import.meta.url).href

export const HOUR_MS = 3_600_000
export const RETENTION_MS = 10 * HOUR_MS
export const GRACE_MS = HOUR_MS / 2

export const COLUMNS: Column[] = [
  { name: 'a', type: 'BIGINT' },
  { name: 'b', type: 'VARCHAR' },
]

export interface TestLake {
  home: Home
  store: Store<FixtureOperations>
  files: LakeFiles
  tables: Tables
  clock: { now(): number; pass(ms: number): void }
  /** Writes a file that is not Parquet: only DuckDB would read its content. */
  segment(file: string, rows?: number): Segment
  /** Adds segments that it writes first. */
  add(table: string, ...files: string[]): Promise<number>
  sweep(living?: readonly string[]): Promise<SweepCounts>
  /** Names of all files below the tables' folder. */
  onDisk(): string[]
}

export interface Lakes {
  /** A lake without tables or files; the one before it is gone. */
  fresh(): Promise<TestLake>
  close(): Promise<void>
}

/** Lakes in one database, one after another: to make a database takes longer than most tests. */
export async function lakesOn(engine: TestEngine): Promise<Lakes> {
  if (engine.skip)
    return { fresh: () => Promise.reject(new Error(String(engine.skip))), close: async () => {} }
  const home = await engine.home()
  const store = await home.openHere<FixtureOperations>({ operations: OPERATIONS })
  let lakes = 0
  const fresh = async (): Promise<TestLake> => {
    await store.call('lakeForgetAll', {})
    return newLake(home, { store, folder: `lake-${++lakes}` })
  }
  return { fresh, close: () => store.close() }
}

/** Clocks of files cannot be set back and forth: the tests' one begins at now and only runs ahead. */
function newLake(
  home: Home,
  { store, folder }: { store: Store<FixtureOperations>; folder: string },
): TestLake {
  let now = systemClock.now()
  const clock = { ...systemClock, now: () => now, pass: (ms: number) => void (now += ms) }
  const files = new LakeFiles(path.join(home.options.data, folder))
  let ids = 0
  const tables = new Tables({ store, files, clock, newId: () => `id-${++ids}` })
  const lake: TestLake = {
    home,
    store,
    files,
    tables,
    clock,
    segment: (file, rows = 10) => {
      fs.mkdirSync(path.dirname(files.at(file)), { recursive: true })
      fs.writeFileSync(files.at(file), file)
      return { file, rows, bytes: file.length }
    },
    add: async (table, ...names) => {
      const add = names.map((name) => lake.segment(name))
      const changed = await tables.change({ table, columns: COLUMNS, add, why: 'test' })
      return changed.version
    },
    sweep: (living = []) =>
      tables.sweep({
        retentionMs: RETENTION_MS,
        graceMs: GRACE_MS,
        living: async () => new Set(living),
      }),
    onDisk: () => filesBelow(files.root),
  }
  return lake
}

export function filesBelow(root: string): string[] {
  if (!fs.existsSync(root)) return []
  return fs
    .readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .toSorted()
}
