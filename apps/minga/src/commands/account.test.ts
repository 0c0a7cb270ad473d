// Goal: an operator helps people from the command line, by name, also while the station is stopped. Method: the real
// command on a folder whose accounts were made by the API in this process.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openApi } from '../api.ts'
import { runMinga, type Ended } from '../../test/commands/minga-fixture.ts'

const data = await mkdtemp(join(tmpdir(), 'minga-account-'))
after(() => rm(data, { recursive: true }))
const api = await openApi(data)
await api.post('/accounts', { name: 'Ana', password: 'minga llama quinoa', roles: ['reader'] })
await api.close()
const account = (...args: string[]): Promise<Ended> =>
  runMinga(['account', ...args, '--data', data])

test('a second factor is reset by name, and an unknown name is reported', async () => {
  const done = await account('reset-factor', 'ana')
  assert.deepEqual([done.code, done.out], [0, 'Ana logs in without a second factor.\n'])
  const unknown = await account('reset-factor', 'nobody')
  assert.notEqual(unknown.code, 0)
  assert.match(unknown.err, /There is no account "nobody"/)
})

test('an account is exported as JSON, and deleted when that is confirmed', async () => {
  const exported = await account('export', 'ana')
  assert.equal((JSON.parse(exported.out) as { name: string }).name, 'Ana')
  const unsure = await account('delete', 'ana')
  assert.equal(unsure.code, 2)
  assert.match(unsure.err, /--yes/)
  const deleted = await account('delete', 'ana', '--yes')
  assert.equal(deleted.code, 0)
  assert.match(
    deleted.out,
    /^The account was deleted; what is left is named deleted-[0-9a-f]{12}\.\n$/,
  )
  assert.notEqual((await account('export', 'ana')).code, 0)
})
