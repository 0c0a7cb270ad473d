// Goal: alerts by e-mail go only to owners who agreed, no owner is asked again and again, and one
// who refused gets none until they want them. Method: a whole station with several accounts and a
// real mail server on loopback, whose mailboxes are read; the operations on both databases.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import {
  alertSettings,
  type AlertView,
  type NewAlertView,
  type SuppressedAddress,
} from '@minga/protocol'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import { People } from '../../../test/accounts/people-fixture.ts'
import { TOKENS } from '../../../test/station-fixture.ts'
import { openWatchStation } from '../../../test/watch/visits/watch-fixture.ts'
import type {
  MadeVisit,
  AlertsFixtureOperations,
} from '../../../test/watch/alerts/alerts-fixture-operations.ts'
import { addressOf } from '../../accounts/mail/mailbox-key.ts'
import type { AccountMailClaim } from './mailboxes.ts'
import { arrived, linksIn, mailsTo, press } from '../../../test/watch/alerts/mailbox-fixture.ts'
import { openMailServer } from '../../../test/watch/alerts/smtp-fixture.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const PAGE_URL = 'https://news.test/'

const smtp = await openMailServer()
const watched = await openWatchStation({
  publicUrl: 'https://minga.example',
  mail: { smtpUrl: smtp.url, from: 'Minga <alerts@minga.example>' },
})
const { station } = watched
const people = new People(station)
/** Keys outlive the weeks that pass here; sessions do not. */
const keyOf = async (name: string): Promise<string> =>
  (await people.key((await people.person(name, 'collector')).token)).secret
const ana = await keyOf('buy-pills-at-pills.example')
const bob = await keyOf('bob')
const page = (word: string) => ({
  body: `<title>News</title><main><p>Herds of ${word} were seen near the river and in the hills.</p></main>`,
})
watched.web = { [PAGE_URL]: page('llamas') }
const watch = await watched.watch({ urls: [PAGE_URL], name: 'buy pills', periodMs: HOUR_MS })
await watched.pass(HOUR_MS)

const mailed = (to: string): typeof smtp.mails => mailsTo(smtp, to)

const make = (who: string, target: string, more: object = {}): Promise<NewAlertView> =>
  people.ok(who, 'POST', '/alerts', { channel: 'email', target, ...more })

async function viewOf(who: string, id: string): Promise<AlertView> {
  const views = await people.ok<AlertView[]>(who, 'GET', '/alerts')
  return views.find((view) => view.id === id)!
}

/** So many days of ticks, with whatever is sent in them. */
async function days(count: number): Promise<void> {
  for (let hour = 0; hour < count * 24; hour++) {
    await station.clock.advance(HOUR_MS)
    await station.tick()
  }
  await station.tick()
}

const open = (path: string) => station.app.inject({ url: path, headers: { host: 'localhost' } })

test('nothing but one request for confirmation goes to a mailbox before it agrees, in words that no user can choose', async () => {
  const to = 'Eva@Example.org'
  const { id, mailbox } = await make(TOKENS.apiKey, to, { watchId: watch.id, changes: 'all' })
  assert.equal(mailbox, 'unconfirmed')
  await arrived(station, smtp, { to: 'eva@example.org', count: 1 })
  watched.web[PAGE_URL] = page('foxes')
  await watched.pass(2 * HOUR_MS)
  await days(1)
  const tested = await people.outcome(TOKENS.apiKey, 'POST', `/alerts/${id}/test`)
  assert.equal(tested, '409 MINGA_MAILBOX_UNCONFIRMED')
  const [asked, ...others] = mailed('eva@example.org')
  assert.deepEqual(others, [])
  assert.equal(asked!.headers.get('subject'), 'Confirm that you want alerts of Minga')
  assert.doesNotMatch(asked!.raw, /pills|news\.test/)
  const { confirm } = linksIn(smtp.mails, 'eva@example.org')
  assert.match((await open(confirm)).body, /<form method="post">/)
  assert.equal((await viewOf(TOKENS.apiKey, id)).mailbox, 'unconfirmed', 'looking changes nothing')
  assert.equal((await press(station, `${confirm}x`)).status, 404)
  assert.equal((await press(station, confirm)).status, 200)
  assert.equal((await viewOf(TOKENS.apiKey, id)).mailbox, 'confirmed')
  assert.equal((await press(station, confirm)).status, 404, 'a link works once')
  await days(1)
  assert.equal(mailed('eva@example.org').length, 1, 'earlier events are not reported')
  watched.web[PAGE_URL] = page('owls')
  await watched.pass(2 * HOUR_MS)
  await arrived(station, smtp, { to, count: 2 })
  assert.match(mailed(to)[1]!.raw, /owls/)
  await people.ok(TOKENS.apiKey, 'DELETE', `/alerts/${id}`)
})

