/**
 * Goal: what only a shared database has: many processes, lost connections, translated SQL. Method:
 * several stores on one database, and a server that is ordered to cut their connections.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Client } from 'pg'
import { ENGINES, readRows, temporaryFolder } from '../test/contract-engines.ts'
import type { ContractOperations } from '../test/contract-operations.ts'
import { MIGRATIONS, portable } from './migrations.ts'
import { administer } from '../test/postgres-fixture.ts'
import { withNumberedParameters } from './postgres-sql.ts'

const engine = ENGINES[1]!

const CUT_CONNECTIONS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`

test('Question marks become numbers, except in strings, names and comments', () => {
  const sql = `SELECT '?', "a?", ? -- ?\n, ? /* ? */, 'it''s ?', ?`
  const expected = `SELECT '?', "a?", $1 -- ?\n, $2 /* ? */, 'it''s ?', $3`
  assert.equal(withNumberedParameters(sql), expected)
})

describe('Stores that share a PostgreSQL database', { skip: engine.skip }, () => {
  test('may all start at once on an empty one', async () => {
    const home = await engine.home()
    const opening = Array.from({ length: 5 }, (_, index) =>
      home.open<ContractOperations>({ writer: `w${index}` }),
    )
    const stores = await Promise.all(opening)
    await stores[0]!.call('setUp', undefined)
    const chunks = [new Uint8Array(10)]
    const places = await Promise.all(
      stores.map((store, id) => store.call('append', { id, series: 'pack', chunks })),
    )
    assert.equal(new Set(places.map((place) => place.file)).size, 5)
    await Promise.all(stores.map((store) => store.close()))
  })

  test('get impossible times and endless pauses repaired', async () => {
    const { options } = await engine.home()
    const client = new Client({ connectionString: options.postgresUrl! })
    await client.connect()
    await client.query(`INSERT INTO hosts (id, name, next_allowed_at, backoff_ms, latency_ms)
      VALUES (1, 'frozen.test', 9000000000000000, 1000000000000000, 100000000000000), (2, 'calm.test', 7, 2000, 90)`)
    await client.query(`INSERT INTO captures (id, collection_id, host_id, hash, url, captured_at, kind, status, mime,
      digest, payload_bytes, file, offset_bytes, length_bytes)
      SELECT at, 1, 1, at, 'http://a.test/', at, 'response', 200, '', '', 0, '', 0, 0
      FROM (VALUES (-1), (9000000000000000), (1700000000000)) AS forged (at)`)
    const step = MIGRATIONS.find(({ name }) => name === 'bounded-times')!
    for (const statement of step.statements) await client.query(portable(statement, 'postgres'))
    const paces = await client.query(`SELECT backoff_ms::int, latency_ms::int,
      next_allowed_at < 4000000000000 AS is_soon FROM hosts ORDER BY id`)
    const times = await client.query(`SELECT CASE WHEN captured_at > 1700000000000 THEN 'now'
      ELSE captured_at::text END AS at FROM captures ORDER BY id`)
    await client.end()
    assert.deepEqual(
      paces.rows.map((row) => Object.values(row as object)),
      [
        [600_000, 3_600_000, true],
        [2_000, 90, true],
      ],
    )
    assert.deepEqual(
      times.rows.map((row) => (row as { at: string }).at),
      ['0', '1700000000000', 'now'],
    )
  })

  test('must have different writers', async () => {
    const home = await engine.home()
    const store = await home.open<ContractOperations>()
    const locked = { code: 'MINGA_STORE_LOCKED', message: /another name/ }
    await assert.rejects(home.open({ data: temporaryFolder() }), locked)
    await store.close()
    await (await home.open()).close()
  })

  test('report a lost connection and go on when the server is back', async () => {
    const home = await engine.home()
    const store = await home.open<ContractOperations>()
    await store.call('setUp', undefined)
    let calls = 0
    let done = 0
    let lost = 0
    const callAgain = async (): Promise<void> => {
      const append = { id: calls++, series: 'pack', chunks: [new Uint8Array(50)] }
      await store.call('append', append).then(
        () => done++,
        (error: Error & { code?: string }) => {
          assert.equal(error.code, 'MINGA_STORE_UNAVAILABLE', String(error))
          lost++
        },
      )
    }
    for (let round = 0; round < 5; round++) {
      await Promise.all(Array.from({ length: 20 }, callAgain))
      // Calls are under way at every moment until the connections are cut.
      const cut = new AbortController()
      const cutting = administer(home.options.postgresUrl!, CUT_CONNECTIONS).then(() => cut.abort())
      const keepCalling = async (): Promise<void> => {
        while (!cut.signal.aborted) await callAgain()
      }
      await Promise.all([cutting, ...Array.from({ length: 20 }, keepCalling)])
    }
    assert.ok(lost > 0 && done > 90, `${lost} lost, ${done} done`)
    await store.close()
    const again = await home.open<ContractOperations>()
    const [row] = await readRows<{ rows: number; bytes: number }>(
      again,
      `SELECT count(*) AS rows,
        (SELECT sum(committed_bytes) FROM blob_files) AS bytes FROM appended`,
    )
    // A lost call may have committed: the client cannot know.
    assert.ok(row && row.rows >= done && row.rows <= done + lost)
    assert.equal(row.bytes, row.rows * 50)
    await again.close()
  })

  test('say so when there is no server', async () => {
    const home = await engine.home()
    const postgresUrl = 'postgresql://127.0.0.1:1/none'
    const missing = { code: 'MINGA_STORE_UNAVAILABLE', retry: 'later' }
    await assert.rejects(home.open({ postgresUrl }), missing)
  })
})
