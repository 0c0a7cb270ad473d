// Goal: no name, column or type gets into a table that SQL or a disk would take for something else.
// Method: examples on both sides of each rule, and random growth.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { checkColumns, checkTableName, columnsAt, grownColumns } from './table-rules.ts'

const BAD = { code: 'MINGA_BAD_TABLE' }

test('names of tables are lower-case words that need no quotes', () => {
  for (const name of ['books', 'b', 'books_2024', 'a'.repeat(63)]) checkTableName(name)
  for (const name of [
    '',
    'Books',
    '2024',
    '_x',
    'a b',
    'a-b',
    'a.b',
    '../a',
    'ä',
    'a'.repeat(64),
  ]) {
    assert.throws(() => checkTableName(name), BAD, name)
  }
})

test('types are types and nothing else that SQL might run', () => {
  const good = [
    'BIGINT',
    'DECIMAL(18,6)',
    'VARCHAR[]',
    'VARCHAR[][3]',
    'TIMESTAMP WITH TIME ZONE',
    'STRUCT(a INTEGER, "b (c)" VARCHAR[])',
    'MAP(VARCHAR, DOUBLE)',
  ]
  for (const type of good) checkColumns([{ name: 'a', type }])
  const bad = [
    '',
    'BIGINT, b',
    'BIGINT) AS x, (SELECT 1',
    'BIGINT; DROP TABLE a',
    "ENUM('a')",
    'VARCHAR -- x',
    'DECIMAL(18,6',
    'INTEGER]',
    '(SELECT 1)',
    'STRUCT("a" INTEGER, "b)',
  ]
  for (const type of bad) assert.throws(() => checkColumns([{ name: 'a', type }]), BAD, type)
})

test('columns have names that differ in more than capitals', () => {
  checkColumns([
    { name: 'review/text', type: 'VARCHAR' },
    { name: 'Título "x"', type: 'VARCHAR' },
  ])
  const named = (...names: string[]) => names.map((name) => ({ name, type: 'DATE' }))
  for (const names of [[], [''], [' '], ['a\n'], ['a\0'], ['a', 'A'], ['x'.repeat(201)]]) {
    assert.throws(() => checkColumns(named(...names)), BAD, names.join())
  }
})

test('a type may be written in another way but not become another', () => {
  const table = {
    name: 't',
    columns: [
      { name: 'a', type: 'DECIMAL(18,6)', since: 1 },
      { name: 'b', type: 'VARCHAR[]', since: 1 },
      { name: 'c', type: 'STRUCT("Aa" INTEGER)', since: 1 },
    ],
  }
  const given = (name: string, type: string) => grownColumns(table, [{ name, type }], 2)
  assert.equal(given('A', 'decimal( 18, 6 )').length, 3)
  assert.equal(given('b', 'text[]').length, 3)
  assert.equal(given('c', 'struct("Aa" int)').length, 3)
  const changed = { code: 'MINGA_COLUMN_CHANGED' }
  assert.throws(() => given('a', 'DECIMAL(18,4)'), changed)
  assert.throws(() => given('b', 'VARCHAR'), changed)
  assert.throws(() => given('c', 'STRUCT("aa" INTEGER)'), changed)
})

test('whatever is added, a version keeps the columns that it had', () => {
  const columns = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1 })
  fc.assert(
    fc.property(fc.array(columns, { minLength: 1, maxLength: 6 }), (additions) => {
      const table = { name: 't', columns: grownColumns({ name: 't', columns: [] }, [], 1) }
      const seen: string[][] = []
      additions.forEach((names, index) => {
        const given = names.map((name) => ({ name, type: 'DATE' }))
        table.columns = grownColumns(table, given, index + 1)
        seen.push(table.columns.map(({ name }) => name))
      })
      seen.forEach((names, index) => {
        assert.deepEqual(
          columnsAt(table.columns, index + 1).map(({ name }) => name),
          names,
        )
      })
      assert.deepEqual(seen.at(-1)!.toSorted(), [...new Set(additions.flat())].toSorted())
    }),
    { seed: 7 },
  )
})