test('a link ends after three days, and a mailbox agrees for one account alone', async () => {
  const to = 'ivo@example.org'
  const { id } = await make(ana, to)
  await arrived(station, smtp, { to, count: 1 })
  const { confirm } = linksIn(smtp.mails, to)
  await days(3)
  assert.equal((await press(station, confirm)).status, 404)
  await people.ok(ana, 'PATCH', `/alerts/${id}`, { isActive: false })
  await people.ok(ana, 'PATCH', `/alerts/${id}`, { isActive: true })
  await arrived(station, smtp, { to, count: 2 })
  assert.equal((await press(station, linksIn(smtp.mails, to).confirm)).status, 200)
  const { id: other } = await make(bob, to)
  assert.deepEqual(
    [(await viewOf(ana, id)).mailbox, (await viewOf(bob, other)).mailbox],
    ['confirmed', 'unconfirmed'],
  )
})

test('however many users request alerts, a mailbox gets one confirmation a day and three a month, and an account sends ten a day', async () => {
  const to = 'kim@example.org'
  for (const who of [ana, bob, TOKENS.apiKey]) {
    for (let more = 0; more < 3; more++) await make(who, to)
  }
  const made = await make(bob, ' KIM@example.org')
  await arrived(station, smtp, { to, count: 1 })
  await days(0.9)
  assert.equal(mailed(to).length, 1)
  const sent = mailed(to)[0]!.headers.get('list-unsubscribe-post')
  assert.equal(sent, 'List-Unsubscribe=One-Click')
  for (let day = 0; day < 20; day++) {
    await people.ok(bob, 'PATCH', `/alerts/${made.id}`, { isActive: false })
    await people.ok(bob, 'PATCH', `/alerts/${made.id}`, { isActive: true })
    await days(1)
  }
  await arrived(station, smtp, { to, count: 3 })
  assert.equal(mailed(to).length, 3)
  for (let i = 0; i < 15; i++) await make(ana, `many${i}@example.org`)
  for (let i = 0; i < 10; i++)
    await arrived(station, smtp, { to: `many${i}@example.org`, count: 1 })
  await station.clock.advance(HOUR_MS)
  await station.tick()
  assert.equal(smtp.mails.filter((mail) => mail.to.startsWith('many')).length, 10)
})

