/**
 * Subscriptions at hubs (WebSub, W3C Recommendation 2018), as they are kept:
 *   wanted → asked → active → (asked → active)*, or refused.
 */
import type { Sql } from '@minga/store'
import { z } from 'zod'

export interface Subscription {
  token: string
  collectionId: number
  topic: string
  hub: string
  secret: string
  state: 'wanted' | 'asked' | 'active' | 'refused'
  tries: number
}

const COLUMNS = `token, collection_id AS "collectionId", topic, hub, secret, state, tries`
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** A hub calls back within seconds, or not at all. */
const ANSWER_MS = 10 * MINUTE_MS
/** Pauses after a refusal or silence; then the hub is left alone. */
const RETRY_MS = [HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS, 7 * 24 * HOUR_MS]

/** One hub for each topic of a watch; another hub of a known topic is asked when the first fails. */
export async function wantSubscription(
  sql: Sql,
  args: {
    collectionId: number
    topic: string
    hub: string
    /** Secret and unguessable; set when the topic is new. */
    token: string
    secret: string
    now: number
  },
): Promise<void> {
  const { collectionId, topic, hub, token, secret, now } = args
  await sql.insertMany({
    table: 'websub_subscriptions',
    columns: [
      'token',
      'collection_id',
      'topic',
      'hub',
      'secret',
      'state',
      'next_try_at',
      'created_at',
    ],
    rows: [[token, collectionId, topic, hub, secret, 'wanted', now, now]],
    onConflict: 'ignore',
  })
  await sql.run(
    `UPDATE websub_subscriptions SET hub = ?, state = 'wanted', tries = 0, next_try_at = ?,
       problem = NULL WHERE collection_id = ? AND topic = ? AND hub <> ? AND state = 'refused'`,
    [hub, now, collectionId, topic, hub],
  )
}

/** Those whose hub is to be asked now: new ones, unanswered ones, and leases that end soon. Each is
 * put off at once, so that two coordinators do not ask together. Paused watches ask for nothing. */
export async function dueSubscriptions(
  sql: Sql,
  args: { now: number; limit: number },
): Promise<Subscription[]> {
  const rows = await sql.all<Subscription>(
    `SELECT ${COLUMNS} FROM websub_subscriptions WHERE next_try_at <= ?
       AND collection_id IN (SELECT collection_id FROM watches WHERE is_active = 1)
     ORDER BY next_try_at LIMIT ?${sql.forUpdateSkipLocked}`,
    [args.now, args.limit],
  )
  await sql.updateMany({
    table: 'websub_subscriptions',
    keys: ['token'],
    set: ['next_try_at', 'asked_at'],
    rows: rows.map(({ token }) => [token, args.now + ANSWER_MS, args.now]),
  })
  return rows
}

/** What the hub said to our asking: null when it took it. */
export async function noteAsked(
  sql: Sql,
  args: { token: string; problem: string | null; now: number },
): Promise<void> {
  const row = await subscriptionOf(sql, args)
  if (row === null) return
  const tries = row.tries + 1
  const pauseMs = RETRY_MS[Math.min(tries, RETRY_MS.length) - 1]!
  const isOver = tries > RETRY_MS.length
  // Taken is not active yet: the hub calls back to ask whether it was us. Silence counts as a try.
  const isTaken = args.problem === null && !isOver
  const state = isTaken
    ? row.state === 'active'
      ? 'active'
      : 'asked'
    : isOver
      ? 'refused'
      : row.state
  await sql.run(
    `UPDATE websub_subscriptions SET state = ?, tries = ?, problem = ?, next_try_at = ?
     WHERE token = ?`,
    [
      state,
      tries,
      args.problem,
      isOver ? null : args.now + (isTaken ? Math.max(ANSWER_MS, pauseMs) : pauseMs),
      args.token,
    ],
  )
}

export async function subscriptionOf(
  sql: Sql,
  { token }: { token: string },
): Promise<Subscription | null> {
  const row = await sql.get<Subscription>(
    `SELECT ${COLUMNS} FROM websub_subscriptions WHERE token = ?`,
    [token],
  )
  return row ?? null
}

/** A lease is renewed when nine tenths of it are over; hubs may give very short and very long ones. */
const LEASE_MIN_MS = 10 * MINUTE_MS
const LEASE_MAX_MS = 90 * 24 * HOUR_MS

export async function noteVerified(
  sql: Sql,
  args: { token: string; leaseMs: number; now: number },
): Promise<void> {
  const leaseMs = Math.min(LEASE_MAX_MS, Math.max(LEASE_MIN_MS, args.leaseMs))
  await sql.run(
    `UPDATE websub_subscriptions SET state = 'active', tries = 0, problem = NULL, lease_until = ?,
       next_try_at = ? WHERE token = ?`,
    [args.now + leaseMs, args.now + Math.round(leaseMs * 0.9), args.token],
  )
}

export async function noteDenied(sql: Sql, args: { token: string; reason: string }): Promise<void> {
  await sql.run(
    `UPDATE websub_subscriptions SET state = 'refused', problem = ?, next_try_at = NULL
     WHERE token = ?`,
    [`the hub said no: ${args.reason}`.slice(0, 500), args.token],
  )
}

// With what a hub may sign for one subscription. A rotation gives it another secret; until the hub has
// been asked again it signs with the former one, which is accepted for the grace of the rotation. All
// of them are encrypted as one text, which is a single secret where nothing was rotated.

const hubSecrets = z
  .array(z.object({ secret: z.string().min(1), until: z.number().nullable() }))
  .min(1)

type HubSecrets = z.infer<typeof hubSecrets>

function readHubSecrets(opened: string): HubSecrets {
  return opened.startsWith('[')
    ? hubSecrets.parse(JSON.parse(opened))
    : [{ secret: opened, until: null }]
}

/** What a hub is given when it is asked. */
export function currentHubSecret(opened: string): string {
  return readHubSecrets(opened)[0]!.secret
}

export function acceptedHubSecrets(opened: string, now: number): string[] {
  const valid = readHubSecrets(opened).filter(({ until }) => until === null || until > now)
  return valid.map(({ secret }) => secret)
}

/** With a fresh secret first; no former one lasts longer than before. */
export function renewedHubSecrets(
  opened: string,
  { fresh, now, until }: { fresh: string; now: number; until: number },
): string {
  const former = readHubSecrets(opened).map(({ secret, until: end }) => ({
    secret,
    until: Math.min(end ?? until, until),
  }))
  const valid = former.filter((each) => each.until > now)
  return JSON.stringify([{ secret: fresh, until: null }, ...valid] satisfies HubSecrets)
}
