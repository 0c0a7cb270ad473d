// Goal: what leaked lists begin with is no password here, and the list costs nothing until a password is set. Method: the
// real list, and a station that people register at.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkPassword } from '@minga/fleet'
import { commonPasswords } from './accounts.ts'
import { openPeople } from '../../test/accounts/people-fixture.ts'

/** Of the Minga before: a list of its own. */
const FORMER = `
  0123456789 1234567890 12345678910 123456789a 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx3edc abcdefghij
  administrator changeme123 iloveyou123 letmein123 password01 password12 password123
  password1234 passwordpassword q1w2e3r4t5 qwerty12345 qwerty123456 qwertyuiop welcome123
`
  .trim()
  .split(/\s+/)

test('the list has more than ten thousand entries, and all that was refused before is refused', async () => {
  const common = await commonPasswords()
  assert.ok(common.size > 10_000, `${common.size}`)
  for (const password of [...FORMER, 'Manchester', 'BASKETBALL', 'liverpool2024', 'sunshine!!']) {
    assert.throws(() => checkPassword(password, { name: 'ana.torres', common }), /The password is/)
  }
  for (const password of ['minga llama quinoa', 'monkey84736251940283']) {
    checkPassword(password, { name: 'ana.torres', common })
  }
})

test('common passwords are rejected at registration', async () => {
  const people = await openPeople()
  const register = (password: string): Promise<string> =>
    people.outcome(null, 'POST', '/accounts', { name: 'common', password })
  assert.equal(await register('4815162342'), '400 MINGA_WEAK_PASSWORD')
  assert.equal(await register('minga llama quinoa'), '200')
})
