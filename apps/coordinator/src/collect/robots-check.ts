/**
 * What robots.txt says of seeds before anything is collected. The coordinator never fetches: what it does not know
 * yet is put into the queue of clients' requests, as a robots.txt for its host, so that clock, address guard and
 * memory are those of every other request. What an agent brings is remembered as always, and read here.
 */
import {
  hostIdsOf,
  isAllowedBy,
  queueDocuments,
  readRobots,
  stationCollection,
} from '@minga/frontier'
import { crawlDelayMsOf, hostKeyOf, originOf } from '@minga/net'
import { PRODUCT_TOKEN, SILENCE_MS, type SeedCheck } from '@minga/protocol'
import type { Sql } from '@minga/store'

/** Longer than a slow site takes, and as long as a user filling in a form is willing to wait. */
const ANSWER_MS = 30_000
/** Before all clients' requests: it is one small file that a person waits for. */
const FIRST = 0

interface CheckArgs {
  /** Canonical addresses that nothing else forbids. */
  urls: readonly string[]
  delayMs: number
  now: number
}

export async function checkRobots(sql: Sql, args: CheckArgs): Promise<SeedCheck['robots'][]> {
  const ids = await hostIdsOf(
    sql,
    args.urls.map((url) => hostKeyOf(url)),
  )
  const hasAgent = await isAgentThere(sql, args.now)
  const answers: SeedCheck['robots'][] = []
  for (const url of args.urls) {
    const hostId = ids.get(hostKeyOf(url))!
    answers.push(await robotsOf(sql, { ...args, url, hostId, hasAgent }))
  }
  return answers
}

async function isAgentThere(sql: Sql, now: number): Promise<boolean> {
  const agent = await sql.get('SELECT 1 FROM agents WHERE last_beat_at > ? LIMIT 1', [
    now - SILENCE_MS,
  ])
  return agent !== undefined
}

interface Asking extends CheckArgs {
  url: string
  hostId: number
  hasAgent: boolean
}

async function robotsOf(sql: Sql, args: Asking): Promise<SeedCheck['robots']> {
  const { url, hostId, now } = args
  const scheme = url.startsWith('https:') ? 'https' : 'http'
  const memory = await readRobots(sql, hostId, scheme)
  if (memory !== null && memory.verdict !== 'waiting' && memory.expiresAt > now) {
    return {
      state: 'known',
      fetchedAt: await fetchedAt(sql, hostId, scheme),
      isAllowed: isAllowedBy(memory, url),
      verdict: VERDICTS[memory.verdict],
      crawlDelayMs: (memory.rules && crawlDelayMsOf(memory.rules, PRODUCT_TOKEN)) ?? 0,
      sitemaps: memory.rules?.sitemaps.slice(0, SITEMAPS_SHOWN) ?? [],
    }
  }
  const asked = await askedBefore(sql, { hostId, scheme })
  if (asked?.outcome === 'denied' || asked?.outcome === 'failed') {
    if (now - asked.at < ANSWER_MS && asked.code !== null) {
      return { state: 'failed', code: asked.code }
    }
  }
  if (asked !== undefined && asked.outcome === null) {
    return { state: now - asked.at < ANSWER_MS ? 'asking' : 'silent' }
  }
  if (memory?.verdict === 'waiting' && memory.expiresAt > now) return { state: 'asking' }
  if (!args.hasAgent) return { state: 'no-agent' }
  await ask(sql, args, scheme)
  return { state: 'asking' }
}

/** A file may declare a thousand. */
const SITEMAPS_SHOWN = 20
const VERDICTS = { rules: 'rules', 'allow-all': 'none', 'forbid-all': 'unavailable' } as const

async function fetchedAt(sql: Sql, hostId: number, scheme: string): Promise<number> {
  const row = await sql.get<{ fetched_at: number }>(
    'SELECT fetched_at FROM robots WHERE host_id = ? AND scheme = ?',
    [hostId, scheme],
  )
  return row?.fetched_at ?? 0
}

/** The last time that this was requested: the key of the request carries it. */
async function askedBefore(
  sql: Sql,
  { hostId, scheme }: { hostId: number; scheme: string },
): Promise<{ outcome: string | null; code: string | null; at: number } | undefined> {
  const rows = await sql.all<{ url: string; outcome: string | null; code: string | null }>(
    `SELECT url, outcome, code FROM urls
     WHERE collection_id = (SELECT id FROM collections WHERE identity = 'requests')
       AND host_id = ? AND kind = 'robots' AND url LIKE ?`,
    [hostId, `%#robots-of:${hostId}:${scheme}:0:%`],
  )
  const asked = rows.map(({ url, ...row }) => ({ ...row, at: Number(url.split(':').at(-1)) }))
  return asked.toSorted((a, b) => b.at - a.at)[0]
}

/** As a redirected robots.txt is asked for (robots-memory.ts of the frontier), from its first hop on. */
async function ask(sql: Sql, { url, hostId, delayMs, now }: Asking, scheme: string): Promise<void> {
  const collectionId = await stationCollection(sql, { kind: 'requests', delayMs, now })
  const key = `${originOf(url)}/robots.txt#robots-of:${hostId}:${scheme}:0:${now}`
  await queueDocuments(sql, {
    collectionId,
    documents: [{ url: key, kind: 'robots', priority: FIRST }],
  })
}
