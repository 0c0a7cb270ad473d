/**
 * What we remember of a host's robots.txt, per scheme: RFC 9309 with the careful reading of its
 * error cases. Agents fetch it, the coordinator alone decides.
 *
 * A redirected robots.txt is a request of its own, because its target may be another host with
 * another clock. It is queued under `TARGET#robots-of:HOST:SCHEME:HOP:TIME`: canonical URLs have
 * no fragment, so two hosts that redirect to one file do not swallow each other's request, nor
 * does yesterday's request swallow today's.
 */
import {
  canonicalUrl,
  asksToStayAway,
  crawlDelayMsOf,
  isAllowedByRobots,
  parseRobots,
  robotsFromResponse,
  type RobotsRules,
} from '@minga/net'
import { PRODUCT_TOKEN, type Result } from '@minga/protocol'
import { logEvents, type Sql } from '@minga/store'
import { retryPauseMs } from './host-clock.ts'

/** RFC 9309 §2.4: not used for more than 24 hours. */
const REMEMBER_MS = 86_400_000
/** A failed refresh of known rules keeps them and asks again after this. */
const KEEP_OLD_MS = 3_600_000
/** RFC 9309 §2.3.1.2: at least five hops are followed. */
const HOPS_MAX = 5
/** How often an unreachable robots.txt is asked for before the host counts as closed. */
const ATTEMPTS_MAX = 3
/** A redirected robots.txt that never ends (its collection was cancelled) is requested again. */
const REDIRECT_WAIT_MS = 60_000

export interface RobotsMemory {
  verdict: 'rules' | 'allow-all' | 'forbid-all' | 'waiting'
  rules: RobotsRules | null
  expiresAt: number
  attempts: number
  /** Why everything is forbidden, when it is not the site's own wish. */
  code: string | null
  outcome: 'denied' | 'failed'
}

interface RobotsRow {
  verdict: RobotsMemory['verdict']
  rules: string | null
  expires_at: number
  attempts: number
  code: string | null
}

/** Parsed rules by their text: rules are read at every lease of the host, and many hosts have the same. */
const parsed = new Map<string, RobotsRules>()
const PARSED_MAX = 20_000

export async function readRobots(
  sql: Sql,
  hostId: number,
  scheme: string,
): Promise<RobotsMemory | null> {
  const row = await sql.get<RobotsRow>(
    `SELECT verdict, rules, expires_at, attempts, code FROM robots
     WHERE host_id = ? AND scheme = ?`,
    [hostId, scheme],
  )
  if (!row) return null
  return {
    verdict: row.verdict,
    rules: row.rules === null ? null : parseRules(row.rules),
    expiresAt: row.expires_at,
    attempts: row.attempts,
    code: row.code,
    outcome: isUnreachable(row.code) ? 'failed' : 'denied',
  }
}

/** A machine that cannot be reached at all has failed; one that answers badly has said no. */
function isUnreachable(code: string | null): boolean {
  return code !== null && (code.startsWith('MINGA_CONNECT_') || code === 'MINGA_TLS_FAILED')
}

function parseRules(text: string): RobotsRules {
  const known = parsed.get(text)
  if (known) return known
  if (parsed.size >= PARSED_MAX) parsed.clear()
  const rules = JSON.parse(text) as RobotsRules
  parsed.set(text, rules)
  return rules
}

export interface RobotsNews {
  /** Sitemaps that the file declares. */
  sitemaps: string[]
  /** Where to go on when it was redirected: the key to queue and its hop count. */
  redirect: { url: string; hops: number } | null
}

export interface RobotsAnswer {
  collectionId: number
  hostId: number
  scheme: string
  /** The address that was asked: the base of a relative redirect. */
  url: string
  hops: number
  result: Result
  now: number
}

