/**
 * Alerts on the coordinator's side: visits → what there is to tell → deliveries → sent. The state
 * is all in the store: a coordinator that is killed loses nothing, and several work in parallel.
 */
import { createHash, randomBytes } from 'node:crypto'
import { guardUrl } from '@minga/net'
import type {
  AlertChannel,
  AlertView,
  DeliveryView,
  NewAlertView,
  alertRequest,
} from '@minga/protocol'
import { z } from 'zod'
import { RateLimits, type Allowance } from '../../http/request-limits/rate-limits.ts'
import type { SendMail } from '../../accounts/mail/mailer.ts'
import { webhookSecret } from '../../clients/close-batches.ts'
import type { Watcher } from '../watch-service.ts'
import { AlertRefused, NoMailServer } from '../../station/errors.ts'
import { NoSuchAlert } from '../watch-errors.ts'
import type { Station } from '../../station/station.ts'
import { escaped } from '../../http/html.ts'
import type { AlertRule } from './alert-rules.ts'
import { alertPath, isAlertToken, type TokenUse } from './alert-tokens.ts'
import type { ClaimedDelivery, DeliveredAlert, FeedRows } from './deliveries.ts'
import { excerptOf, textOf, type AlertText, type Reading } from './alert-text.ts'
import { MailboxService } from './mailbox-service.ts'
import { sendDelivery } from './send-delivery.ts'
import { ALERT_WORDS, filled } from './alert-words.ts'

interface AlertsDeps {
  /** Null: this coordinator has no mail server. */
  sendMail: SendMail | null
  /** Refuses callers who may not change this watch. */
  requireChanger: (by: Watcher, watchId: number) => Promise<void>
}

const EVERY_MS = 1_000
const PRUNE_EVERY_MS = 3_600_000
const VISITS_AT_ONCE = 500
/** After a long stop the rest waits for the next second. */
const ROUNDS_MAX = 10
const EXCERPTS_AT_ONCE = 20
const RULES_AT_ONCE = 100
/** Each is a call to an external server, which may be slow. */
const SENDING_MAX = 10
const ENTRIES_MAX = 50
const ID_BYTES = 10
const DELIVERIES_MAX = 100

const MAKING: Allowance = { what: 'making alerts', burst: 30, everyMs: 60_000 }
const TESTING: Allowance = { what: 'testing alerts', burst: 5, everyMs: 60_000 }

type ParsedRequest = z.infer<typeof alertRequest>

export class Alerts {
  readonly mailboxes: MailboxService
  readonly #station: Station
  readonly #deps: AlertsDeps
  readonly #limits: RateLimits
  readonly #sending = new Set<Promise<void>>()
  #nextMs = 0
  #pruneMs = 0

  constructor(station: Station, deps: AlertsDeps) {
    this.#station = station
    this.#deps = deps
    this.#limits = new RateLimits(station.clock)
    this.mailboxes = new MailboxService(station, deps.sendMail)
  }

  /** What is sent is not waited for: a mail server that hangs must not hold up the station. */
  async tick(): Promise<void> {
    const { clock, closing } = this.#station
    if (closing.aborted || clock.monotonicMs() < this.#nextMs) return
    this.#nextMs = clock.monotonicMs() + EVERY_MS
    await this.#find()
    await this.#describe()
    await this.#form()
    await this.mailboxes.tick()
    await this.#send()
  }

  async #find(): Promise<void> {
    const { store, clock } = this.#station
    const asked = { now: clock.now(), limit: VISITS_AT_ONCE }
    for (let rounds = 0; rounds < ROUNDS_MAX; rounds++) {
      if (!(await store.call('matchVisits', asked))) return
    }
  }

  async #describe(): Promise<void> {
    const { store } = this.#station
    const bare = await store.call('bareAlerts', { limit: EXCERPTS_AT_ONCE })
    if (bare.length === 0) return
    const excerpts: { id: number; excerpt: string }[] = []
    const known = new Map<number, string>()
    for (const { id, visitId, watchId, facts } of bare) {
      const { url, before, after } = facts
      const excerpt =
        known.get(visitId) ??
        (before && after ? await excerptOf(this.#station, { url, watchId, before, after }) : '')
      known.set(visitId, excerpt)
      excerpts.push({ id, excerpt })
    }
    await store.call('noteExcerpts', { excerpts })
  }

  async #form(): Promise<void> {
    const { store, clock } = this.#station
    const now = clock.now()
    const mailsPerHour = this.#station.settings.current().mailsPerHour
    await store.call('formDeliveries', { now, limit: RULES_AT_ONCE, mailsPerHour })
    if (clock.monotonicMs() < this.#pruneMs) return
    this.#pruneMs = clock.monotonicMs() + PRUNE_EVERY_MS
    await store.call('pruneAlerts', { now })
    await store.call('pruneConfirmations', { now })
  }

  async #send(): Promise<void> {
    const { store, clock } = this.#station
    const { sendMail } = this.#deps
    const limit = SENDING_MAX - this.#sending.size
    if (limit <= 0) return
    const channels: readonly AlertChannel[] = sendMail === null ? ['webhook'] : ['webhook', 'email']
    const now = clock.now()
    const claimed = await store.call('claimDeliveries', { now, channels, limit })
    for (const delivery of claimed) {
      const sending = this.#sendOne(delivery).finally(() => this.#sending.delete(sending))
      this.#sending.add(sending)
    }
  }

