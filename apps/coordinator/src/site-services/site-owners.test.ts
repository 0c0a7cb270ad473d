// Goal: an owner proves a host, slows or stops the fleet there and takes it back, without an
// account and without a script; no one else can. Method: a whole station on virtual time with a
// synthetic web, by its API and by its forms; DNS from a name server on loopback.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import type { CollectionStatus } from '@minga/protocol'
import { startTestDns } from '../../../../packages/net/test/dns-fixture.ts'
import { ENGINES } from '../../../../packages/store/test/contract-engines.ts'
import { BOT_WORDS, languageOf } from './bot-words.ts'
import { html } from '../http/html.ts'
import {
  openStation,
  TOKENS,
  type Said,
  type TestStation,
  type Web,
} from '../../test/station-fixture.ts'

const dns = await startTestDns()
after(() => dns.close())
const station = await openStation({ dnsServers: [dns.server] })
await station.hello()

interface Opened {
  id: string
  secret: string
  token: string
}

interface Checked {
  provenBy: string | null
  fileNote: string | null
  dnsNote: string | null
}

function call(
  of: TestStation,
  method: 'POST' | 'PUT' | 'DELETE',
  url: string,
  payload: object,
): Promise<Said> {
  return of.inject({ method, url: `/api/site-owners${url}`, payload })
}

async function open(host: string, of = station): Promise<Opened> {
  const said = await call(of, 'POST', '/proofs', { host })
  assert.equal(said.status, 200, JSON.stringify(said.body))
  return said.body as Opened
}

/** Longer than the store takes: virtual patience must not end while it works. */
function moment(): Promise<false> {
  return new Promise((resolve) => setTimeout(() => resolve(false), 10))
}

/** Checks while an agent works: the file is fetched in the meantime. */
async function check({ id, secret }: Opened, web: Web, of = station): Promise<Checked> {
  const checking = call(of, 'POST', `/proofs/${id}/check`, { secret })
  const isOver = checking.then(() => true)
  while (!(await Promise.race([isOver, moment()]))) {
    // To its end: an open question would take what the next check is about.
    const { block } = await of.device.ask(of.clock)
    if (block) await of.send(of.fetch(block, web))
  }
  const said = await checking
  assert.equal(said.status, 200, JSON.stringify(said.body))
  return said.body as Checked
}

async function proven(host: string, of = station): Promise<Opened> {
  const opened = await open(host, of)
  dns.txt.set(`_minga-proof.${host}`, [`minga-proof=${opened.token}`])
  assert.equal((await check(opened, {}, of)).provenBy, 'dns')
  return opened
}

test('a file on the host proves it; robots.txt does not forbid it and no other file counts', async () => {
  const opened = await open('file.example.org')
  const path = 'file.example.org/.well-known/minga-proof.txt'
  const missing = await check(opened, {})
  assert.equal(missing.provenBy, null)
  assert.match(missing.fileNote!, /https: HTTP 404/)
  assert.equal(missing.dnsNote, 'no TXT record with the token')
  await station.clock.advance(60_000)
  const elsewhere = await check(opened, {
    [`https://${path}`]: { status: 302, headers: [['Location', 'https://evil.example/']] },
    [`http://${path}`]: { body: 'another token' },
    'https://evil.example/': { body: opened.token },
  })
  assert.equal(elsewhere.provenBy, null)
  assert.match(elsewhere.fileNote!, /https: HTTP 302; http: HTTP 200, without the token/)
  await station.clock.advance(60_000)
  const there = await check(opened, {
    [`https://${path}`]: { body: `hello\n${opened.token}\n`, type: 'text/plain' },
    'https://file.example.org/robots.txt': { body: 'User-agent: *\nDisallow: /' },
  })
  assert.equal(there.provenBy, 'file')
})

