// Goal: what comes with Minga is shown at once. Method: the real command in an empty folder, without a station.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { endAllProcesses } from '@minga/testkit'
import { runMinga, type Ended } from '../../../../test/commands/minga-fixture.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'minga-shipped-'))
after(async () => {
  await endAllProcesses()
  rmSync(folder, { recursive: true, force: true })
})

const query = (...args: string[]): Promise<Ended> =>
  runMinga(['query', ...args, '--data', path.join(folder, 'data')])

test('the queries that come with Minga are listed without a station, and leave no folder behind', async () => {
  const { code, out } = await query('list')
  assert.equal(code, 0)
  assert.match(out, /^books-1 +Books of a category/m)
  assert.match(out, /^top-editors +Editors/m)
  const { queries } = JSON.parse((await query('list', '--json')).out) as {
    queries: { name: string }[]
  }
  assert.equal(queries.length, out.trim().split('\n').length)
  assert.deepEqual(readdirSync(folder), [])
})

test('a query is shown with its inputs, its columns and what may be set', async () => {
  const { code, out } = await query('show', 'books-4')
  assert.equal(code, 0)
  assert.match(out, /^books-4: The books of books-3/)
  assert.match(out, /inputs +books, reviews/)
  assert.match(out, /columns +title, rating/)
  assert.match(out, /--param top=10 +How many of them/)
  const unknown = await query('show', 'books-9')
  assert.notEqual(unknown.code, 0)
  assert.match(unknown.err, /books-1, books-2/)
})
