// Goal: no test sees what another left in its database. Method: tests that leave rows, changed rows and tables, each followed by one that looks.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES, readRows, type Home } from './contract-engines.ts'
import type { ContractOperations } from './contract-operations.ts'
import type { Store } from '../src/sql.ts'

const engine = ENGINES[1]!
const urls: (string | undefined)[] = []

async function openedAfterTheLast(): Promise<{ home: Home; store: Store<ContractOperations> }> {
  const home = await engine.home()
  urls.push(home.options.postgresUrl)
  return { home, store: await home.openHere() }
}

const rowsOf = (store: Store<ContractOperations>, table: string): Promise<unknown[]> =>
  readRows(store, `SELECT * FROM ${table} ORDER BY 1`)

async function snapshot(store: Store<ContractOperations>): Promise<unknown[][]> {
  return Promise.all(
    ['schema_version', 'sequences', 'watch_categories', 'station_facts'].map((table) =>
      rowsOf(store, table),
    ),
  )
}

describe('Databases that tests take over from each other', { skip: engine.skip }, () => {
  let first: unknown[][]

  test('rows are added and changed', async () => {
    const { store } = await openedAfterTheLast()
    first = await snapshot(store)
    await store.call('all', { sql: `UPDATE sequences SET value = value + 7` })
    await store.call('all', { sql: `DELETE FROM watch_categories` })
    await store.call('all', {
      sql: `INSERT INTO station_facts (name, value) VALUES ('left over', '1')`,
    })
    assert.notDeepEqual(await snapshot(store), first)
  })

  test('the next test has the same database and sees none of it, though the store was not closed', async () => {
    const { store } = await openedAfterTheLast()
    assert.equal(urls[1], urls[0])
    assert.deepEqual(await snapshot(store), first)
  })

  test('two in one test are not the same, and one of them gets a table', async () => {
    const { store } = await openedAfterTheLast()
    const other = await openedAfterTheLast()
    assert.notEqual(other.home.options.postgresUrl, urls[2])
    await store.call('setUp', undefined)
    assert.equal((await rowsOf(store, 'appended')).length, 0)
  })

  test('a database with a table more is not used again', async () => {
    const one = await openedAfterTheLast()
    const two = await openedAfterTheLast()
    assert.ok(!urls.slice(-2).includes(urls[2]))
    for (const { store } of [one, two]) {
      await assert.rejects(rowsOf(store, 'appended'))
      assert.deepEqual(await snapshot(store), first)
    }
  })
})
