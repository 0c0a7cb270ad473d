/**
 * Goal: SQLite and PostgreSQL behave the same behind the store's interface.
 * Method: the same sentences run on both through real stores in fresh folders and databases.
 */
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { ENGINES, readRows, withStoreOn } from '../test/contract-engines.ts'
import type { ContractOperations, Verb } from '../test/contract-operations.ts'
import type { Store } from './sql.ts'

interface Thing {
  k: number
  name: string
  n: number | null
}

const things = (store: Store<ContractOperations>): Promise<Thing[]> =>
  readRows(store, 'SELECT k, name, n FROM things ORDER BY k, name')

const verbs = (store: Store<ContractOperations>, list: Verb[]): Promise<unknown[]> =>
  store.call('verbs', list)

const put = (rows: Thing[]): Verb => ({
  verb: 'insertMany',
  query: {
    table: 'things',
    columns: ['k', 'name', 'n'],
    rows: rows.map((row) => [row.k, row.name, row.n]),
  },
})

for (const engine of ENGINES) {
  const withStore = withStoreOn(engine)

  describe(`The store on ${engine.name}`, { skip: engine.skip }, () => {
    test(
      'keeps what was committed over closing and opening again',
      withStore(async (store, home) => {
        await verbs(store, [put([{ k: 1, name: 'a', n: 5 }])])
        await store.close()
        const again = await home.open<ContractOperations>()
        assert.deepEqual(await things(again), [{ k: 1, name: 'a', n: 5 }])
        await again.close()
      }),
    )

    test(
      'gives back numbers, text, bytes and nothing as they were put in',
      withStore(async (store) => {
        const bytes = Uint8Array.from({ length: 256 }, (_, index) => index)
        const text = `quote ' " \\ {} , NULL ünïcode 🦙 \n\t ?`
        const columns = ['k', 'name', 'n', 's', 'b', 'r']
        const rows = [
          [Number.MAX_SAFE_INTEGER, 'a', Number.MIN_SAFE_INTEGER, text, bytes, 0.1 + 0.2],
          [2, '', null, null, null, null],
          [3, 'NULL', 0, '', new Uint8Array(0), -1e300],
        ]
        await verbs(store, [{ verb: 'insertMany', query: { table: 'things', columns, rows } }])
        const keys = rows.map((row) => row.slice(0, 2))
        const query = { table: 'things', keys: ['k', 'name'], rows: keys, columns }
        const [found] = await verbs(store, [{ verb: 'selectMany', query }])
        assert.deepEqual(
          found,
          rows.map((row) => Object.fromEntries(columns.map((name, index) => [name, row[index]]))),
        )
      }),
    )

    test(
      'sorts text by its bytes and sums to plain numbers',
      withStore(async (store) => {
        await verbs(store, [put(['b', 'B', 'a', 'ä', 'Z'].map((name) => ({ k: 1, name, n: 2 })))])
        const rows = await things(store)
        assert.deepEqual(
          rows.map((row) => row.name),
          ['B', 'Z', 'a', 'b', 'ä'],
        )
        const sums = await store.call('all', {
          sql: 'SELECT sum(n) AS total, count(*) AS rows FROM things',
        })
        assert.deepEqual(sums, [{ total: 10, rows: 5 }])
      }),
    )

    test(
      'undoes a call that throws, alone, and passes on its code, retry, status and message',
      withStore(async (store) => {
        const calls = await Promise.allSettled([
          verbs(store, [put([{ k: 1, name: 'a', n: 1 }])]),
          store.call('insertAndRefuse', { k: 2 }),
          verbs(store, [put([{ k: 3, name: 'c', n: 1 }])]),
        ])
        assert.deepEqual(
          calls.map((call) => call.status),
          ['fulfilled', 'rejected', 'fulfilled'],
        )
        await assert.rejects(store.call('insertAndRefuse', { k: 2 }), {
          name: 'Refused',
          code: 'MINGA_TEST_REFUSED',
          retry: 'now',
          status: 409,
          message: 'This call was asked to fail.',
        })
        assert.deepEqual(
          (await things(store)).map((row) => row.k),
          [1, 3],
        )
      }),
    )

    test(
      'fails a call whose statement failed even if the operation caught it',
      withStore(async (store) => {
        await assert.rejects(store.call('swallowFailure', { k: 1 }), /no_such_table/)
        assert.deepEqual(await things(store), [])
      }),
    )

    test(
      'names a broken rule, an unknown operation and values that cannot be sent',
      withStore(async (store) => {
        await verbs(store, [put([{ k: 1, name: 'a', n: 1 }])])
        const again = verbs(store, [put([{ k: 1, name: 'a', n: 2 }])])
        await assert.rejects(again, { code: 'MINGA_CONSTRAINT_BROKEN' })
        // @ts-expect-error There is no operation of this name.
        await assert.rejects(store.call('nothing', {}), { code: 'MINGA_STORE_MISUSED' })
        // @ts-expect-error Nor of this.
        await assert.rejects(store.call('toString', {}), { code: 'MINGA_STORE_MISUSED' })
        await assert.rejects(store.call('unclonable', {}), { code: 'MINGA_STORE_MISUSED' })
        // @ts-expect-error A function is no statement.
        await assert.rejects(store.call('all', { sql: () => {} }), { code: 'MINGA_STORE_MISUSED' })
        await assert.rejects(store.call('append', { id: 1, series: 'none', chunks: [] }), {
          code: 'MINGA_STORE_MISUSED',
        })
      }),
    )

    test(
      'gives every claimed row to exactly one of many calls at a time',
      withStore(async (store) => {
        const rows = Array.from({ length: 200 }, (_, k) => ({ k, name: 'x', n: null }))
        await verbs(store, [put(rows)])
        const claimed: number[] = []
        const claimAll = async (by: number): Promise<void> => {
          let k: number | undefined
          while ((k = await store.call('claim', { by })) !== undefined) claimed.push(k)
        }
        await Promise.all(Array.from({ length: 12 }, (_, by) => claimAll(by)))
        claimed.sort((a, b) => a - b)
        assert.deepEqual(
          claimed,
          rows.map((row) => row.k),
        )
      }),
    )

    test(
      'brings calls that lock each other out to a good end',
      withStore(async (store) => {
        await verbs(store, [put([1, 2].map((k) => ({ k, name: 'x', n: 0 })))])
        const crossing = Array.from({ length: 3 }, (_, index) =>
          store.call('updateTwo', index % 2 ? { first: 1, second: 2 } : { first: 2, second: 1 }),
        )
        await Promise.all(crossing)
        assert.deepEqual(
          (await things(store)).map((row) => row.n),
          [3, 3],
        )
      }),
    )

    test(
      'rejects calls under way and later ones when its thread dies',
      withStore(async (store) => {
        const dying = Promise.allSettled([
          store.call('die', {}),
          store.call('all', { sql: 'SELECT 1' }),
        ])
        for (const call of await dying) {
          assert.equal(call.status, 'rejected')
          assert.equal(call.reason.code, 'MINGA_STORE_UNAVAILABLE')
        }
        await assert.rejects(things(store), { code: 'MINGA_STORE_UNAVAILABLE', retry: 'later' })
      }),
    )

    test(
      'finishes calls under way before it closes, and takes none afterwards',
      withStore(async (store, home) => {
        const writing = Array.from({ length: 50 }, (_, k) =>
          verbs(store, [put([{ k, name: 'x', n: k }])]),
        )
        await Promise.all([store.close(), ...writing])
        await assert.rejects(things(store), { code: 'MINGA_STORE_UNAVAILABLE' })
        await store.close()
        const again = await home.open<ContractOperations>()
        assert.equal((await things(again)).length, 50)
        await again.close()
      }),
    )

    test(
      'refuses data written by a newer version',
      withStore(async (store, home) => {
        await store.call('all', {
          sql: `INSERT INTO schema_version (version, name) VALUES (9999, 'future')`,
        })
        await store.close()
        await assert.rejects(home.open(), { code: 'MINGA_STORE_TOO_NEW', retry: 'never' })
      }),
    )

    test(
      'refuses a writer name that cannot be part of a file name',
      withStore(async (_, home) => {
        const opening = home.open({ writer: '../w', data: path.join(home.options.data, 'other') })
        await assert.rejects(opening, { code: 'MINGA_STORE_MISUSED' })
      }),
    )

    test(
      'takes over memory that is handed to it',
      withStore(async (store) => {
        const bytes = new Uint8Array(5_000_000).fill(7)
        const args = { id: 1, series: 'big', chunks: [bytes] }
        const place = await store.call('append', args, [bytes.buffer])
        assert.equal(bytes.byteLength, 0)
        assert.equal(place.length_bytes, 5_000_000)
      }),
    )
  })
}

test('A store says what to do when its folder cannot be made', async () => {
  const home = await ENGINES[0]!.home()
  const file = path.join(home.options.data, 'file')
  fs.writeFileSync(file, '')
  await assert.rejects(home.open({ data: path.join(file, 'below') }), {
    code: 'MINGA_STORE_UNAVAILABLE',
  })
})
