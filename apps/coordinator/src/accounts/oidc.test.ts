// Goal: users whom the operator's issuer vouches for get into their own account and into no other.
// Method: a whole station and a small real issuer on loopback, with forged, replayed and late
// answers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IdentityView } from '@minga/protocol'
import { newSecretsFile } from '../station/secrets/secrets-file.ts'
import { StationSecrets } from '../station/secrets/station-secrets.ts'
import { TOKENS } from '../../test/station-fixture.ts'
import { CLIENT_ID, CLIENT_SECRET, openIssuer } from '../../test/accounts/oidc-fixture.ts'
import { openPeople, PASSWORD, type People } from '../../test/accounts/people-fixture.ts'

const MINUTE_MS = 60_000
const REFUSED = '401 MINGA_OIDC_REFUSED'
const issuer = await openIssuer()
const oidc = { issuer: issuer.url, clientId: CLIENT_ID, label: 'the town' }
const secrets = new StationSecrets({ ...newSecretsFile(null), oidcClientSecret: CLIENT_SECRET })
const people = await openPeople({
  oidc,
  secrets,
  allowPrivateAddresses: true,
  addressesOf: () => ['127.0.0.1'],
  registration: 'operator',
  flags: { oidcRegistration: 'on' },
})
const { clock } = people.station

interface Begun {
  url: string
  flow: string
}

const begin = (): Promise<Begun> => people.ok(null, 'POST', '/sessions/oidc-begin')

/** What the browser brings back from the issuer. */
async function visit({ url, flow }: Begun): Promise<{ flow: string; query: string }> {
  const { status, headers } = await fetch(url, { redirect: 'manual' })
  assert.equal(status, 302)
  const back = new URL(headers.get('location')!)
  assert.equal(back.origin + back.pathname, 'http://localhost/log-in/answer')
  return { flow, query: back.search }
}
const finish = (answered: object): Promise<string> =>
  people.outcome(null, 'POST', '/sessions/by-oidc', answered)

async function nameOf(subject: string, username: string): Promise<string> {
  Object.assign(issuer, { subject, username })
  const answered = await visit(await begin())
  const opened = await people.ok<{ account: { name: string } }>(
    null,
    'POST',
    '/sessions/by-oidc',
    answered,
  )
  return opened.account.name
}

test('the first log-in makes an account, and later ones lead to it whatever the person is called', async () => {
  assert.equal(await nameOf('s-rosa', 'rosa'), 'rosa')
  assert.equal(await nameOf('s-rosa', 'rosalia'), 'rosa')
})

test('a name that is already taken here does not give access to the existing account', async () => {
  const { id } = await people.account('pablo', ['operator'])
  assert.equal(await nameOf('s-pablo', 'Pablo'), 'Pablo-2')
  assert.equal(await nameOf('s-op', 'operator'), 'operator-2')
  assert.match(await nameOf('s-odd', '<>'), /^oidc-[0-9a-f]{20}$/)
  const shown = JSON.stringify(await people.ok(TOKENS.apiKey, 'GET', `/accounts/${id}/export`))
  assert.ok(!shown.includes('account_identities'))
})

test('tokens for other stations, of other issuers, with another nonce or key, and old ones are refused', async () => {
  const forged: Record<string, unknown>[] = [
    { aud: 'another station' },
    { iss: 'https://other.test' },
    { nonce: 'another nonce' },
    { nonce: undefined },
    { exp: 1_000 },
    { sub: undefined },
  ]
  for (const change of forged) {
    issuer.forge = (claims) => ({ ...claims, ...change })
    assert.equal(await finish(await visit(await begin())), REFUSED, JSON.stringify(change))
  }
  issuer.forge = (claims) => claims
  issuer.usesForeignKey = true
  assert.equal(await finish(await visit(await begin())), REFUSED)
  issuer.usesForeignKey = false
})

