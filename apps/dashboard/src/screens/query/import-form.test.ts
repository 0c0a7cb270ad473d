// Goal: an import is offered a sensible name, and versions are compared. Method: names and rows as data.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeOf, isTableName, tableNameOf } from './import-form.ts'

test('a file suggests a name that a table may have, or none', () => {
  const names = [
    'Books_rating.csv.gz',
    '/data/Páginas año 2026.JSONL',
    '2026-hosts.tsv',
    '<b>.csv',
    '.csv',
  ]
  const offered = names.map(tableNameOf)
  assert.deepEqual(offered, ['books_rating', 'paginas_ano_2026', 'hosts', 'b', ''])
  assert.ok(offered.slice(0, 4).every(isTableName))
  assert.deepEqual(['', 'A', '1a', 'a'.repeat(64), 'a b'].filter(isTableName), [])
})

test('a version differs from the one before it; the first from none that is known', () => {
  const versions = [
    { version: 3, rows: 10 },
    { version: 2, rows: 25 },
  ]
  assert.deepEqual([changeOf(versions, 0), changeOf(versions, 1)], [-15, null])
})
