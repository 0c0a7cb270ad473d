// Goal: the editor shows where a query is wrong. Method: texts right and wrong.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jsonFault } from './json-fault.ts'
import { FIRST_TEXT, readText } from './query-text.ts'

test('the text to begin with is a query', () => {
  const read = readText(FIRST_TEXT)
  assert.equal('query' in read && read.query.name, 'captures-by-status')
})

test('what is no JSON is said with its line and column', () => {
  const read = readText('{\n  "name": nothing\n}')
  assert.ok('problem' in read)
  assert.deepEqual([read.problem, read.line], ['json', 2])
  const cut = readText('{\n "name": "x"')
  assert.ok('problem' in cut)
  assert.equal(cut.line, 2)
})

test('the first sign that cannot stand there is found, whatever is wrong', () => {
  const places: [string, number | null][] = [
    ['{"a": [1, 2.5e3, true, null, "x\\n"]}', null],
    ['', 0],
    ['{"a" 1}', 5],
    ['{"a": 1 "b": 2}', 8],
    ['{"a": 1,}', 8],
    ['[1, 2', 5],
    ['{"a": 01}', 7],
    ['{} x', 3],
    ["{'a': 1}", 1],
  ]
  for (const [text, place] of places) {
    assert.equal(jsonFault(text), place, text)
    if (place !== null) assert.throws(() => JSON.parse(text))
  }
})

test('what is missing is named', () => {
  const whole = JSON.parse(FIRST_TEXT) as Record<string, unknown>
  for (const name of ['name', 'inputs', 'from', 'output']) {
    const read = readText(JSON.stringify({ ...whole, [name]: undefined }))
    assert.ok('problem' in read)
    assert.deepEqual([read.problem, read.detail], ['shape', name])
  }
  const wrong = readText(JSON.stringify({ ...whole, parameters: [] }))
  assert.equal('problem' in wrong && wrong.detail, 'parameters')
  const list = readText('[]')
  assert.equal('problem' in list && list.detail, 'query')
})