/** Takes in one answer to a robots.txt request. */
export async function noteRobots(sql: Sql, answer: RobotsAnswer): Promise<RobotsNews> {
  const nothing: RobotsNews = { sitemaps: [], redirect: null }
  const { result, now } = answer
  if (result.type === 'returned') return nothing
  if (result.type === 'failed') {
    await noteFailure(sql, answer, result.code)
    return nothing
  }
  if (result.status >= 300 && result.status < 400 && result.location !== null) {
    return noteRedirect(sql, answer, result.location)
  }
  const verdict = robotsFromResponse(result.status)
  if (verdict === 'forbid-all') {
    await noteFailure(sql, answer, 'MINGA_ROBOTS_UNAVAILABLE')
    return nothing
  }
  const rules = verdict === 'rules' ? parseRobots(Buffer.from(result.body ?? '', 'base64')) : null
  await save(sql, answer, { verdict, rules, expiresAt: now + REMEMBER_MS, attempts: 0, code: null })
  if (rules !== null && !isAllowedByRobots(rules, PRODUCT_TOKEN, rootOf(answer.url))) {
    await logForbidden(sql, answer)
  }
  await noteCrawlDelay(sql, answer, rules === null ? 0 : delayMsOf(rules))
  return { sitemaps: rules?.sitemaps ?? [], redirect: null }
}

/** A host to stay away from is checked all the same, which ends what is queued. */
function delayMsOf(rules: RobotsRules): number {
  return asksToStayAway(rules, PRODUCT_TOKEN) ? 0 : (crawlDelayMsOf(rules, PRODUCT_TOKEN) ?? 0)
}

function isGood({ verdict }: RobotsMemory): boolean {
  return verdict === 'rules' || verdict === 'allow-all'
}

/** 429, 5xx and network failure: keep the last good rules, else try again, else closed. */
async function noteFailure(sql: Sql, answer: RobotsAnswer, code: string): Promise<void> {
  const old = await readRobots(sql, answer.hostId, answer.scheme)
  const { now } = answer
  if (old !== null && isGood(old)) {
    return save(sql, answer, { ...old, expiresAt: now + KEEP_OLD_MS })
  }
  // At the end of a redirect the attempt was counted when it began.
  const attempts = (old?.attempts ?? 0) + (answer.hops === 0 ? 1 : 0)
  const isFinal = attempts >= ATTEMPTS_MAX
  if (isFinal) await logForbidden(sql, answer, code)
  await save(sql, answer, {
    verdict: isFinal ? 'forbid-all' : 'waiting',
    rules: null,
    expiresAt: now + (isFinal ? REMEMBER_MS : retryPauseMs(attempts)),
    attempts: isFinal ? 0 : attempts,
    code,
  })
}

/** `error`: why its robots.txt could not be fetched; without one it was had and says so. */
async function logForbidden(sql: Sql, answer: RobotsAnswer, error?: string): Promise<void> {
  const row = await sql.get<{ name: string }>('SELECT name FROM hosts WHERE id = ?', [
    answer.hostId,
  ])
  if (!row) return
  const sentence =
    error === undefined
      ? 'Its robots.txt forbids everything.'
      : `Its robots.txt could not be fetched (${error}).`
  const { name: subject } = row
  const details = { error }
  await logEvents(sql, [{ at: answer.now, code: 'host:forbidden', subject, sentence, details }])
}

const rootOf = (url: string): string => new URL('/', url).href

