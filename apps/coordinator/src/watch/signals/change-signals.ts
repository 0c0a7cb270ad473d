/**
 * How sites report their changes, on the coordinator's side: feeds and sitemaps are read when a
 * visit has captured them, hubs are asked to push, and their pushes are accepted.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { discoverSources, guardUrl, webDate, type FeedItem } from '@minga/net'
import { isMingaError } from '@minga/protocol'
import { readArchived, type ArchivedAnswer } from '../../archive/captures/capture-content.ts'
import { PageTooSlow, PageUnreadable, TOO_SLOW_CODE } from '../../archive/pages/errors.ts'
import { pageWorker } from '../../archive/pages/page-worker.ts'
import type { Station } from '../../station/station.ts'
import { guardedPost, isTaken } from '../../station/guarded-post.ts'
import { acceptedHubSecrets, currentHubSecret } from './websub-rows.ts'
import type { SourceDocument } from './listen.ts'
import type { ReadSource, ToldItem } from './sources.ts'

const VISITS_AT_ONCE = 200
const HUBS_AT_ONCE = 10
/** Ten days: long enough to cost nothing, short enough that a lost station is soon forgotten. */
const LEASE_S = 864_000
const TOKEN_BYTES = 16
const SECRET_BYTES = 32

export class ChangeSignals {
  readonly #station: Station

  constructor(station: Station) {
    this.#station = station
  }

  /** At the station's pulse. */
  async tick(): Promise<void> {
    await this.#hear()
    await this.#subscribe()
  }

  async #hear(): Promise<void> {
    for (let isMore = true; isMore;) {
      const heard = await this.#station.store.call('hearVisits', { limit: VISITS_AT_ONCE })
      for (const document of heard.documents) await this.#read(document)
      isMore = heard.more
    }
  }

  async #read(document: SourceDocument): Promise<void> {
    const { role } = document
    const answer = await this.#answer(document)
    if (answer === null || answer.status !== 200) return
    try {
      if (role === 'feed') await this.#readFeed(document, answer)
      else if (role === 'sitemap') await this.#note(document, await this.#sitemap(document, answer))
      else await this.#readPage(document, answer)
    } catch (error) {
      const isSlow = error instanceof PageTooSlow
      if (!isSlow && !(error instanceof PageUnreadable)) throw error
      const problem = isSlow ? `${TOO_SLOW_CODE}: ${error.message}` : error.message
      if (role === 'feed' || role === 'sitemap')
        await this.#note(document, { role, items: [], problems: [problem] })
    }
  }

  async #answer({ url, capturedAt: at }: SourceDocument): Promise<ArchivedAnswer | null> {
    try {
      return await readArchived(this.#station, { url, at })
    } catch (error) {
      // A file that is gone or damaged is reported by `archive verify`; here it only says nothing.
      if (isMingaError(error)) return null
      throw error
    }
  }

  async #readFeed(document: SourceDocument, { body, headers }: ArchivedAnswer): Promise<void> {
    const { url } = document
    const contentType = valuesOf(headers, 'content-type')[0]
    const now = this.#station.clock.now()
    const options = { now, ...(contentType === undefined ? {} : { contentType }) }
    const { items, problems, hubs, self } = await pageWorker.run('feed', { url, body, options })
    await this.#note(document, { role: 'feed', items: items.map(toldItem), problems })
    const links = discoverSources({ text: '', url, linkHeaders: valuesOf(headers, 'link') })
    await this.#want(document, [...links.hubs, ...hubs], links.self ?? self ?? url)
  }

  async #sitemap(
    { url }: SourceDocument,
    { body }: ArchivedAnswer,
  ): Promise<Pick<ReadSource, 'role' | 'items' | 'problems'>> {
    const now = this.#station.clock.now()
    const { entries, problems } = await pageWorker.run('sitemap', { url, body })
    const items = entries.map(({ loc, lastmod = '' }) => ({
      key: `${loc} ${lastmod}`,
      url: loc,
      updatedAt: webDate(lastmod, now),
    }))
    return { role: 'sitemap', items, problems }
  }

  async #note(
    { collectionId, hostId, hash, digest }: SourceDocument,
    read: Pick<ReadSource, 'role' | 'items' | 'problems'>,
  ): Promise<void> {
    const { store, clock } = this.#station
    const place = { collectionId, hostId, hash, digest }
    await store.call('noteSource', { ...place, ...read, now: clock.now() })
  }

  async #readPage(document: SourceDocument, { body, headers }: ArchivedAnswer): Promise<void> {
    const { store, clock, guard } = this.#station
    const { collectionId, hostId, url } = document
    const contentType = valuesOf(headers, 'content-type')[0]
    const linkHeaders = valuesOf(headers, 'link')
    const page = { url, body, contentType, linkHeaders }
    const { feeds, hubs, self } = await pageWorker.run('sources', page)
    const now = clock.now()
    await store.call('addSources', { collectionId, hostId, url, feeds, guard, now })
    await this.#want(document, hubs, self ?? url)
  }

  async #want({ collectionId }: SourceDocument, hubs: string[], topic: string): Promise<void> {
    const { store, clock, guard, publicUrl, secrets } = this.#station
    const hub = hubs.find((url) => guardUrl(url, guard) === null)
    if (hub === undefined || publicUrl === null) return
    await store.call('wantSubscription', {
      collectionId,
      topic,
      hub,
      token: randomBytes(TOKEN_BYTES).toString('hex'),
      secret: secrets.seal(randomBytes(SECRET_BYTES).toString('hex')),
      now: clock.now(),
    })
  }

  async #subscribe(): Promise<void> {
    const { store, clock, publicUrl, secrets } = this.#station
    if (publicUrl === null) return
    const due = await store.call('dueSubscriptions', { now: clock.now(), limit: HUBS_AT_ONCE })
    await Promise.all(
      due.map(async ({ token, topic, hub, secret }) => {
        const form = {
          'hub.mode': 'subscribe',
          'hub.topic': topic,
          'hub.callback': `${publicUrl}/api/websub/${token}`,
          'hub.secret': currentHubSecret(secrets.open(secret)),
          'hub.lease_seconds': String(LEASE_S),
        }
        const problem = await callHub(this.#station, { hub, form })
        await store.call('noteAsked', { token, problem, now: clock.now() })
      }),
    )
  }

  /** A hub asks whether we want this; the challenge, or null when we do not. */
  async verify(token: string, query: Readonly<Record<string, string>>): Promise<string | null> {
    const { store, clock } = this.#station
    const known = await store.call('subscriptionOf', { token })
    if (known === null || query['hub.topic'] !== known.topic) return null
    if (query['hub.mode'] === 'denied') {
      await store.call('noteDenied', { token, reason: query['hub.reason'] ?? '' })
      return ''
    }
    const challenge = query['hub.challenge'] ?? ''
    // We never ask to be forgotten: a lease that is not renewed ends by itself.
    if (query['hub.mode'] !== 'subscribe' || challenge === '') return null
    if (known.state === 'wanted' || known.state === 'refused') return null
    const leaseS = Number(query['hub.lease_seconds'])
    const leaseMs = (leaseS > 0 ? leaseS : LEASE_S) * 1_000
    await store.call('noteVerified', { token, leaseMs, now: clock.now() })
    return challenge
  }

  /**
   * Whether a push was accepted; a forged one is not, and its sender gets no hint. Null: no such
   * subscription.
   */
  async push(token: string, body: Buffer, signature: string | undefined): Promise<boolean | null> {
    const { store, clock, secrets } = this.#station
    const known = await store.call('subscriptionOf', { token })
    if (known === null) return null
    const now = clock.now()
    const accepted = acceptedHubSecrets(secrets.open(known.secret), now)
    if (!accepted.some((secret) => isFromHub(secret, body, signature))) return false
    const pushed = { url: known.topic, body, options: { now } }
    const { items } = await pageWorker.run('feed', pushed)
    const urls = [known.topic, ...items.map(({ url }) => url).filter((url) => url !== null)]
    await store.call('takePush', { collectionId: known.collectionId, urls, now })
    return true
  }
}