test('what a file proves is its host alone; DNS speaks for everything below the name', async () => {
  const file = await open('narrow.example.org')
  await check(file, {
    'https://narrow.example.org/.well-known/minga-proof.txt': { body: file.token },
  })
  const stop = { secret: file.secret, effect: 'stop' }
  const wide = { ...stop, host: '*.narrow.example.org' }
  const refused = await call(station, 'PUT', `/proofs/${file.id}/rule`, wide)
  assert.equal(refused.status, 403)
  assert.match(JSON.stringify(refused.body), /MINGA_PROOF_TOO_NARROW/)
  const byDns = await proven('wide.example.org')
  for (const host of ['*.wide.example.org', 'wide.example.org']) {
    const rule = { secret: byDns.secret, effect: 'stop', host }
    assert.equal((await call(station, 'PUT', `/proofs/${byDns.id}/rule`, rule)).status, 200)
  }
  for (const host of ['example.org', '*.example.org', 'other.org']) {
    const rule = { secret: byDns.secret, effect: 'stop', host }
    const said = await call(station, 'PUT', `/proofs/${byDns.id}/rule`, rule)
    assert.equal(said.status, 403, host)
  }
})

test('an opt-out ends queued work as denied, refuses new work, and is undone by the owner', async () => {
  const owner = await proven('quiet.example.org')
  const { id } = await station.collect({
    seeds: ['https://quiet.example.org/a', 'https://quiet.example.org/b'],
    delayMs: 0,
  })
  const rule = { secret: owner.secret, host: 'quiet.example.org' }
  const put = await call(station, 'PUT', `/proofs/${owner.id}/rule`, { ...rule, effect: 'stop' })
  assert.equal((put.body as { isClosed: boolean }).isClosed, true)
  const status = (await station.get(`/collections/${id}`)).body as CollectionStatus
  assert.deepEqual(
    { queued: status.queued, errors: status.errors },
    { queued: 0, errors: { MINGA_SITE_OPTED_OUT: 2 } },
  )
  const batch = (await station.post('/batches', { urls: ['https://quiet.example.org/c'] })).body
  const { id: batchId } = batch as { id: string }
  const results = await station.app.inject({
    url: `/api/batches/${batchId}/results`,
    headers: { host: 'localhost', authorization: `Bearer ${TOKENS.apiKey}` },
  })
  assert.match(results.body, /"outcome":"denied".*"code":"MINGA_SITE_OPTED_OUT"/)
  const wrong = { ...rule, secret: 'guessed' }
  assert.equal((await call(station, 'DELETE', `/proofs/${owner.id}/rule`, wrong)).status, 404)
  const undone = await call(station, 'DELETE', `/proofs/${owner.id}/rule`, rule)
  assert.equal((undone.body as { isClosed: boolean }).isClosed, false)
})

test('a closed host may be opened again with a new proof by its file', async () => {
  const first = await proven('sold.example.org')
  const stop = { secret: first.secret, host: 'sold.example.org', effect: 'stop' }
  await call(station, 'PUT', `/proofs/${first.id}/rule`, stop)
  dns.txt.clear()
  const second = await open('sold.example.org')
  const url = 'http://sold.example.org/.well-known/minga-proof.txt'
  assert.equal((await check(second, { [url]: { body: second.token } })).provenBy, 'file')
  const undo = { secret: second.secret, host: 'sold.example.org' }
  const undone = await call(station, 'DELETE', `/proofs/${second.id}/rule`, undo)
  assert.equal((undone.body as { isClosed: boolean }).isClosed, false)
})

test('the owner sees how much was requested, day by day, and no one without the secret does', async () => {
  await station.crawl(
    { seeds: ['http://seen.example.org/'], scope: 'page' },
    { 'http://seen.example.org/': { body: 'hello' } },
  )
  const owner = await proven('seen.example.org')
  const { secret } = owner
  const said = await call(station, 'POST', `/proofs/${owner.id}/asked`, { secret })
  const { days } = said.body as { days: { responses: number; errors: number; bytes: number }[] }
  // The page, the robots.txt that is not there, and perhaps the proof's file that is not there.
  const [today] = days
  assert.equal(today!.bytes, 5)
  assert.equal(today!.responses - today!.errors, 1)
  assert.ok(today!.errors >= 1)
  const guessed = await call(station, 'POST', `/proofs/${owner.id}/asked`, { secret: 'x' })
  assert.equal(guessed.status, 404)
})

