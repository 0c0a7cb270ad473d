// Goal: names are completed and put where they belong, and old questions are kept. Method: texts and places in them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  completed,
  fragmentOf,
  historyIn,
  inserted,
  quoted,
  remembered,
  sqlIn,
  suggest,
} from './sql-words.ts'

const column = (name: string) => ({ name, type: 'VARCHAR' })
const TABLES = [
  { name: 'captures', columns: [column('host'), column('status')] },
  { name: 'changes', columns: [column('host'), column('changed_at')] },
]
const words = (sql: string): string[] =>
  suggest(sql, sql.length, TABLES).map(({ word, of }) => (word === of ? word : `${of}.${word}`))

test('tables and columns that begin so are offered, those of named tables first', () => {
  assert.deepEqual(words('SELECT * FROM c'), ['captures', 'changes', 'changes.changed_at'])
  assert.deepEqual(words('SELECT 1 FROM changes WHERE h'), ['changes.host'])
  assert.deepEqual(words('SELECT '), [])
  assert.deepEqual(words('SELECT host'), [])
})

test('a chosen name takes the place of what was typed of it', () => {
  assert.deepEqual(completed('SELECT * FROM cap WHERE 1', 17, 'captures'), {
    sql: 'SELECT * FROM captures WHERE 1',
    cursor: 22,
  })
})

test('a name that is clicked does not run into the word before', () => {
  assert.equal(inserted('SELECT', { from: 6, to: 6 }, 'host').sql, 'SELECT host')
  assert.equal(
    inserted('SELECT x FROM', { from: 7, to: 8 }, 'odd name').sql,
    'SELECT "odd name" FROM',
  )
  assert.equal(quoted('a"b'), '"a""b"')
})

test('what was asked before is kept once, newest first, whatever stands in the store', () => {
  const first = remembered([], { sql: 'a', at: 1 })
  const second = remembered(remembered(first, { sql: 'b', at: 2 }), { sql: 'a', at: 3 })
  assert.deepEqual(
    second.map(({ sql, at }) => [sql, at]),
    [
      ['a', 3],
      ['b', 2],
    ],
  )
  for (const text of [null, '', '{', '5', '{"a":1}', '[1,null,{"sql":5}]']) {
    assert.deepEqual(historyIn(text), [])
  }
  assert.deepEqual(historyIn(JSON.stringify(second)), second)
})

test('a shared address carries the question behind the #', () => {
  const sql = 'SELECT \'a&b#c\' AS "x", 100%\nFROM t'
  assert.equal(sqlIn(`#${fragmentOf(sql)}`), sql)
  assert.equal(sqlIn('#key=abc'), null)
})
