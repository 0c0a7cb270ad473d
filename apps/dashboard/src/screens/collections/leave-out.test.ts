// Goal: a row's host or folder is left out, and no other. Method: patterns tried on addresses.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folderOf, patternOfFolder, patternOfHost } from './leave-out.ts'

test('a host is left out on http and https, without those whose names only look like it', () => {
  const pattern = new RegExp(patternOfHost('a.example:8080'))
  assert.ok(pattern.test('https://a.example:8080/x'))
  assert.ok(!pattern.test('http://axexample:8080/'))
  assert.ok(!pattern.test('http://b.test/?u=http://a.example:8080/'))
})

test('a folder is left out with all that is below it, and the top of a site has none', () => {
  assert.equal(folderOf('http://a.test/x/y/z?q'), 'a.test/x/y/')
  assert.equal(folderOf('http://a.test/x'), null)
  assert.equal(folderOf('nonsense'), null)
  const pattern = new RegExp(patternOfFolder('a.test/x(1)/'))
  assert.ok(pattern.test('http://a.test/x(1)/deep/er'))
  assert.ok(!pattern.test('http://a.test/x1/'))
})
