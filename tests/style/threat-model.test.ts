// Goal: the threat model promises no test that is not there. Method: every row of its tables names files and tests, and
// these are looked for in the files; `…` stands for what a test of a list fills in.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')
const ACTORS = [
  'A web page',
  'A site owner',
  'A volunteer',
  'A client',
  'A reader',
  'A member station',
  'A local user',
  'The network',
]
const NAMED = /`([\w./-]+\.test\.ts)` “([^”]+)”/g

const model = readFileSync(join(ROOT, 'docs/threat-model.md'), 'utf8')

/** The rows of each table, without its head. */
function rowsOf(section: string): string[] {
  return section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
}

function hasTest(source: string, name: string): boolean {
  const pattern = name
    .split('…')
    .map((part) => RegExp.escape(part))
    .join('.*')
  return new RegExp(`['"\`]${pattern}['"\`]`).test(source)
}

test('each actor has a table, and each of its rows a threat, what stops it and a test that exists', () => {
  const sections = model.split(/^## /m).slice(1)
  const titled = new Map(sections.map((text) => [text.slice(0, text.indexOf('\n')), text]))
  for (const actor of ACTORS) {
    const rows = rowsOf(titled.get(actor) ?? '')
    assert.ok(rows.length > 3, `${actor} has no table`)
    const missing = rows.flatMap((row) => {
      const named = row.matchAll(NAMED).toArray()
      if (named.length === 0) return [`no test: ${row}`]
      return named.flatMap(([, file = '', name = '']) => {
        const path = join(ROOT, file)
        if (!existsSync(path)) return [`no file ${file}`]
        return hasTest(readFileSync(path, 'utf8'), name) ? [] : [`${file} has no test “${name}”`]
      })
    })
    assert.deepEqual(missing, [])
  }
})

test('a test that is not there is found', () => {
  assert.equal(hasTest("test('a bomb costs 3 passes', () => {})", 'a bomb costs … passes'), true)
  assert.equal(hasTest("test('a bomb costs 3 passes', () => {})", 'a bomb costs'), false)
})
