// Goal: a sign-in link opens one session of its maker's account, soon, and only where its maker may do all that the
// account may. Method: a station closed to the network, with links used again, late, and made by lesser keys.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TOKENS } from '../../test/station-fixture.ts'
import { openPeople } from '../../test/accounts/people-fixture.ts'

const QUARTER_MS = 15 * 60_000
const people = await openPeople({ readOpenly: false, registration: 'operator' })

const linkOf = async (key: string): Promise<{ token: string; expiresAt: number }> =>
  people.ok(key, 'POST', '/sign-in-links', {})
const use = (token: string): Promise<string> =>
  people.outcome(null, 'POST', '/sessions/by-link', { token })

test('a link opens one session, and what is left of it in a log opens none', async () => {
  const { token, expiresAt } = await linkOf(TOKENS.apiKey)
  assert.equal(expiresAt, people.station.clock.now() + QUARTER_MS)
  const { status, body } = await people.call(null, 'POST', '/sessions/by-link', { token })
  assert.equal(status, 200)
  assert.equal((body as { account: { name: string } }).account.name, 'operator')
  assert.equal(await use(token), '400 MINGA_SIGN_IN_LINK_INVALID')
  assert.ok(!JSON.stringify(body).includes(TOKENS.apiKey))
})

test('a link ends after a quarter of an hour, and with the key that made it', async () => {
  const { token: late } = await linkOf(TOKENS.apiKey)
  await people.station.clock.advance(QUARTER_MS)
  assert.equal(await use(late), '400 MINGA_SIGN_IN_LINK_INVALID')
  const { key, secret } = await people.key(TOKENS.apiKey)
  const { token } = await linkOf(secret)
  await people.ok(TOKENS.apiKey, 'DELETE', `/keys/${key.id}`)
  assert.equal(await use(token), '400 MINGA_SIGN_IN_LINK_INVALID')
})

test('neither a session nor a key with fewer rights than its account makes one', async () => {
  const { token } = await people.person('ana', 'reader')
  assert.match(await people.outcome(token, 'POST', '/sign-in-links', {}), /^401/)
  const { secret } = await people.key(TOKENS.apiKey, ['captures:read'])
  assert.match(await people.outcome(secret, 'POST', '/sign-in-links', {}), /^401/)
})
