// Goal: a change of a watched page reaches people by webhook, e-mail and feed, readable, signed and
// safe, and they can end it. Method: a whole station with a synthetic web, and a real mail server
// and a real webhook receiver on loopback.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { parseFeed, type Feed } from '@minga/net'
import type { AlertRequest, AlertView, DeliveryView, NewAlertView } from '@minga/protocol'
import { openPeople } from '../../../test/accounts/people-fixture.ts'
import { listener } from '../../../test/clients/webhook-fixture.ts'
import { openWatchStation, type WatchStation } from '../../../test/watch/visits/watch-fixture.ts'
import { agree } from '../../../test/watch/alerts/mailbox-fixture.ts'
import { openMailServer, type FakeMailServer } from '../../../test/watch/alerts/smtp-fixture.ts'

const HOUR_MS = 3_600_000
const PAGE_URL = 'https://news.test/'
const SETTLED = [
  'The bridge is closed on Mondays.',
  'Boats leave at seven and at nine.',
  'Fish is sold at the old harbour.',
]
const page = (word: string) => ({
  body: `<html><title>News</title><body><main><p>Herds of ${word} were seen near the river and up in
    the hills today, more ${word} than ever before, said Rosa.</p>
    ${SETTLED.map((text) => `<p>${text}</p>`).join('')}</main></body></html>`,
})

const smtp = await openMailServer()
const watched = await openWatchStation({
  allowPrivateAddresses: true,
  addressesOf: () => ['127.0.0.1'],
  publicUrl: 'https://minga.example',
  mail: { smtpUrl: smtp.url, from: 'Minga <alerts@minga.example>' },
})
const { station } = watched

/** An alert that may be sent: a mailbox has agreed to it. */
async function alert(request: AlertRequest): Promise<NewAlertView> {
  const said = await station.post('/alerts', request)
  assert.equal(said.status, 200, JSON.stringify(said.body))
  const made = said.body as NewAlertView
  if (made.mailbox === 'unconfirmed') await agree(station, smtp, made.target)
  return made
}

/** What was sent but for confirmations. */
const alertMails = (): FakeMailServer['mails'] =>
  smtp.mails.filter(({ headers: head }) => !head.get('message-id')!.startsWith('<confirm_'))

const headers = { authorization: 'Bearer the key of writers' }

async function deliveries(): Promise<DeliveryView[]> {
  return (await station.inject({ url: '/api/alerts/deliveries', headers })).body as DeliveryView[]
}

/** Time passes until what is found is sent; what is sent is waited for. */
async function send({ station: of }: WatchStation): Promise<void> {
  for (let rounds = 0; rounds < 3; rounds++) {
    await of.clock.advance(1_000)
    await of.tick()
  }
  while ((await deliveries()).some(({ state }) => state === 'sending')) {
    await new Promise((resolve) => setImmediate(resolve))
  }
}

async function changeTo(word: string): Promise<void> {
  watched.web[PAGE_URL] = page(word)
  await watched.pass(2 * HOUR_MS)
  await send(watched)
}

watched.web = { [PAGE_URL]: page('llamas') }
const watch = await watched.watch({ urls: [PAGE_URL], name: 'News & <more>', periodMs: HOUR_MS })
await watched.pass(HOUR_MS)

test('a change is sent to a webhook with what changed and a signature that the secret verifies', async () => {
  const hook = await listener(() => 204)
  const { secret, id } = await alert({ watchId: watch.id, channel: 'webhook', target: hook.url })
  await changeTo('vicuñas')
  assert.equal(hook.heard.length, 1)
  const { body, headers: sent } = hook.heard[0]!
  const [, at, signature] = /^t=(\d+),v1=(\w+)$/.exec(String(sent['minga-signature']))!
  assert.equal(signature, createHmac('sha256', secret!).update(`${at}.${body}`).digest('hex'))
  const said = JSON.parse(body) as { event: string; alerts: Record<string, unknown>[] }
  assert.equal(said.event, 'watch.alerts')
  const [told] = said.alerts
  assert.deepEqual(
    [told!['kind'], told!['watchName'], told!['url'], told!['isImportant']],
    ['changed', 'News & <more>', PAGE_URL, true],
  )
  assert.match(String(told!['excerpt']), /^- Herds of \[-llamas-\] were seen/m)
  assert.match(String(told!['excerpt']), /^\+ Herds of \{\+vicuñas\+\} were seen/m)
  assert.ok(String(told!['excerpt']).split('\n').length <= 21)
  // Shown once: it cannot be read again.
  const listed = (await station.inject({ url: '/api/alerts', headers })).body as AlertView[]
  assert.ok(!JSON.stringify(listed).includes(secret!))
  await station.inject({ method: 'DELETE', url: `/api/alerts/${id}`, headers })
})

