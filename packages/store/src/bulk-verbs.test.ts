/**
 * Goal: bulk verbs mean the same on both databases, whatever rows repeat or conflict.
 * Method: random calls are run on each engine and on a plain model in memory; every answer and
 * the table at the end must be equal.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { ENGINES, readRows } from '../test/contract-engines.ts'
import type { ContractOperations, Verb } from '../test/contract-operations.ts'
import type { Row, Store, Value } from './sql.ts'

const RUNS = process.env['MINGA_LONG'] === '1' ? 2000 : 60

const COLUMNS = ['k', 'name', 'n', 's', 'b']
const KEYS = ['k', 'name']

/** A table as a map from its key to its row. */
type Model = Map<string, Map<string, Value>>

class Conflict extends Error {}

const keyOf = (row: Map<string, Value>): string => JSON.stringify(KEYS.map((key) => row.get(key)))

const toRow = (columns: readonly string[], values: Row): Map<string, Value> => {
  const row = new Map<string, Value>(COLUMNS.map((name) => [name, null]))
  columns.forEach((name, index) => row.set(name, values[index]!))
  return row
}

/** Inserts unless the key is there; returns the row in the way. */
function insert(model: Model, row: Map<string, Value>): Map<string, Value> | undefined {
  const old = model.get(keyOf(row))
  if (!old) model.set(keyOf(row), row)
  return old
}

const matching = (model: Model, keys: readonly string[], values: Row): Map<string, Value>[] =>
  [...model.values()].filter((row) => keys.every((key, index) => row.get(key) === values[index]))

function runOnModel(model: Model, { verb, query }: Verb): unknown {
  switch (verb) {
    case 'insertMany': {
      let changes = 0
      for (const values of query.rows) {
        const row = toRow(query.columns, values)
        const old = insert(model, row)
        if (old && query.onConflict === undefined) throw new Conflict()
        if (old && query.onConflict === 'ignore') continue
        if (old && typeof query.onConflict === 'object') {
          for (const name of query.onConflict.update) old.set(name, row.get(name)!)
        }
        changes++
      }
      return changes
    }
    case 'insertNew':
      return query.rows.map((values) => insert(model, toRow(query.columns, values)) === undefined)
    case 'updateMany': {
      let changes = 0
      for (const values of query.rows) {
        for (const row of matching(model, query.keys, values)) {
          if (query.where !== undefined && !(Number(row.get('n') ?? -1) > 1)) continue
          query.set.forEach((name, index) => row.set(name, values[query.keys.length + index]!))
          changes++
        }
      }
      return changes
    }
    case 'deleteMany': {
      const doomed = query.rows.flatMap((values) => matching(model, query.keys, values))
      return doomed.filter((row) => model.delete(keyOf(row))).length
    }
    case 'selectMany':
      return query.rows.map((values) => {
        const [row] = matching(model, query.keys, values)
        return row && Object.fromEntries(query.columns.map((name) => [name, row.get(name)]))
      })
  }
}

const copyOf = (model: Model): Model => new Map([...model].map(([key, row]) => [key, new Map(row)]))

/** The answers of one call, or 'conflict' with the model as it was. */
function callModel(model: Model, verbs: Verb[]): { model: Model; answer: unknown } {
  const next = copyOf(model)
  try {
    return { model: next, answer: verbs.map((verb) => runOnModel(next, verb)) }
  } catch (error) {
    if (error instanceof Conflict) return { model, answer: 'conflict' }
    throw error
  }
}

async function callStore(store: Store<ContractOperations>, verbs: Verb[]): Promise<unknown> {
  try {
    return await store.call('verbs', verbs)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MINGA_CONSTRAINT_BROKEN') {
      return 'conflict'
    }
    throw error
  }
}

// Few keys, so that most rows meet others.
const k = fc.integer({ min: 0, max: 3 })
const name = fc.constantFrom('a', 'B', 'ü', '"', '\\')
const n = fc.option(fc.integer({ min: -3, max: 5 }))
const s = fc.option(fc.string({ unit: 'grapheme', maxLength: 5 }).filter((x) => !x.includes('\0')))
const b = fc.option(fc.uint8Array({ maxLength: 4 }))
const fullRow = fc.tuple(k, name, n, s, b)
const key = fc.tuple(k, name)
const few = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc.array(arbitrary, { maxLength: 6 })

const table = 'things'
const verb: fc.Arbitrary<Verb> = fc.oneof(
  few(fullRow).map((rows): Verb => ({
    verb: 'insertMany',
    query: { table, columns: COLUMNS, rows, onConflict: 'ignore' },
  })),
  fc.uniqueArray(fullRow, { maxLength: 2 }).map((rows): Verb => ({
    verb: 'insertMany',
    query: { table, columns: COLUMNS, rows },
  })),
  fc
    .tuple(few(fullRow), fc.subarray(['n', 's', 'b'], { minLength: 1 }))
    .map(([rows, update]): Verb => ({
      verb: 'insertMany',
      query: { table, columns: COLUMNS, rows, onConflict: { keys: KEYS, update } },
    })),
  few(fullRow).map((rows): Verb => ({
    verb: 'insertNew',
    query: { table, columns: COLUMNS, keys: KEYS, rows },
  })),
  few(fc.tuple(k, name, n, b)).map((rows): Verb => ({
    verb: 'updateMany',
    query: { table, keys: KEYS, set: ['n', 'b'], rows, where: 'n > 1' },
  })),
  few(fc.tuple(k, n)).map((rows): Verb => ({
    verb: 'updateMany',
    query: { table, keys: ['k'], set: ['n'], rows },
  })),
  few(key).map((rows): Verb => ({ verb: 'deleteMany', query: { table, keys: KEYS, rows } })),
  few(fc.tuple(k)).map((rows): Verb => ({
    verb: 'deleteMany',
    query: { table, keys: ['k'], rows },
  })),
  few(key).map((rows): Verb => ({
    verb: 'selectMany',
    query: { table, keys: KEYS, rows, columns: ['s', 'n', 'b'] },
  })),
)
const calls = fc.array(fc.array(verb, { minLength: 1, maxLength: 3 }), { maxLength: 8 })

for (const engine of ENGINES) {
  describe(`Bulk verbs on ${engine.name}`, { skip: engine.skip }, () => {
    test(`answer and leave the table like a plain model in ${RUNS} random sequences`, async () => {
      const store = await (await engine.home()).open<ContractOperations>()
      await store.call('setUp', undefined)
      const property = fc.asyncProperty(calls, async (sequence) => {
        await store.call('all', { sql: 'DELETE FROM things' })
        let model: Model = new Map()
        for (const verbs of sequence) {
          const expected = callModel(model, verbs)
          assert.deepEqual(await callStore(store, verbs), expected.answer)
          model = expected.model
        }
        const rows = await readRows<object>(
          store,
          'SELECT k, name, n, s, b FROM things ORDER BY k, name',
        )
        const expected = [...model.values()].map((row) => Object.fromEntries(row))
        assert.deepEqual(new Set(rows), new Set(expected))
      })
      try {
        await fc.assert(property, { numRuns: RUNS })
      } finally {
        await store.close()
      }
    })
  })
}