test('a mailbox that refuses is out of reach of everyone until it agrees again', async () => {
  const to = 'lia@example.org'
  // The account has asked others all day.
  await days(1)
  const own = await make(ana, to)
  await arrived(station, smtp, { to, count: 1 })
  assert.equal((await press(station, linksIn(smtp.mails, to).confirm)).status, 200)
  await people.ok(ana, 'POST', `/alerts/${own.id}/test`)
  const stop = /\/api\/alerts\/[^>]+/.exec(smtp.last.headers.get('list-unsubscribe')!)![0]
  assert.equal((await press(station, stop)).status, 200)
  const other = await make(bob, 'LIA@example.org')
  await people.ok(ana, 'PATCH', `/alerts/${own.id}`, { isActive: true })
  for (const [who, id] of [
    [ana, own.id],
    [bob, other.id],
  ] as const) {
    assert.equal((await viewOf(who, id)).mailbox, 'suppressed')
    const refused = await people.outcome(who, 'POST', `/alerts/${id}/test`)
    assert.equal(refused, '409 MINGA_MAILBOX_UNCONFIRMED')
  }
  const listed = await people.ok<SuppressedAddress[]>(TOKENS.apiKey, 'GET', '/alerts/suppressed')
  assert.ok(listed.some(({ address }) => address === to))
  const before = mailed(to).length
  await days(25)
  assert.equal(mailed(to).length, before, 'it is not even asked')
  await days(6)
  await arrived(station, smtp, { to, count: before + 1 })
  assert.equal((await viewOf(ana, own.id)).mailbox, 'suppressed')
  assert.equal((await press(station, linksIn(smtp.mails, to).confirm)).status, 200)
  assert.deepEqual(await people.ok(TOKENS.apiKey, 'GET', '/alerts/suppressed'), [])
})

test('a question is refused by its own link, and by the operator on behalf of who asks', async () => {
  const to = 'mo@example.org'
  const { id } = await make(bob, to)
  await arrived(station, smtp, { to, count: 1 })
  const { confirm, refuse } = linksIn(smtp.mails, to)
  assert.match((await open(refuse)).body, /Never get alerts\?/)
  assert.equal((await press(station, refuse)).status, 200)
  assert.equal((await press(station, confirm)).status, 404)
  assert.equal((await viewOf(bob, id)).mailbox, 'suppressed')
  assert.equal((await viewOf(bob, id)).isActive, false)
  const asked = { address: ' Nia@example.org' }
  assert.equal(
    await people.outcome(bob, 'POST', '/alerts/suppressed', asked),
    '403 MINGA_FORBIDDEN',
  )
  assert.equal(await people.outcome(bob, 'GET', '/alerts/suppressed'), '403 MINGA_FORBIDDEN')
  const listed = await people.ok<SuppressedAddress[]>(
    TOKENS.apiKey,
    'POST',
    '/alerts/suppressed',
    asked,
  )
  assert.deepEqual(listed.map(({ address }) => address).toSorted(), [to, 'nia@example.org'])
  const digest = createHash('sha256').update('nia@example.org').digest('hex').slice(0, 16)
  assert.deepEqual(await people.acts(`sha256 ${digest}`), [['mail:suppressed', 'operator']])
  const nonsense = { address: 'nobody' }
  const outcome = await people.outcome(TOKENS.apiKey, 'POST', '/alerts/suppressed', nonsense)
  assert.equal(outcome, '400 MINGA_ALERT_REFUSED')
})

test('a mailbox is not asked about an alert that was removed before', async () => {
  const { id } = await make(bob, 'noa@example.org')
  await people.ok(bob, 'DELETE', `/alerts/${id}`)
  await make(bob, 'pia@example.org')
  await arrived(station, smtp, { to: 'pia@example.org', count: 1 })
  assert.deepEqual(mailed('noa@example.org'), [])
})

test('a mail server that refuses a question is asked again with another link', async () => {
  const to = 'rio@example.org'
  smtp.answer = '451 come back later'
  await make(bob, to)
  await days(0)
  await station.clock.advance(2_000)
  await station.tick()
  smtp.answer = '250 taken'
  await arrived(station, smtp, { to, count: 1 })
  assert.equal((await press(station, linksIn(smtp.mails, to).confirm)).status, 200)
})

const OPERATIONS = new URL(
  '../../../test/watch/alerts/alerts-fixture-operations.ts',
  import.meta.url,
).href
const START = Date.UTC(2026, 4, 6, 12)