test('an e-mail says what changed in plain text and in HTML that nothing breaks out of, and can be ended by one click', async () => {
  const { id } = await alert({
    channel: 'email',
    target: 'ana@example.org',
    zone: 'America/Lima',
    language: 'es',
  })
  await changeTo('&lt;b>alpacas')
  assert.equal(alertMails().length, 1)
  const { from, to, headers: head, raw } = smtp.last
  assert.deepEqual([from, to], ['alerts@minga.example', 'ana@example.org'])
  assert.match(head.get('message-id')!, /^<dlv_\d+\.alr_\w+@minga\.example>$/)
  assert.equal(head.get('list-unsubscribe-post'), 'List-Unsubscribe=One-Click')
  const stopUrl = /^<https:\/\/minga\.example(\/api\/alerts\/.*)>$/.exec(
    head.get('list-unsubscribe')!,
  )!
  const text = unquoted(raw)
  assert.match(head.get('subject')!, /Cambi|=\?UTF-8/)
  assert.match(
    text,
    /^Cambió: News & <more>\r\nhttps:\/\/news\.test\/\r\n5 may 2026, \d\d:00 \(America\/Lima\)/m,
  )
  assert.match(text, /^\+ Herds of \{\+<b>alpacas\+\} were/m)
  assert.match(text, /\+ Herds of \{\+&lt;b&gt;alpacas\+\} were/)
  assert.match(text, /News &amp; &lt;more&gt;/)
  assert.match(
    text,
    /https:\/\/minga\.example\/archive\/diff\?url=https%3A%2F%2Fnews\.test%2F&before=\d{14}&after=\d{14}/,
  )
  assert.match(text, /multipart\/alternative/)
  const look = await station.app.inject({ url: stopUrl[1]!, headers: { host: 'localhost' } })
  assert.match(look.body, /<form method="post">/)
  const oneClick = {
    method: 'POST' as const,
    url: stopUrl[1]!,
    headers: { host: 'localhost', 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'List-Unsubscribe=One-Click',
  }
  await changeTo('guanacos')
  assert.equal(alertMails().length, 2, 'opening the link ends nothing')
  for (let clicks = 0; clicks < 2; clicks++) {
    assert.equal((await station.app.inject(oneClick)).statusCode, 200)
  }
  const forged = { ...oneClick, url: `${stopUrl[1]!.slice(0, -1)}_` }
  assert.equal((await station.app.inject(forged)).statusCode, 404)
  await changeTo('condors')
  assert.equal(alertMails().length, 2)
  await station.inject({ method: 'DELETE', url: `/api/alerts/${id}`, headers })
})

test('a rule speaks the language that was chosen for it, else the one of the station when it was made', async () => {
  const hook = await listener(() => 204)
  const made: NewAlertView[] = []
  const rule = async (more: Partial<AlertRequest> = {}): Promise<void> => {
    made.push(await alert({ watchId: watch.id, channel: 'webhook', target: hook.url, ...more }))
  }
  const speak = (messageLanguage: string): Promise<unknown> =>
    station.inject({ method: 'PATCH', url: '/api/settings', headers, body: { messageLanguage } })
  await rule()
  await speak('pt')
  await rule()
  await rule({ language: 'es' })
  await speak('en')
  assert.deepEqual(
    made.map(({ language }) => language),
    ['en', 'pt', 'es'],
  )
  await changeTo('tapirs')
  const told = hook.heard.map(({ body }) => {
    const { alert: of, alerts } = JSON.parse(body) as {
      alert: { id: string }
      alerts: Record<string, unknown>[]
    }
    return { id: of.id, found: alerts[0]! }
  })
  const of = (i: number): Record<string, unknown> =>
    told.find(({ id }) => id === made[i]!.id)!.found
  assert.deepEqual(
    [0, 1, 2].map((i) => /^\S+/.exec(String(of(i)['text']))![0]),
    ['Changed:', 'Mudou:', 'Cambió:'],
  )
  // All but what people read is the same.
  const facts = (i: number): object => ({ ...of(i), text: '', links: [] })
  assert.deepEqual(facts(1), facts(0))
  assert.deepEqual(facts(2), facts(0))
  for (const { id } of made) {
    await station.inject({ method: 'DELETE', url: `/api/alerts/${id}`, headers })
  }
})

/** Quoted-printable (RFC 2045) as text. */
function unquoted(raw: string): string {
  const bytes = raw
    .replaceAll('=\r\n', '')
    .replaceAll(/=([\dA-F]{2})/g, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

test('a mail server that refuses is tried again with the same Message-ID, and the list shows why', async () => {
  const { id } = await alert({ watchId: watch.id, channel: 'email', target: 'eva@example.org' })
  smtp.answer = '451 come back later'
  const before = alertMails().length
  await changeTo('foxes')
  const [waiting] = await deliveries()
  assert.equal(waiting!.state, 'waiting')
  assert.match(waiting!.problem!, /451 come back later/)
  smtp.answer = '250 taken'
  await station.clock.advance(waiting!.nextTryAt! - station.clock.now())
  await send(watched)
  assert.equal(alertMails().length, before + 1)
  assert.ok(smtp.last.headers.get('message-id')!.startsWith(`<${waiting!.id}.`))
  const [sent] = await deliveries()
  assert.deepEqual([sent!.state, sent!.tries, sent!.problem], ['sent', waiting!.tries + 1, null])
  await station.inject({ method: 'DELETE', url: `/api/alerts/${id}`, headers })
})

test('a feed is valid Atom with ids that stay, is read without a log-in, and says when nothing is new', async () => {
  const { feedUrl, id } = await alert({ watchId: watch.id, channel: 'feed' })
  const address = new URL(feedUrl!).pathname
  const read = (more: Record<string, string> = {}) =>
    station.app.inject({ url: address, headers: { host: 'localhost', ...more } })
  const empty = await read()
  assert.deepEqual([empty.statusCode, feedIn(empty.body).items], [200, []])
  await changeTo('owls &amp; &lt;script>')
  const first = await read({ 'if-none-match': String(empty.headers.etag) })
  assert.equal(first.statusCode, 200)
  assert.equal(first.headers['content-type'], 'application/atom+xml; charset=utf-8')
  const [entry, ...others] = feedIn(first.body).items
  assert.deepEqual(others, [])
  assert.match(first.body, /<title>Changed: News &amp; &lt;more&gt;<\/title>/)
  assert.match(entry!.id, /^urn:uuid:[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/)
  assert.match(first.body, /\{\+owls &amp; &lt;script&gt;\+\}/)
  // What RFC 4287 wants once of a feed and once of each entry, and of the feed an author and itself.
  for (const name of ['id', 'title', 'updated']) {
    assert.equal(first.body.split(`<${name}>`).length - 1, 2, name)
  }
  assert.match(first.body, /^ {2}<author><name>\w+<\/name><\/author>$/m)
  assert.equal(feedIn(first.body).self, `https://minga.example${address}`)
  const same = await read({ 'if-none-match': `"other", ${String(first.headers.etag)}` })
  assert.deepEqual([same.statusCode, same.body], [304, ''])
  await changeTo('bats')
  const second = (await read()).body
  assert.deepEqual(feedIn(second).items[1], entry)
  assert.equal(/<id>(.*)<\/id>/.exec(second)![1], /<id>(.*)<\/id>/.exec(first.body)![1])
  const wrong = await station.app.inject({
    url: `${address.slice(0, -3)}abc`,
    headers: { host: 'localhost' },
  })
  assert.equal(wrong.statusCode, 404)
  await station.inject({ method: 'DELETE', url: `/api/alerts/${id}`, headers })
  assert.equal((await read()).statusCode, 404)
})

/** Read with nothing to complain about. */
function feedIn(xml: string): Feed {
  const now = station.clock.now()
  const feed = parseFeed(Buffer.from(xml), 'https://minga.example/', { now })
  assert.deepEqual([feed.kind, feed.problems], ['atom', []])
  return feed
}

test('a test message is sent at once, and its failure is reported', async () => {
  const mail = await alert({ channel: 'email', target: 'ivo@example.org', digest: 'weekly' })
  const tested = await station.post(`/alerts/${mail.id}/test`)
  assert.equal((tested.body as DeliveryView).state, 'sent')
  assert.equal(smtp.last.to, 'ivo@example.org')
  const hook = await listener(() => 503)
  const gone = await alert({ channel: 'webhook', target: hook.url })
  const failed = (await station.post(`/alerts/${gone.id}/test`)).body as DeliveryView
  assert.deepEqual([failed.state, failed.kind, failed.nextTryAt], ['failed', 'test', null])
  assert.match(failed.problem!, /it answered 503/)
})

test('alerts are made by who may, to addresses that may be called, and are their own', async () => {
  const people = await openPeople()
  const { token: ana } = await people.person('ana', 'collector')
  const { token: bob } = await people.person('bob', 'collector')
  const { token: eva } = await people.person('eva', 'reader')
  const hook = { channel: 'webhook', target: 'https://hook.example.org/' }
  const refused: [object, string][] = [
    [{ ...hook, target: 'http://10.0.0.1/' }, '400 MINGA_ALERT_REFUSED'],
    [{ ...hook, target: 'ftp://hook.example.org/' }, '400 MINGA_ALERT_REFUSED'],
    [{ ...hook, target: 'hook' }, '400 MINGA_ALERT_REFUSED'],
    [{ ...hook, changes: 'none' }, '400 MINGA_ALERT_REFUSED'],
    [{ ...hook, zone: 'Mars/Olympus' }, '400 MINGA_BAD_MESSAGE'],
    [{ ...hook, quiet: { from: '25:00', to: '07:00' } }, '400 MINGA_BAD_MESSAGE'],
    [{ ...hook, watchId: 99 }, '404 MINGA_NO_SUCH_WATCH'],
    [{ channel: 'feed', digest: 'daily' }, '400 MINGA_ALERT_REFUSED'],
    [{ channel: 'email', target: 'ana@example.org' }, '409 MINGA_NO_MAIL_SERVER'],
  ]
  for (const [body, expected] of refused) {
    assert.equal(await people.outcome(ana, 'POST', '/alerts', body), expected, JSON.stringify(body))
  }
  assert.equal(await people.outcome(eva, 'POST', '/alerts', hook), '403 MINGA_FORBIDDEN')
  const own = await people.ok<{ id: number }>(ana, 'POST', '/watches', {
    urls: ['https://a.example.org/'],
  })
  assert.equal(
    await people.outcome(bob, 'POST', '/alerts', { ...hook, watchId: own.id }),
    '403 MINGA_FORBIDDEN',
  )
  const { id } = await people.ok<AlertView>(ana, 'POST', '/alerts', { ...hook, watchId: own.id })
  assert.deepEqual(await people.ok(bob, 'GET', '/alerts'), [])
  for (const [method, path] of [
    ['DELETE', `/alerts/${id}`],
    ['POST', `/alerts/${id}/test`],
  ] as const) {
    assert.equal(await people.outcome(bob, method, path), '404 MINGA_NO_SUCH_ALERT')
  }
  // What is not watched any more is not reported any more.
  await people.ok(ana, 'DELETE', `/watches/${own.id}`)
  assert.deepEqual(await people.ok(ana, 'GET', '/alerts'), [])
})
