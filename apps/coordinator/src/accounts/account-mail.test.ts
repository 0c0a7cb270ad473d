// Goal: an address counts when its owner confirmed it, and by it alone people get back in without
// an operator; no one can find out who has an account. Method: a whole station with a real mail
// server on loopback, on virtual time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMailServer } from '../../test/watch/alerts/smtp-fixture.ts'
import { TOKENS } from '../../test/station-fixture.ts'
import { openPeople, PASSWORD } from '../../test/accounts/people-fixture.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const server = await openMailServer()
const people = await openPeople({ mail: { smtpUrl: server.url, from: 'minga@station.test' } })
const { clock } = people.station

/** The link in the newest of so many mails, as plain text has it. */
async function linkIn(mails: number): Promise<URL> {
  await server.received(mails)
  const text = server.last.raw.replaceAll('=\r\n', '').replaceAll('=3D', '=')
  return new URL(/http:\/\/\S+#\S+/.exec(text)![0])
}
const tokenIn = async (mails: number): Promise<string> => (await linkIn(mails)).hash.slice(1)
const requestReset = (account: string): Promise<string> =>
  people.outcome(null, 'POST', '/resets/by-mail', { account })
const useReset = (token: string, password: string): Promise<string> =>
  people.outcome(null, 'POST', '/resets/use', { token, password })

async function withEmail(name: string, email: string): Promise<string> {
  const { token } = await people.person(name, 'client')
  const { length } = server.mails
  await people.ok(token, 'POST', '/me/email', { email, password: PASSWORD })
  await people.ok(null, 'POST', '/email/confirm', { token: await tokenIn(length + 1) })
  return token
}

test('an address counts from when its link is opened, which needs the password and works once', async () => {
  const { id, token } = await people.person('mail.ana', 'reader')
  const emailOf = async (): Promise<unknown> =>
    (await people.ok<{ email: unknown }>(token, 'GET', '/me')).email
  const email = 'Ana@a.test'
  const wrong = { email, password: 'not the password' }
  assert.equal(await people.outcome(token, 'POST', '/me/email', wrong), '401 MINGA_BAD_LOGIN')
  const { secret } = await people.key(token)
  const right = { email, password: PASSWORD, language: 'es' }
  assert.equal(await people.outcome(secret, 'POST', '/me/email', right), '403 MINGA_FORBIDDEN')
  await people.ok(token, 'POST', '/me/email', right)
  assert.equal(await emailOf(), null)
  const link = await linkIn(1)
  assert.equal(link.href.split('#')[0], 'http://localhost/confirm-email')
  assert.equal(server.last.to, email)
  assert.match(server.last.headers.get('subject')!, /Confirma/)
  const use = { token: link.hash.slice(1) }
  assert.deepEqual(await people.ok(null, 'POST', '/email/confirm', use), {
    name: 'mail.ana',
    email,
  })
  assert.equal(await emailOf(), email)
  const again = await people.outcome(null, 'POST', '/email/confirm', use)
  assert.equal(again, '400 MINGA_EMAIL_LINK_INVALID')
  await people.ok(token, 'DELETE', '/me/email')
  assert.equal(await emailOf(), null)
  assert.deepEqual((await people.acts(id)).slice(-2), [
    ['account:email', id],
    ['account:email-removed', id],
  ])
})

test('a link that is older than an hour, or overtaken, confirms nothing', async () => {
  const { token } = await people.person('mail.late', 'reader')
  const { length } = server.mails
  const body = { email: 'late@a.test', password: PASSWORD }
  await people.ok(token, 'POST', '/me/email', body)
  const first = await tokenIn(length + 1)
  const other = { ...body, email: 'later@a.test' }
  await people.ok(token, 'POST', '/me/email', other)
  const second = await tokenIn(length + 2)
  const use = (link: string): Promise<string> =>
    people.outcome(null, 'POST', '/email/confirm', { token: link })
  assert.equal(await use(first), '400 MINGA_EMAIL_LINK_INVALID')
  await clock.advance(HOUR_MS)
  assert.equal(await use(second), '400 MINGA_EMAIL_LINK_INVALID')
})

test('a mailed link gives a new password once, and ends sessions, keys and other links', async () => {
  const session = await withEmail('mail.ben', 'ben@a.test')
  const { secret } = await people.key(session)
  const byOperator = { account: 'mail.ben' }
  const made = await people.ok<{ token: string }>(TOKENS.apiKey, 'POST', '/resets', byOperator)
  const { length } = server.mails
  assert.equal(await requestReset('BEN@a.test'), '200')
  const token = await tokenIn(length + 1)
  assert.equal((await linkIn(length + 1)).pathname, '/reset')
  assert.equal(await useReset(token, 'another llama quinoa'), '200')
  assert.equal(await useReset(token, 'a third llama quinoa'), '400 MINGA_RESET_INVALID')
  assert.equal(await useReset(made.token, 'a third llama quinoa'), '400 MINGA_RESET_INVALID')
  assert.equal(await people.outcome(session, 'GET', '/me'), '401 MINGA_NOT_ALLOWED')
  assert.equal(await people.outcome(secret, 'GET', '/me'), '401 MINGA_KEY_REVOKED')
  await people.logIn('mail.ben', 'another llama quinoa')
})

test('the answer is the same for names without an account or without an address, which get no mail', async () => {
  await people.person('mail.none', 'reader')
  await withEmail('mail.cleo', 'cleo@a.test')
  await clock.advance(HOUR_MS)
  const { length } = server.mails
  const answers = await Promise.all(
    ['mail.nobody', 'mail.none', 'nobody@a.test', 'mail.cleo'].map((account) =>
      people.call(null, 'POST', '/resets/by-mail', { account }),
    ),
  )
  for (const answer of answers) assert.deepEqual(answer, { status: 200, body: {} })
  // They are sent one after another: what would have come before this one is not there.
  await server.received(length + 1)
  assert.equal(server.mails.length, length + 1)
  assert.equal(server.last.to, 'cleo@a.test')
})

test('mailed links last an hour, an operator’s stays valid in addition, and requests are limited', async () => {
  await withEmail('mail.dora', 'dora@a.test')
  await clock.advance(HOUR_MS)
  const byOperator = { account: 'mail.dora' }
  const made = await people.ok<{ token: string }>(TOKENS.apiKey, 'POST', '/resets', byOperator)
  const { length } = server.mails
  for (let i = 0; i < 3; i++) assert.equal(await requestReset('mail.dora'), '200')
  assert.equal(await requestReset('mail.dora'), '429 MINGA_RATE_LIMITED')
  const token = await tokenIn(length + 3)
  await clock.advance(HOUR_MS)
  assert.equal(await useReset(token, 'another llama quinoa'), '400 MINGA_RESET_INVALID')
  assert.equal(await useReset(made.token, 'another llama quinoa'), '200')
})

test('however many users request it, an address gets one confirmation a day and three a month, those of alerts included', async () => {
  const DAY_MS = 24 * HOUR_MS
  const wanted = { email: 'Stranger@a.test', password: PASSWORD }
  const request = async (name: string): Promise<string> => {
    const { token } = await people.person(name, 'client')
    const outcome = await people.outcome(token, 'POST', '/me/email', wanted)
    await people.ok(token, 'POST', '/me/deletion', { password: PASSWORD })
    return outcome
  }
  const { length } = server.mails
  const outcomes: string[] = []
  for (const name of ['pest.one', 'pest.two']) outcomes.push(await request(name))
  await clock.advance(DAY_MS)
  outcomes.push(await request('pest.three'))
  await clock.advance(DAY_MS)
  const target = { channel: 'email', target: 'stranger@A.test' }
  await people.ok(TOKENS.apiKey, 'POST', '/alerts', target)
  await people.station.tick()
  await server.received(length + 3)
  await clock.advance(DAY_MS)
  outcomes.push(await request('pest.four'))
  assert.deepEqual(outcomes, ['200', '429 MINGA_RATE_LIMITED', '200', '429 MINGA_RATE_LIMITED'])
  assert.equal(server.mails.length, length + 3)
  await clock.advance(30 * DAY_MS)
  assert.equal(await request('pest.five'), '200')
})

test('an address that refused mails of the station gets no confirmation of an account', async () => {
  await people.ok(TOKENS.apiKey, 'POST', '/alerts/suppressed', { address: 'never@a.test' })
  const { token } = await people.person('mail.never', 'client')
  const { length } = server.mails
  const body = { email: 'Never@a.test', password: PASSWORD }
  assert.equal(await people.outcome(token, 'POST', '/me/email', body), '400 MINGA_ALERT_REFUSED')
  assert.equal(server.mails.length, length)
})

test('a mail that the server refuses is reported to who waits for it, without what the server said', async () => {
  const { token } = await people.person('mail.refused', 'reader')
  server.answer = '550 relay.inner.test says no'
  const body = { email: 'refused@a.test', password: PASSWORD }
  const { status, body: said } = await people.call(token, 'POST', '/me/email', body)
  server.answer = '250 taken'
  assert.equal(status, 502)
  await people.ok(token, 'POST', '/me/email', body)
  assert.ok(!JSON.stringify(said).includes('inner'))
})

test('without a mail server there is no way in by mail, and the page can know', async () => {
  const without = await openPeople()
  const options = await without.ok(null, 'GET', '/log-in-options')
  assert.deepEqual(options, { resetsByMail: false, passkeys: true, oidc: null })
  const reset = await without.outcome(null, 'POST', '/resets/by-mail', { account: 'ana' })
  assert.equal(reset, '409 MINGA_NO_MAIL_SERVER')
  assert.deepEqual(await people.ok(null, 'GET', '/log-in-options'), {
    resetsByMail: true,
    passkeys: true,
    oidc: null,
  })
})
