// Goal: no name leads out of the lake's folder, and a settled file is whole under its name.
// Method: names of every kind of mischief; files in a temporary folder.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import * as fc from 'fast-check'
import { LakeFiles } from './lake-files.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'minga-lake-'))
after(() => fs.rmSync(folder, { recursive: true, force: true }))

const BAD = { code: 'MINGA_BAD_LAKE_NAME' }

test('names that would lead out of the folder are refused', () => {
  const files = new LakeFiles(folder)
  const bad = [
    '',
    '.',
    '..',
    '/etc/passwd',
    'a/../b',
    'a//b',
    'a/',
    '/a',
    './a',
    'a\\b',
    'C:a',
    'a\0b',
  ]
  for (const name of [...bad, 'a/..', '~', 'a b', 'ä', 'x'.repeat(201)]) {
    assert.throws(() => files.at(name), BAD, name)
  }
  const odd = fc.string({ unit: fc.constantFrom('.', '/', 'a', '-', '\\', '%', '2', 'e') })
  fc.assert(
    fc.property(odd, (name) => {
      try {
        const at = files.at(name)
        assert.equal(path.relative(folder, at), name)
        assert.ok(!/^\.\.(\/|$)/.test(path.relative(folder, at)))
      } catch (error) {
        assert.equal((error as { code?: string }).code, BAD.code)
      }
    }),
    { seed: 3, numRuns: 2_000 },
  )
})

test('a settled file is there under its name only, and can be removed twice', async () => {
  const files = new LakeFiles(path.join(folder, 'a'))
  await files.makeFolder('tables/t/w')
  fs.writeFileSync(files.at('tables/t/w/0.parquet.partial'), 'rows')
  await files.settle('tables/t/w/0.parquet.partial', 'tables/t/w/0.parquet')
  assert.deepEqual(
    (await files.list('tables')).map(({ name, bytes }) => [name, bytes]),
    [['tables/t/w/0.parquet', 4]],
  )
  assert.equal(await files.size('tables/t/w/0.parquet'), 4)
  await files.remove('tables/t/w/0.parquet')
  await files.remove('tables/t/w/0.parquet')
  assert.equal(await files.size('tables/t/w/0.parquet'), null)
  assert.deepEqual(await files.list('nowhere'), [])
})

test('a folder goes when no file is in it, however many folders are', async () => {
  const files = new LakeFiles(path.join(folder, 'b'))
  await files.makeFolder('x/y/z')
  await files.makeFolder('x/full')
  fs.writeFileSync(files.at('x/full/file'), '')
  assert.equal(await files.removeEmptyFolder('x'), false)
  assert.deepEqual(
    (await files.list('x')).map(({ name }) => name),
    ['x/full/file'],
  )
  await files.remove('x/full/file')
  assert.equal(await files.removeEmptyFolder('x'), true)
  assert.equal(await files.removeEmptyFolder('x'), true)
  await files.makeFolder('x/y')
  await files.removeFolder('x')
  assert.deepEqual(await files.folders('x'), [])
})

test('files with names that are not ours are neither listed nor touched', async () => {
  const files = new LakeFiles(path.join(folder, 'c'))
  await files.makeFolder('x')
  fs.writeFileSync(path.join(files.root, 'x', 'my notes.txt'), '')
  assert.deepEqual(await files.list('x'), [])
  assert.equal(await files.removeEmptyFolder('x'), false)
})
