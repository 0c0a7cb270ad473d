// Goal: kill −9 between file and row, at any named point, loses no row, doubles none and leaves no file behind.
// Method: a real process is killed at each point and started again; then rows, files and what DuckDB reads of them
// are compared from outside.
import assert from 'node:assert/strict'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { DuckDBInstance } from '@duckdb/node-api'
import { systemClock } from '@minga/protocol'
import { endAllProcesses, FAULT_POINTS, faultsEnv, killAt, startProcess } from '@minga/testkit'
import { ENGINES, skipRepeats, type Home } from '../../../store/test/contract-engines.ts'
import { LakeFiles } from '../files/lake-files.ts'
import { ROWS, TABLE, type TableWork } from '../../test/tables/tables-child-fixture.ts'
import { filesBelow, HOUR_MS, OPERATIONS } from '../../test/tables/tables-fixture.ts'
import { Tables } from './tables.ts'
import type { FixtureOperations } from '../../test/tables/fixture-operations.ts'

after(() => endAllProcesses())

const CHILD = fileURLToPath(new URL('../../test/tables/tables-child-fixture.ts', import.meta.url))
const LONG = process.env['MINGA_LONG'] === '1'
const ROUNDS = LONG ? 60 : 12
const PATIENCE_MS = 60_000

/** Segments are swept after every few rounds only: the first time, else the second, when there is more to lose. */
const passagesOf = (point: string): number[] => {
  if (LONG) return [1, 2, 3]
  return [/:after-(versions|files)$/.test(point) ? 1 : 2]
}

const FAULTS = FAULT_POINTS.filter((point) => /^lake:(settle|change|sweep):/.test(point)).flatMap(
  (point) => passagesOf(point).map((passage) => killAt(point, { passage })),
)

async function work(home: Home, { env = {}, laterMs = 0 }): Promise<string | null> {
  const options = { ...home.options, operations: OPERATIONS }
  const asked: TableWork = { options, rounds: ROUNDS, laterMs }
  const child = await startProcess(process.execPath, [CHILD, JSON.stringify(asked)], { env })
  const { code, signal } = await child.waitExit(PATIENCE_MS)
  assert.ok(code === 0 || signal === 'SIGKILL', child.stderr())
  return signal
}

async function assertWhole(home: Home, laterMs: number): Promise<void> {
  const store = await home.openHere<FixtureOperations>({ operations: OPERATIONS })
  const files = new LakeFiles(path.join(home.options.data, 'lake'))
  const clock = { ...systemClock, now: () => systemClock.now() + laterMs }
  const tables = new Tables({ store, files, clock, newId: () => 'judge' })
  try {
    await tables.sweep({ retentionMs: 0, graceMs: 0, living: async () => new Set() })
    const manifest = await tables.manifest(TABLE)
    assert.deepEqual(filesBelow(files.root), manifest.segments.map(({ file }) => file).toSorted())
    const connection = await (await DuckDBInstance.create(':memory:')).connect()
    const ask = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson()
    const rows = await ask(`SELECT round, row FROM (${tables.selectOf(manifest)})`)
    const expected = Array.from({ length: ROUNDS * ROWS }, (_, index) => [
      String(Math.floor(index / ROWS)),
      String(index % ROWS),
    ])
    assert.deepEqual(rows, expected)
    for (const { file, rows: count, bytes } of manifest.segments) {
      assert.deepEqual(await ask(`SELECT count(*) FROM '${files.at(file)}'`), [[String(count)]])
      assert.equal(await files.size(file), bytes)
    }
    assert.deepEqual(await store.call('lakeWriters', {}), [])
  } finally {
    await store.close()
  }
}

for (const engine of ENGINES) {
  describe(
    `a table of a process that is killed, on ${engine.name}`,
    { skip: skipRepeats(engine) },
    () => {
      test('killed at every point of writing and sweeping, it goes on and ends the same', async () => {
        const home = await engine.home()
        const env = faultsEnv(FAULTS, path.join(home.options.data, 'faults'))
        let kills = 0
        // Each start is an hour later, so that the dead ones' leases are over.
        while ((await work(home, { env, laterMs: kills * HOUR_MS })) === 'SIGKILL') kills++
        assert.equal(kills, FAULTS.length)
        await assertWhole(home, (kills + 1) * HOUR_MS)
      })
    },
  )
}
