// Goal: the schema grows step by step and a step is never half there. Method: migrations of a
// test's own on a real SQLite in memory, with steps that fail in the middle.
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { migrate, portable, type Migration, type Transact } from './migrations.ts'
import { SqliteSql } from './sqlite-sql.ts'

function memory(): { db: DatabaseSync; transact: Transact } {
  const db = new DatabaseSync(':memory:')
  const sql = new SqliteSql(db, 'memory')
  const transact: Transact = async (step) => {
    db.exec('BEGIN')
    try {
      const result = await step(sql)
      db.exec('COMMIT')
      return result
    } catch (error) {
      db.exec('ROLLBACK')
      throw error
    }
  }
  return { db, transact }
}

const tables = (db: DatabaseSync): unknown[] =>
  db
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`)
    .all()
    .map((row) => row['name'])

const first: Migration = { version: 0, name: 'first', statements: ['CREATE TABLE a (x {{int}})'] }
const second: Migration = {
  version: 1,
  name: 'second',
  statements: ['CREATE TABLE b (x {{int}})', 'INSERT INTO b VALUES (1)'],
}

test('migrations run once each and only those that are missing', async () => {
  const { db, transact } = memory()
  assert.deepEqual(await migrate(transact, [first]), { wasEmpty: true })
  assert.deepEqual(await migrate(transact, [first, second]), { wasEmpty: false })
  await migrate(transact, [first, second])
  assert.deepEqual(tables(db), ['a', 'b', 'schema_version'])
  assert.equal(db.prepare('SELECT count(*) AS n FROM b').get()?.['n'], 1)
})

test('a step that breaks off leaves nothing of itself and is done again', async () => {
  const { db, transact } = memory()
  const broken = { ...second, statements: [...second.statements, 'CREATE TABLE a (y {{int}})'] }
  await assert.rejects(migrate(transact, [first, broken]), /already exists/)
  assert.deepEqual(tables(db), ['a', 'schema_version'])
  await migrate(transact, [first, second])
  assert.deepEqual(tables(db), ['a', 'b', 'schema_version'])
})

test('what only one engine can do is done there, and in the same step', async () => {
  const { db, transact } = memory()
  const only = {
    sqlite: [`CREATE VIRTUAL TABLE words USING fts5 (text, content='')`],
    postgres: ['ALTER TABLE a ADD COLUMN words TSVECTOR'],
  }
  await migrate(transact, [{ ...first, only }])
  assert.ok(tables(db).includes('words'))
  const broken = { ...second, only: { ...only, sqlite: ['CREATE TABLE a (y {{int}})'] } }
  await assert.rejects(migrate(transact, [first, broken]), /already exists/)
  assert.equal(tables(db).includes('b'), false)
})

test('portable SQL becomes the dialect of each database', () => {
  const statement = `CREATE TABLE t (a {{int}}, b {{bytes}}, c {{real}}, d TEXT) {{without_rowid}}`
  assert.equal(
    portable(statement, 'sqlite'),
    'CREATE TABLE t (a INTEGER, b BLOB, c REAL, d TEXT) WITHOUT ROWID',
  )
  assert.equal(
    portable(statement, 'postgres'),
    'CREATE TABLE t (a BIGINT, b BYTEA, c DOUBLE PRECISION, d TEXT COLLATE "C") ',
  )
  assert.throws(() => portable('CREATE TABLE t (a {{integer}})', 'sqlite'), /\{\{integer\}\}/)
})