test('hosts that are none, and private ones, are refused', async () => {
  for (const host of ['', 'http://a.org/', '*.a.org', '10.0.0.1', 'localhost', 'a b']) {
    const { status } = await call(station, 'POST', '/proofs', { host })
    assert.equal(status, 400, host)
  }
})

test('asking about addresses, opening and checking proofs are limited', async () => {
  const limited = await openStation({ dnsServers: [dns.server] })
  const question = { host: 'a.example.org', address: '192.0.2.1', at: '2026-05-05T23:00:00' }
  const statuses: number[] = []
  for (let tries = 0; tries < 12; tries++) {
    statuses.push((await call(limited, 'POST', '/address', question)).status)
  }
  assert.deepEqual(statuses, [...Array<number>(10).fill(200), 429, 429])
  const opened: number[] = []
  for (let tries = 0; tries < 11; tries++) {
    opened.push((await call(limited, 'POST', '/proofs', { host: 'a.example.org' })).status)
  }
  assert.deepEqual(opened, [...Array<number>(10).fill(200), 429])
})

async function post(path: string, fields: Record<string, string>, headers: object = {}) {
  return station.app.inject({
    method: 'POST',
    url: path,
    headers: {
      host: 'localhost',
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    },
    payload: new URLSearchParams(fields).toString(),
  })
}

test('the page says who this is in three languages, runs nothing and loads nothing', async () => {
  for (const [accepted, language] of [
    ['es-PE,es;q=0.9', 'es'],
    ['fr, pt-BR;q=0.8, en;q=0.5', 'pt'],
    ['de', 'en'],
  ] as const) {
    const headers = { host: 'localhost', 'accept-language': accepted }
    const response = await station.app.inject({ url: '/bot', headers })
    assert.equal(response.statusCode, 200)
    assert.match(response.body, new RegExp(`<html lang="${language}">`))
    assert.ok(response.body.includes(BOT_WORDS[language].title))
    assert.ok(response.body.includes('MingaBot'))
    assert.ok(!/<script|https?:\/\/(?!)/.test(response.body))
    const policy = String(response.headers['content-security-policy'])
    assert.match(policy, /^default-src 'none'; style-src 'sha256-[\w+/=]+'; form-action 'self'/)
    const style = /<style>([^]*)<\/style>/.exec(response.body)![1]!
    assert.ok(policy.includes(createHash('sha256').update(style).digest('base64')))
  }
  const foreign = { host: 'rebound.example', 'accept-language': 'en' }
  assert.equal((await station.app.inject({ url: '/bot', headers: foreign })).statusCode, 401)
})

test('who chooses a language on the page keeps it through every step', async () => {
  const headers = { host: 'localhost', 'accept-language': 'en', origin: 'http://localhost' }
  const first = await station.app.inject({ url: '/bot?language=pt', headers })
  assert.match(first.body, /<html lang="pt">/)
  assert.match(first.body, /lang="pt"[^>]*aria-current="true"/)
  const actions = [...first.body.matchAll(/action="([^"]+)"/g)].map((match) => match[1]!)
  assert.ok(actions.length >= 3)
  assert.ok(actions.every((action) => action.endsWith('?language=pt')))
  const wrong = await station.app.inject({
    method: 'POST',
    url: actions[0]!,
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'host=',
  })
  assert.equal(wrong.statusCode, 400)
  assert.match(wrong.body, /<html lang="pt">/)
  const nonsense = await station.app.inject({ url: '/bot?language=__proto__', headers })
  assert.match(nonsense.body, /<html lang="en">/)
})