for (const engine of ENGINES) {
  describe(`mailboxes on ${engine.name}`, { skip: engine.skip }, () => {
    test('of two mails of accounts that are claimed at once for one address, one may be sent', async (t) => {
      const home = await engine.home()
      const store = await home.openHere<AlertsFixtureOperations>({ operations: OPERATIONS })
      t.after(() => store.close())
      // Several coordinators share a database of PostgreSQL.
      const isShared = engine.name === 'PostgreSQL'
      const second = { operations: OPERATIONS, writer: 'w2' }
      const other = isShared ? await home.openHere<AlertsFixtureOperations>(second) : store
      if (isShared) t.after(() => other.close())
      const claim = (account: string, now = START, by = store): Promise<AccountMailClaim> =>
        by.call('claimAccountMail', { address: 'zoe@example.org', account, now })
      const names = ['one', 'two', 'three', 'four', 'five', 'six']
      const claims = await Promise.all(
        names.map((account, i) => claim(account, START, i % 2 === 0 ? store : other)),
      )
      const sent = names.filter((_, i) => claims[i]!.waitMs === 0)
      assert.equal(sent.length, 1)
      const mail = { address: 'zoe@example.org', account: sent[0]!, now: START }
      await store.call('returnAccountMail', mail)
      assert.equal((await claim('seven')).waitMs, 0, 'what was not sent does not count')
      await store.call('suppressAddress', { address: 'zoe@example.org', now: START })
      assert.equal((await claim('one', START + 90 * DAY_MS)).isSuppressed, true)
    })

    test('the number of alerts an hour is limited per mailbox, over all senders', async (t) => {
      const home = await engine.home()
      const store = await home.openHere<AlertsFixtureOperations>({ operations: OPERATIONS })
      t.after(() => store.close())
      let now = START
      const settings = alertSettings.parse({ mostPerHour: 1_000 })
      const targets = ['Zoe@example.org', 'zoe@example.org', 'other@example.org']
      for (const [i, target] of targets.entries()) {
        const to = { account: `person ${i}`, watchId: 1, channel: 'email', target } as const
        await store.call('addAlertRule', { id: `alr_m${i}`, ...to, settings, now })
      }
      const tokenHashes = ['one', 'two', 'three', 'four', 'five']
      for (let day = 0; day < 2; day++, now += DAY_MS) {
        await store.call('claimConfirmations', {
          tokenHashes: tokenHashes.map((name) => `${name} ${day}`),
          now,
        })
        for (const name of tokenHashes) {
          const link = { tokenHash: `${name} ${day}`, now }
          await store.call('confirmMailbox', link).catch(() => {})
        }
      }
      const rules = await store.call('alertRules', {
        owner: null,
        watchId: null,
      })
      assert.deepEqual(
        rules.map(({ mailbox }) => mailbox),
        ['confirmed', 'confirmed', 'confirmed'],
      )
      const sent: string[] = []
      for (let hash = 0; hash < 10; hash++, now += 1_000) {
        const visit: MadeVisit = { watchId: 1, owner: 'ana', at: now, outcome: 'changed', hash }
        await store.call('makeVisit', { ...visit, isImportant: true, magnitude: 0.5 })
        while (await store.call('matchVisits', { now, limit: 100 }));
        const bare = await store.call('bareAlerts', { limit: 100 })
        await store.call('noteExcerpts', { excerpts: bare.map(({ id }) => ({ id, excerpt: '' })) })
        await store.call('formDeliveries', { now, limit: 100, mailsPerHour: 3 })
        const args = { now, channels: ['email'], limit: 100 } as const
        const claimed = await store.call('claimDeliveries', args)
        for (const { id, fence, rule } of claimed) {
          await store.call('noteDelivery', { id, fence, problem: null, now })
          sent.push(addressOf(rule.target))
        }
      }
      const count = (address: string): number => sent.filter((one) => one === address).length
      assert.deepEqual([count('zoe@example.org'), count('other@example.org')], [3, 3])
      now += HOUR_MS
      await store.call('formDeliveries', { now, limit: 100, mailsPerHour: 3 })
      const later = await store.call('claimDeliveries', {
        now,
        channels: ['email'],
        limit: 100,
      })
      assert.deepEqual(
        later.map(({ count: alerts }) => alerts).toSorted((a, b) => a - b),
        [7, 8, 9],
      )
    })
  })
}
