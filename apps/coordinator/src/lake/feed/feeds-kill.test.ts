// Goal: kill −9 at any point between a file and its row loses no row of the station's tables, doubles none, and keeps
// none that was taken down. Method: a real process is killed at each named point and started again; tables and
// files are then judged from outside.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { DuckDBInstance } from '@duckdb/node-api'
import { Tables } from '@minga/lake'
import { systemClock } from '@minga/protocol'
import { endAllProcesses, FAULT_POINTS, faultsEnv, killAt, startProcess } from '@minga/testkit'
import {
  ENGINES,
  skipRepeats,
  type Home,
} from '../../../../../packages/store/test/contract-engines.ts'
import { openFeeds, type FeedWork } from '../../../test/lake/feed/feed-child-fixture.ts'
import { isPurged, ROWS, urlOf } from '../../../test/lake/feed/feed-fixture-operations.ts'

after(() => endAllProcesses())

const CHILD = fileURLToPath(
  new URL('../../../test/lake/feed/feed-child-fixture.ts', import.meta.url),
)
const OPERATIONS = new URL('../../../test/lake/feed/feed-fixture-operations.ts', import.meta.url)
  .href
const LONG = process.env['MINGA_LONG'] === '1'
const ROUNDS = LONG ? 20 : 4
const PATIENCE_MS = 60_000
const HOUR_MS = 3_600_000

const POINTS = FAULT_POINTS.filter((point) => point.startsWith('lake:feed:'))

async function work(home: Home, env: Record<string, string> = {}): Promise<string | null> {
  const options = { ...home.options, operations: OPERATIONS }
  const asked: FeedWork = { options, rounds: ROUNDS }
  const child = await startProcess(process.execPath, [CHILD, JSON.stringify(asked)], { env })
  const { code, signal } = await child.waitExit(PATIENCE_MS)
  assert.ok(code === 0 || signal === 'SIGKILL', child.stderr())
  return signal
}

async function assertWhole(home: Home): Promise<void> {
  const { store, feeds, tables, files } = await openFeeds({
    ...home.options,
    operations: OPERATIONS,
  })
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const valuesOf = async (table: string, column: string): Promise<unknown[]> => {
    const select = tables.selectOf(await tables.manifest(table))
    const sql = `SELECT ${column} FROM (${select}) ORDER BY ALL`
    return (await connection.runAndReadAll(sql)).getRowsJson().flat()
  }
  try {
    await feeds.flush()
    const length = Number(await store.call('readFact', { name: 'round' }))
    const rounds = Array.from({ length }, (_, round) => round)
    const urls = rounds
      .filter((round) => !isPurged(round))
      .flatMap((round) => Array.from({ length: ROWS }, (_, row) => urlOf(round, row)))
      .toSorted()
    assert.deepEqual(await valuesOf('captures', 'url'), urls)
    assert.deepEqual(await valuesOf('links', 'url'), urls)
    assert.deepEqual(await valuesOf('events', 'subject'), rounds.map(String).toSorted())
    const later = { ...systemClock, now: () => systemClock.now() + HOUR_MS }
    const sweeping = new Tables({ store, files, clock: later, newId: () => 'judge' })
    await sweeping.sweep({ graceMs: 0, living: async () => new Set() })
    for (const table of ['captures', 'links']) {
      const { segments } = await tables.manifest(table)
      const onDisk = (await files.list(`tables/${table}`)).map(({ name }) => name)
      const held = segments.map(({ file }) => file)
      assert.deepEqual(onDisk.toSorted(), held.toSorted())
      await assertUntold(table, onDisk)
    }
  } finally {
    connection.closeSync()
    instance.closeSync()
    await feeds.close()
    await store.close()
  }

  /** No file has rows of what was taken down. */
  async function assertUntold(table: string, names: readonly string[]): Promise<void> {
    const paths = names.map((name) => `'${files.at(name)}'`).join(', ')
    const rows = await connection.runAndReadAll(
      `SELECT count(*) FROM read_parquet([${paths}]) WHERE regexp_matches(url, 'test/(3|7|11|15|19)/')`,
    )
    assert.equal(Number(rows.getRows()[0]![0]), 0, `${table} tells what was taken down`)
  }
}

/** The second passage of a point or, by turns, the fourth. */
const FAULTS = POINTS.flatMap((point, i) => {
  const passages = point === 'lake:feed:before-forget' ? [1] : [i % 2 === 0 ? 2 : 4]
  return (LONG ? [1, 2, 3, 5, 8] : passages).map((passage) => killAt(point, { passage }))
})

for (const engine of ENGINES) {
  describe(`Feeds that are killed on ${engine.name}`, { skip: skipRepeats(engine) }, () => {
    test('nothing is lost, doubled or brought back by kills at every point, one after another', async () => {
      const home = await engine.home()
      const env = faultsEnv(FAULTS, fs.mkdtempSync(path.join(os.tmpdir(), 'minga-feed-faults-')))
      let kills = 0
      while ((await work(home, env)) === 'SIGKILL') kills++
      assert.ok(kills >= POINTS.length, `${kills} kills`)
      await assertWhole(home)
    })
  })
}