  async #sendOne(delivery: ClaimedDelivery): Promise<void> {
    try {
      await this.#sendAndNote(delivery)
    } catch (error) {
      // What could not be noted is sent again when its claim lapses, under the same number.
      process.stderr.write(`minga: ${messageOf(error)}\n`)
    }
  }

  async #sendAndNote(delivery: ClaimedDelivery): Promise<string | null> {
    const { store, clock } = this.#station
    const { id, fence } = delivery
    const problem = await sendDelivery(this.#station, delivery, this.#deps.sendMail).catch(
      messageOf,
    )
    await store.call('noteDelivery', { id, fence, problem, now: clock.now() })
    return problem
  }

  /** Resolves when nothing is being sent. */
  async settled(): Promise<void> {
    while (this.#sending.size > 0) await Promise.all(this.#sending)
    await this.mailboxes.settled()
  }

  async create(by: Watcher, request: ParsedRequest): Promise<NewAlertView> {
    const { store, clock, secret, settings: live } = this.#station
    const { watchId, channel, target, ...asked } = this.#judged(request)
    const settings = { ...asked, language: asked.language ?? live.current().messageLanguage }
    if (watchId !== null) await this.#deps.requireChanger(by, watchId)
    this.#limits.take(MAKING, by.accountId)
    const rule = await store.call('addAlertRule', {
      id: `alr_${randomBytes(ID_BYTES).toString('hex')}`,
      account: by.accountId,
      watchId,
      channel,
      target,
      settings,
      now: clock.now(),
    })
    const shown = channel === 'webhook' ? webhookSecret(secret, rule.id) : null
    return { ...this.#view({ ...rule, waiting: 0 }), secret: shown }
  }

  #judged(asked: ParsedRequest): ParsedRequest {
    const { channel, changes, failuresInRow, tellsBack, quiet, digest } = asked
    if (changes === 'none' && failuresInRow === null && !tellsBack) {
      throw AlertRefused.nothingToTell()
    }
    if (channel === 'feed') {
      if (quiet !== null || digest !== 'at-once') throw AlertRefused.notForFeeds()
      return { ...asked, target: '' }
    }
    const target = asked.target.trim()
    if (channel === 'webhook') this.#requireUrl(target)
    else this.#requireMailbox(target)
    return { ...asked, target }
  }

  #requireUrl(target: string): void {
    const url = URL.parse(target)
    if (url === null) throw AlertRefused.address(target, 'it is no address of the web')
    const refusal = guardUrl(url, this.#station.guard)
    if (refusal !== null) throw AlertRefused.address(target, refusal.reason)
  }

  #requireMailbox(target: string): void {
    if (this.#deps.sendMail === null) throw new NoMailServer()
    if (!z.email().max(254).safeParse(target).success) {
      throw AlertRefused.address(target, 'it is no e-mail address')
    }
  }

  #view({ settings, afterVisitId: _after, ...rule }: AlertRule & { waiting: number }): AlertView {
    const { secret, publicUrl } = this.#station
    const path = alertPath(secret, 'feed', rule.id)
    const feedUrl = rule.channel === 'feed' ? `${publicUrl ?? ''}${path}` : null
    return { ...rule, ...settings, feedUrl }
  }

  async list(owner: string | null, watchId: number | null): Promise<AlertView[]> {
    const { store } = this.#station
    const rules = await store.call('alertRules', { owner, watchId })
    return rules.map((rule) => this.#view(rule))
  }

  deliveries(
    owner: string | null,
    of: { ruleId?: string | undefined; watchId?: number | undefined; limit?: number },
  ): Promise<DeliveryView[]> {
    const { ruleId = null, watchId = null, limit = DELIVERIES_MAX } = of
    return this.#station.store.call('alertDeliveries', { owner, ruleId, watchId, limit })
  }

  async turn(owner: string | null, id: string, isActive: boolean): Promise<AlertView> {
    const { store, clock } = this.#station
    const args = { id, owner, isActive, now: clock.now() }
    const rule = await store.call('turnAlertRule', args)
    return this.#view({ ...rule, waiting: 0 })
  }

  /** Sends a test message now; how it went. A feed has nothing to send: its address is the test. */
  async test(owner: string | null, id: string): Promise<DeliveryView> {
    const { store, clock } = this.#station
    const { account } = await store.call('alertRule', { id, owner })
    this.#limits.take(TESTING, account)
    const deliveryId = `tst_${randomBytes(ID_BYTES).toString('hex')}`
    const asked = { id: deliveryId, ruleId: id, owner, now: clock.now() }
    await this.#sendAndNote(await store.call('openTestDelivery', asked))
    const sent = await this.deliveries(owner, { ruleId: id })
    return sent.find((delivery) => delivery.id === deliveryId)!
  }

  /** A feed by its address; null when its reader has this one already. */
  async feed(
    id: string,
    token: string,
    knownTag: string | undefined,
  ): Promise<{ tag: string; body: string | null }> {
    this.#requireToken('feed', id, token)
    const rows = await this.#station.store.call('alertFeed', { id, limit: ENTRIES_MAX })
    if (rows === null) throw new NoSuchAlert(id)
    const tag = feedTag(rows)
    if (knownTag !== undefined && knownTag.split(/\s*,\s*/).includes(tag)) {
      return { tag, body: null }
    }
    const { publicUrl, secret } = this.#station
    const { language, zone } = rows.rule.settings
    const selfUrl = `${publicUrl ?? ''}${alertPath(secret, 'feed', id)}`
    return { tag, body: atomFeed({ ...rows, selfUrl, reading: { language, zone, publicUrl } }) }
  }

  #requireToken(use: TokenUse, ruleId: string, token: string): void {
    const { secrets, clock } = this.#station
    const accepted = secrets.accepted(clock.now())
    if (!isAlertToken(accepted, { use, ruleId, token })) throw new NoSuchAlert(ruleId)
  }

  /** Whom a link in an e-mail would stop. */
  async stopping(id: string, token: string): Promise<AlertRule> {
    this.#requireToken('unsubscribe', id, token)
    return this.#station.store.call('alertRule', { id, owner: null })
  }

  /** By the link in an e-mail; once more does no harm. */
  async unsubscribe(id: string, token: string): Promise<AlertRule> {
    const rule = await this.stopping(id, token)
    const { store, clock } = this.#station
    await store.call('unsubscribeAlert', { id, now: clock.now() })
    return rule
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

interface Feed extends FeedRows {
  selfUrl: string
  reading: Reading
}

/** Alerts as an Atom feed (RFC 4287). An entry keeps its id for ever, and so does the feed. */
function atomFeed({ rule, alerts, watchName, selfUrl, reading }: Feed): string {
  const words = ALERT_WORDS[reading.language]
  const title = watchName === null ? words.feedAll : filled(words.feed, { name: watchName })
  const updated = alerts.reduce((newest, { at }) => Math.max(newest, at), rule.createdAt)
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${reading.language}">
  <id>${stableId(rule.id)}</id>
  <title>${xml(title)}</title>
  <updated>${timeOf(updated)}</updated>
  <author><name>Minga</name></author>
  <link rel="self" type="application/atom+xml" href="${xml(selfUrl)}"/>
${alerts.map((alert) => entryOf(alert, rule, reading)).join('')}</feed>
`
}

/** Changes with every entry, and with nothing else. */
function feedTag({ rule, alerts, watchName }: FeedRows): string {
  const newest = alerts.map(({ id }) => id).join(' ')
  const { language, zone } = rule.settings
  const state = JSON.stringify([rule.id, newest, watchName, language, zone])
  return `"${createHash('sha256').update(state).digest('hex').slice(0, 32)}"`
}

function entryOf(alert: DeliveredAlert, rule: AlertRule, reading: Reading): string {
  const text = textOf(alert, reading)
  const link = text.links[0]?.href ?? text.url
  return `  <entry>
    <id>${stableId(`${rule.id} ${alert.visitId} ${alert.kind}`)}</id>
    <title>${xml(text.title)}</title>
    <updated>${timeOf(alert.at)}</updated>
    <link rel="alternate" href="${xml(link)}"/>
    <content type="text">${xml(contentOf(text))}</content>
  </entry>
`
}

function contentOf({ url, when, said, excerpt }: AlertText): string {
  return [url, when, said.join(' '), ...(excerpt === '' ? [] : ['', excerpt])].join('\n')
}

/** A name-based UUID (RFC 9562, version 8), which need not be stored. */
function stableId(name: string): string {
  const hex = createHash('sha256').update(`minga alert ${name}`).digest('hex')
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`]
  return `urn:uuid:${[...parts, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-')}`
}

const timeOf = (at: number): string => new Date(at).toISOString()

/** What XML 1.0 cannot say at all, not even escaped; half of a pair of surrogates included. */
const UNSAYABLE = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu

function xml(text: string): string {
  return escaped(text.replaceAll(UNSAYABLE, '\u{FFFD}'))
}