test('an answer belongs to one flow, counts once, and within ten minutes', async () => {
  const [mine, theirs] = [await visit(await begin()), await visit(await begin())]
  assert.equal(await finish({ flow: mine.flow, query: theirs.query }), REFUSED, 'another state')
  assert.equal(await finish({ ...mine, flow: `${mine.flow}A` }), REFUSED)
  const open = JSON.stringify({ purpose: 'log-in', state: 's', nonce: 'n', verifier: 'v' })
  assert.equal(await finish({ ...mine, flow: open }), REFUSED, 'what is not encrypted here')
  assert.equal(await finish(theirs), '200')
  assert.equal(await finish(theirs), REFUSED, 'the code was used')
  const late = await visit(await begin())
  await clock.advance(10 * MINUTE_MS)
  assert.equal(await finish(late), REFUSED)
  const denied = await begin()
  const state = new URL(denied.url).searchParams.get('state')!
  const query = `?${new URLSearchParams({ error: 'access_denied', state }).toString()}`
  assert.equal(await finish({ flow: denied.flow, query }), REFUSED)
})

test('who has an account links it with their password, and then both ways lead to it', async () => {
  const { id, token } = await people.person('linda', 'client')
  const start = (password: string): Promise<string> =>
    people.outcome(token, 'POST', '/me/identities/begin', { password })
  assert.equal(await start('not the password'), '401 MINGA_BAD_LOGIN')
  Object.assign(issuer, { subject: 's-linda', username: 'linda' })
  const linking = async (): Promise<object> =>
    visit(await people.ok<Begun>(token, 'POST', '/me/identities/begin', { password: PASSWORD }))
  const answered = await linking()
  const { token: other } = await people.person('lionel', 'reader')
  assert.equal(await people.outcome(other, 'POST', '/me/identities', answered), REFUSED)
  assert.equal(await finish(answered), REFUSED, 'a link is no log-in')
  assert.equal(await people.outcome(token, 'POST', '/me/identities', await linking()), '200')
  assert.equal(await nameOf('s-linda', 'linda'), 'linda')
  const taken = await people.outcome(token, 'POST', '/me/identities', await linking())
  assert.equal(taken, '409 MINGA_IDENTITY_TAKEN')
  const [identity] = await people.ok<IdentityView[]>(token, 'GET', '/me/identities')
  assert.equal(identity!.issuer, issuer.url)
  await people.ok(TOKENS.apiKey, 'PATCH', '/settings', { oidcRegistration: 'off' })
  await people.ok(token, 'DELETE', `/me/identities/${identity!.id}`)
  const [, ...acts] = await people.acts(id)
  assert.deepEqual(acts, [
    ['account:linked', id],
    ['account:unlinked', id],
  ])
  assert.equal(await finish(await visit(await begin())), '403 MINGA_UNKNOWN_IDENTITY')
})

test('a reset link removes what was linked with the former password, and leaves the only way in', async () => {
  await people.ok(TOKENS.apiKey, 'PATCH', '/settings', { oidcRegistration: 'off' })
  const { token } = await people.person('maria', 'reader')
  Object.assign(issuer, { subject: 's-maria', username: 'maria' })
  const path = '/me/identities/begin'
  const begun = await people.ok<Begun>(token, 'POST', path, { password: PASSWORD })
  await people.ok(token, 'POST', '/me/identities', await visit(begun))
  const reset = async (account: string): Promise<void> => {
    const made = await people.ok<{ token: string }>(TOKENS.apiKey, 'POST', '/resets', { account })
    const body = { token: made.token, password: 'another llama quinoa' }
    await people.ok(null, 'POST', '/resets/use', body)
  }
  await reset('maria')
  assert.equal(await finish(await visit(await begin())), '403 MINGA_UNKNOWN_IDENTITY')
  await reset('rosa')
  assert.equal(await nameOf('s-rosa', 'rosa'), 'rosa')
})

test('an issuer at a private address is not called unless that is permitted, and without one there is none', async () => {
  const outcome = (station: People): Promise<string> =>
    station.outcome(null, 'POST', '/sessions/oidc-begin')
  const guarded = await openPeople({ oidc, secrets, addressesOf: () => ['127.0.0.1'] })
  assert.equal(await outcome(guarded), REFUSED)
  const without = await openPeople()
  assert.equal(await outcome(without), '409 MINGA_OIDC_OFF')
  const options = { resetsByMail: false, passkeys: true }
  const read = (station: People): Promise<unknown> => station.ok(null, 'GET', '/log-in-options')
  assert.deepEqual(await read(without), { ...options, oidc: null })
  assert.deepEqual(await read(people), { ...options, oidc: 'the town' })
})