/** Another key whenever the feed says that the item is another. */
function toldItem({ id, url, title, date, updatedAt }: FeedItem): ToldItem {
  return { key: `${id} ${date} ${title}`, url, updatedAt }
}

function valuesOf(headers: ArchivedAnswer['headers'], name: string): string[] {
  return headers.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value)
}

/** Null when the hub took it (any 2xx), else what was wrong. */
async function callHub(
  station: Station,
  args: { hub: string; form: Record<string, string> },
): Promise<string | null> {
  const url = URL.parse(args.hub)
  if (url === null) return 'the address of the hub cannot be read'
  const answer = await guardedPost(station, url, {
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': station.userAgent,
    },
    body: String(new URLSearchParams(args.form)),
    isSecret: true,
  })
  if (answer.type === 'refused') return 'the hub has no address that may be called'
  if (answer.type === 'silent') return `the hub could not be asked: ${answer.message}`
  return isTaken(answer) ? null : `the hub answered ${answer.status}: ${answer.text}`
}

const METHODS = new Set(['sha1', 'sha256', 'sha384', 'sha512'])

/** Whether what a hub sends is from who knows our secret (WebSub §8). */
function isFromHub(secret: string, body: Uint8Array, header: string | undefined): boolean {
  const [method = '', hex = ''] = (header ?? '').split('=', 2)
  if (!METHODS.has(method.toLowerCase()) || !/^(?:[0-9a-f]{2})+$/i.test(hex)) return false
  const expected = createHmac(method.toLowerCase(), secret).update(body).digest()
  const given = Buffer.from(hex, 'hex')
  return given.length === expected.length && timingSafeEqual(given, expected)
}