test('languages are chosen by weight, and nonsense is English', () => {
  assert.equal(languageOf('en;q=0.1, pt;q=0.9'), 'pt')
  assert.equal(languageOf('es;q=0, pt;q=0.1'), 'pt')
  assert.equal(languageOf(undefined), 'en')
  assert.equal(languageOf(';;;q=x,,constructor'), 'en')
})

test('what is put into the page stays text', () => {
  assert.equal(html`<a b="${'"><script>&'}">`.text, '<a b="&quot;&gt;&lt;script&gt;&amp;">')
})

test('the whole way by forms: open, publish, check, slow down, stop, undo', async () => {
  const begun = await post('/bot/proof', { host: 'form.example.org' })
  assert.equal(begun.statusCode, 200)
  const field = (name: string): string =>
    new RegExp(`name="${name}" value="([^"]+)"`).exec(begun.body)![1]!
  const proof = { id: field('id'), secret: field('secret') }
  const record = /minga-proof=minga-[0-9a-f]+/.exec(begun.body)![0]
  dns.txt.set('_minga-proof.form.example.org', [record])
  const checking = post('/bot/check', proof)
  const isOver = checking.then(() => true)
  while (!(await Promise.race([isOver, moment()]))) await station.clock.advance(250)
  const { body } = await checking
  assert.match(body, /It is yours\./)
  assert.match(body, /<option>\*\.form\.example\.org<\/option>/)
  const host = 'form.example.org'
  const slowed = await post('/bot/rule', { ...proof, host, effect: 'slow', delayS: '45' })
  assert.match(slowed.body, /Pause between two requests, in seconds: 45/)
  const stopped = await post('/bot/rule', { ...proof, host, effect: 'stop' })
  assert.match(stopped.body, /Nothing is fetched from this host\./)
  const undone = await post('/bot/undo', { ...proof, host })
  assert.match(undone.body, /robots\.txt decides\./)
})

test('a form that is wrong, foreign or too large changes nothing and says so in the page', async () => {
  const bad = await post('/bot/proof', { host: '<script>alert(1)</script>' })
  assert.equal(bad.statusCode, 400)
  assert.match(bad.body, /role="alert"/)
  assert.ok(!bad.body.includes('<script>'))
  const unknown = await post('/bot/rule', {
    id: 'proof_x',
    secret: 'x',
    host: 'a.org',
    effect: 'stop',
  })
  assert.equal(unknown.statusCode, 404)
  const foreign = await post('/bot/proof', { host: 'a.org' }, { origin: 'https://evil.example' })
  assert.equal(foreign.statusCode, 401)
  const large = await post('/bot/proof', { host: 'a'.repeat(10_000) })
  assert.equal(large.statusCode, 413)
  const time = await post('/bot/address', { host: 'a.org', address: '192.0.2.1', at: 'yesterday' })
  assert.equal(time.statusCode, 400)
})

for (const engine of ENGINES) {
  test(`prove, count, stop and undo on ${engine.name}`, { skip: engine.skip }, async () => {
    const other = await openStation({ engine, dnsServers: [dns.server] })
    const seed = 'http://both.example.org/'
    await other.crawl({ seeds: [seed], scope: 'page' }, { [seed]: { body: 'hello' } })
    const { id, secret } = await proven('both.example.org', other)
    const asked = (await call(other, 'POST', `/proofs/${id}/asked`, { secret })).body as {
      days: { responses: number }[]
    }
    assert.ok(asked.days[0]!.responses >= 2)
    const rule = { secret, host: '*.both.example.org' }
    const put = await call(other, 'PUT', `/proofs/${id}/rule`, { ...rule, effect: 'stop' })
    assert.equal((put.body as { isClosed: boolean }).isClosed, true)
    const undone = await call(other, 'DELETE', `/proofs/${id}/rule`, rule)
    assert.equal((undone.body as { isClosed: boolean }).isClosed, false)
  })
}
