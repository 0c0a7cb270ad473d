// Goal: no capability of the original change predictor is left without a proof. Method: each row of its
// checklist must begin the name of at least one test, and every test that the table of requirements
// names must exist.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isTest, workspaceFiles } from './workspace.ts'

const ROWS = [
  'Subscribe/edit/deactivate site',
  'Auth, recovery',
  'Crawl launch create→build→launch→unpause',
  'Completion check, version record',
  'WARC write, index, replay by URL+date',
  'Dedup at acquisition',
  'Change detection with magnitude',
  'Important-change rule',
  'Frequency and groups',
  'Simple predictor',
  'Notification variant',
  'History variant',
  'Type × volume composition',
  'Eligibility gate',
  'Simulator + console',
  'Fixed comparator',
  'Group metrics',
  'Lists, graphs, comparison, console',
  'Topic categories',
  'Overhead',
  'Roles',
]

const REQUIREMENTS = [
  ...Array.from({ length: 24 }, (_, i) => `FR${i + 1}`),
  ...Array.from({ length: 5 }, (_, i) => `CU-${i + 1}`),
  ...Array.from({ length: 9 }, (_, i) => `NFR${i + 1}`),
]

const files = workspaceFiles()
const names = files
  .filter(({ path }) => isTest(path))
  .flatMap(({ text }) => [...text.matchAll(/\btest\(\s*'([^']*)'/g)].map(([, name]) => name!))
const table = files.find(({ path }) => path === 'docs/reference/watch-requirements.md')!.text

test('every row of the checklist of the change predictor has a test that is named after it', () => {
  const without = ROWS.filter((row) => !names.some((name) => name.startsWith(`${row}: `)))
  assert.deepEqual(without, [])
})

test('every requirement has a row that names a test or a reason, and every named test exists', () => {
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
