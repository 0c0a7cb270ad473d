// Goal: no capability is promised without a proof. Method: each row of the tables of capabilities names files and tests,
// which are looked for in the files; so are the tests that the table of requirements of watching names.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findMissingTests, readSections, tableRows } from './named-tests.ts'
import { isTest, workspaceFiles } from './workspace.ts'

/** The tables of the document, and how many rows each has at least: a capability that goes takes its row along. */
const AREAS = {
  Fleet: 45,
  'Placement and federation': 23,
  'Watching and forecasts': 21,
  'Wiki histories': 16,
  Queries: 10,
}

const REQUIREMENTS = [
  ...Array.from({ length: 24 }, (_, i) => `FR${i + 1}`),
  ...Array.from({ length: 5 }, (_, i) => `CU-${i + 1}`),
  ...Array.from({ length: 9 }, (_, i) => `NFR${i + 1}`),
]

test('each capability has a row that says how to use it and names tests that exist', () => {
  const sections = readSections('docs/capabilities.md')
  for (const [area, rowsMin] of Object.entries(AREAS)) {
    const rows = tableRows(sections.get(area) ?? '')
    assert.ok(rows.length >= rowsMin, `${area} has ${rows.length} rows`)
    assert.deepEqual(findMissingTests(rows), [])
    const short = rows.filter((row) => !/^\|[^|]{10,}\|[^|]{6,}\|[^|]+\|$/.test(row))
    assert.deepEqual(short, [], 'a row is a capability, how to use it, and tests')
  }
})

test('a row without a test, with a file that is gone or a name that no test has is found', () => {
  const file = 'tests/style/capabilities.test.ts'
  const name = 'each capability has a row that says how to use it and names tests that exist'
  assert.deepEqual(findMissingTests([`| Rows | CI | \`${file}\` “${name}” |`]), [])
  assert.deepEqual(findMissingTests(['| Rows | CI | |']), ['no test: | Rows | CI | |'])
  assert.deepEqual(findMissingTests([`| Rows | CI | \`${file}\` “each capability has” |`]), [
    `${file} has no test “each capability has”`,
  ])
  assert.deepEqual(findMissingTests([`| Rows | CI | \`tests/gone.test.ts\` “${name}” |`]), [
    'no file tests/gone.test.ts',
  ])
})

test('every requirement has a row that names a test or a reason, and every named test exists', () => {
  const files = workspaceFiles()
  const names = files
    .filter(({ path }) => isTest(path))
    .flatMap(({ text }) => [...text.matchAll(/\btest\(\s*'([^']*)'/g)].map(([, name]) => name!))
  const table = files.find(({ path }) => path === 'docs/reference/watch-requirements.md')!.text
  const rows = new Map(
    [...table.matchAll(/^\| ((?:FR|CU-|NFR)\d+) +\|[^|]*\|([^|]*)\|$/gm)].map(
      ([, number, proof]) => [number!, proof!.trim()],
    ),
  )
  assert.deepEqual([...rows.keys()], REQUIREMENTS)
  const named = [...rows.values()].flatMap((proof) => [...proof.matchAll(/`([^`]+)`/g)])
  const missing = named
    .map(([, name]) => name!)
    .filter((name) => !names.some((known) => known.startsWith(name)))
  assert.deepEqual(missing, [])
  assert.ok([...rows.values()].every((proof) => proof.length > 10))
})