async function noteRedirect(sql: Sql, answer: RobotsAnswer, location: string): Promise<RobotsNews> {
  const target = canonicalUrl(location, answer.url)
  const { now } = answer
  if (target === null || answer.hops >= HOPS_MAX) {
    // Too many hops: "unavailable", which RFC 9309 §2.3.1.3 reads as no rules.
    await save(sql, answer, {
      verdict: 'allow-all',
      rules: null,
      expiresAt: now + REMEMBER_MS,
      attempts: 0,
      code: null,
    })
    return { sitemaps: [], redirect: null }
  }
  const old = await readRobots(sql, answer.hostId, answer.scheme)
  const attempts = (old?.attempts ?? 0) + (answer.hops === 0 ? 1 : 0)
  if (old !== null && isGood(old)) {
    // The last good rules hold until the target has answered, and if it never does.
    await save(sql, answer, { ...old, expiresAt: now + REDIRECT_WAIT_MS })
  } else if (attempts > ATTEMPTS_MAX) {
    // Its target could not even be asked (no such name, a forbidden address), again and again.
    await noteFailure(sql, answer, 'MINGA_ROBOTS_UNAVAILABLE')
    return { sitemaps: [], redirect: null }
  } else {
    const expiresAt = now + REDIRECT_WAIT_MS
    await save(sql, answer, { verdict: 'waiting', rules: null, expiresAt, attempts, code: null })
  }
  const owner = `${answer.hostId}:${answer.scheme}`
  const key = `${target}#robots-of:${owner}:${answer.hops + 1}:${now}`
  return { sitemaps: [], redirect: { url: key, hops: answer.hops + 1 } }
}

/** The wish counts from the file that voices it: the first page waits for it too. */
async function noteCrawlDelay(sql: Sql, answer: RobotsAnswer, delayMs: number): Promise<void> {
  const restUntil = answer.now + delayMs
  await sql.run(
    `UPDATE hosts SET crawl_delay_ms = ?,
       next_allowed_at = CASE WHEN next_allowed_at > ? THEN next_allowed_at ELSE ? END
     WHERE id = ?`,
    [delayMs, restUntil, restUntil, answer.hostId],
  )
}

/** A second opinion on a robots.txt has mostly come by then. */
const OPINION_MS = 30_000

/**
 * A stranger's robots.txt waits for a second opinion: no agent requests it again in the meantime.
 * The last good rules hold until it has come; a closed host does not stay closed longer because of
 * it.
 */
export async function awaitRobots(
  sql: Sql,
  { hostId, scheme, now }: { hostId: number; scheme: string; now: number },
): Promise<void> {
  await sql.run(
    `INSERT INTO robots (host_id, scheme, verdict, fetched_at, expires_at)
     VALUES (?, ?, 'waiting', ?, ?)
     ON CONFLICT (host_id, scheme) DO UPDATE SET expires_at = excluded.expires_at,
       verdict = CASE WHEN robots.verdict = 'forbid-all' THEN 'waiting' ELSE robots.verdict END
       WHERE robots.verdict = 'waiting' OR robots.expires_at <= excluded.fetched_at`,
    [hostId, scheme, now, now + OPINION_MS],
  )
}

/** Whose robots.txt a queued robots request is for, read back from its key. */
export function robotsOwner(key: string): { hostId: number; scheme: string } | null {
  const match = /#robots-of:(\d+):(https?):\d+:\d+$/.exec(key)
  return match ? { hostId: Number(match[1]), scheme: match[2]! } : null
}

async function save(
  sql: Sql,
  { collectionId, hostId, scheme, now }: RobotsAnswer,
  memory: Omit<RobotsMemory, 'outcome'>,
): Promise<void> {
  await sql.run(
    `INSERT INTO robots (host_id, scheme, verdict, rules, fetched_at, expires_at, attempts, code)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (host_id, scheme) DO UPDATE SET verdict = excluded.verdict, rules = excluded.rules,
       fetched_at = excluded.fetched_at, expires_at = excluded.expires_at,
       attempts = excluded.attempts, code = excluded.code`,
    [
      hostId,
      scheme,
      memory.verdict,
      memory.rules === null ? null : JSON.stringify(memory.rules),
      now,
      memory.expiresAt,
      memory.attempts,
      memory.code,
    ],
  )
  // A redirected robots.txt is settled on another host: this one's turn must be moved from here.
  if (memory.verdict !== 'waiting') {
    await sql.run(
      'UPDATE collection_hosts SET turn_at = ? WHERE collection_id = ? AND host_id = ?',
      [now, collectionId, hostId],
    )
  }
}
