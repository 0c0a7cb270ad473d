/**
 * A process that fills, merges and sweeps a table until its rounds are done, to be killed anywhere.
 * What it has done it reads from the table, so started again it continues. Only the test of kills
 * starts it.
 */
import path from 'node:path'
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import { systemClock } from '@minga/protocol'
import type { StoreOptions } from '@minga/store'
import { openStoreHere } from '../../../store/test/open-store-fixture.ts'
import { LakeFiles } from '../../src/files/lake-files.ts'
import type { Column, Segment } from '../../src/model.ts'
import { planCompaction } from '../../src/tables/compaction.ts'
import { Tables } from '../../src/tables/tables.ts'
import type { FixtureOperations } from './fixture-operations.ts'

export interface TableWork {
  options: StoreOptions
  rounds: number
  /** How late it is: leases of those who were killed before are over. */
  laterMs: number
}

export const TABLE = 'rounds'
export const ROWS = 100
export const COLUMNS: Column[] = [
  { name: 'round', type: 'BIGINT' },
  { name: 'row', type: 'BIGINT' },
]

class Worker {
  readonly tables: Tables
  readonly #files: LakeFiles
  readonly #duckDb: DuckDBConnection

  constructor(tables: Tables, files: LakeFiles, duckDb: DuckDBConnection) {
    this.tables = tables
    this.#files = files
    this.#duckDb = duckDb
  }

  async ask(sql: string): Promise<unknown[][]> {
    return (await this.#duckDb.runAndReadAll(sql)).getRows()
  }

  async roundsDone(): Promise<number> {
    const select = this.tables.selectOf(await this.tables.manifest(TABLE))
    const [row] = await this.ask(`SELECT count(DISTINCT round) FROM (${select})`)
    return Number(row![0])
  }

  /** Writes the rows of a SELECT as one segment that is committed, in place of others. */
  async write(select: string, replaced: readonly Segment[], why: string): Promise<void> {
    const writer = await this.tables.beginWriting(TABLE)
    const file = `${writer.folder}/rows.parquet`
    const partial = `${file}.partial`
    await this.ask(`COPY (${select}) TO '${this.#files.at(partial)}' (FORMAT parquet)`)
    await this.#files.settle(partial, file)
    const [counted] = await this.ask(`SELECT count(*) FROM '${this.#files.at(file)}'`)
    const bytes = (await this.#files.size(file)) ?? 0
    await this.tables.change({
      table: TABLE,
      columns: COLUMNS,
      add: [{ file, rows: Number(counted![0]), bytes }],
      replaces: replaced.map((segment) => segment.file),
      why,
      writer: writer.writer,
    })
    await writer.end()
  }

  async round(round: number): Promise<void> {
    const rows = `SELECT ${round}::BIGINT AS round, range AS row FROM range(${ROWS})`
    await this.write(rows, [], `round ${round}`)
    const manifest = await this.tables.manifest(TABLE)
    for (const group of planCompaction(manifest, { segmentsLeast: 3 })) {
      const select = this.tables.selectOf({ ...manifest, segments: group })
      await this.write(select, group, 'compaction')
    }
    await this.tables.sweep({ retentionMs: 0, graceMs: 0, living: async () => new Set() })
  }
}

if (import.meta.main) {
  const { options, rounds, laterMs } = JSON.parse(process.argv[2] ?? '') as TableWork
  const store = await openStoreHere<FixtureOperations>(options)
  const clock = { ...systemClock, now: () => systemClock.now() + laterMs }
  const files = new LakeFiles(path.join(options.data, 'lake'))
  const tables = new Tables({ store, files, clock, newId: () => crypto.randomUUID() })
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const worker = new Worker(tables, files, await instance.connect())
  const known = (await tables.list()).some(({ name }) => name === TABLE)
  if (!known) await tables.create({ name: TABLE, columns: COLUMNS, owner: null, kind: 'own' })
  for (let round = await worker.roundsDone(); round < rounds; round++) await worker.round(round)
  await store.close()
}
