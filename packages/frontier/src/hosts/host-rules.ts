/**
 * What owners and operators decide about hosts, honoured at once: the transaction that keeps a rule
 * also voids the leases it touches, and from its commit on no lease gives the host out otherwise.
 *
 * Rules are summed up in the host's own row (`closed_code`, `slow_ms`), for known hosts when a rule
 * changes, for new ones when they are added. Both hold the row that hands out host ids in the
 * meantime, so a host that is added while its domain is being closed is closed too.
 *
 * A closed host's queue ends as denied, in steps (`endClosed`): one transaction stays short on a
 * host with a million URLs. Nothing depends on how soon that is done.
 */
import { SILENCE_MS } from '@minga/protocol'
import { logEvents, type Sql } from '@minga/store'
import { endUrls, type UrlEnd } from '../queue/end-urls.ts'
import { hostNameOf } from './host-key.ts'
import { patternsFor, type HostRule } from './host-rules-match.ts'
import { effectsOn } from './host-rules-read.ts'
import { endLeases } from '../lease/lease-end.ts'
import { forUpdate, lockRows } from '../row-locks.ts'

interface RuleArgs {
  /** Patterns as `parseHostRule` answers them. */
  rules: readonly string[]
  source: string
  now: number
}

interface RuleWords {
  reason: string
  /** Who made it: a proof's or an account's id. */
  by: string
}

export interface RulesChanged {
  /** Known hosts for which something is different now. */
  hosts: number
}

/** Nothing is fetched from these hosts from now on; call `endClosed` until nothing is left. */
export function closeHosts(
  sql: Sql,
  args: RuleArgs & RuleWords & { code: string },
): Promise<RulesChanged> {
  return putRules(sql, { ...args, effect: 'close', delayMs: 0 })
}

/** The hosts' pause between two requests is at least this. */
export function slowHosts(
  sql: Sql,
  args: RuleArgs & RuleWords & { delayMs: number },
): Promise<RulesChanged> {
  return putRules(sql, { ...args, effect: 'slow', code: '' })
}

/** Lifts wider closings that have this code. */
export function exemptHosts(
  sql: Sql,
  args: RuleArgs & RuleWords & { code: string },
): Promise<RulesChanged> {
  return putRules(sql, { ...args, effect: 'exempt', delayMs: 0 })
}

type PutRules = RuleArgs & RuleWords & Pick<HostRule, 'effect' | 'code' | 'delayMs'>

async function putRules(sql: Sql, args: PutRules): Promise<RulesChanged> {
  await holdHostIds(sql)
  const { source, effect, code, delayMs, reason, by, now } = args
  await sql.insertMany({
    table: 'host_rules',
    columns: ['pattern', 'source', 'effect', 'code', 'delay_ms', 'reason', 'made_by', 'since'],
    rows: args.rules.map((pattern) => [pattern, source, effect, code, delayMs, reason, by, now]),
    onConflict: {
      keys: ['pattern', 'source'],
      update: ['effect', 'code', 'delay_ms', 'reason', 'made_by', 'since'],
    },
  })
  if (effect !== 'slow')
    await logRules(sql, args, effect === 'close' ? 'host:closed' : 'host:opened')
  return applyRules(sql, args)
}

/** Named one by one; of a whole category it is enough to know how many. */
const NAMED_MOST = 10

async function logRules(
  sql: Sql,
  { rules, source, now, ...words }: RuleArgs & Partial<RuleWords>,
  code: 'host:closed' | 'host:opened',
): Promise<void> {
  const [first = '', ...others] = rules
  const subjects = others.length < NAMED_MOST ? rules : [first]
  const more = subjects.length < rules.length ? `, and ${others.length} more hosts` : ''
  const what = code === 'host:closed' ? 'Nothing is fetched from it' : 'It may be fetched from'
  const sentence = `${what} (${source}${more})${words.reason ? `: ${words.reason}` : '.'}`
  const details = {
    source,
    ...(more === '' ? {} : { others: others.length }),
    ...(words.reason ? { reason: words.reason } : {}),
  }
  await logEvents(
    sql,
    subjects.map((subject) => ({
      at: now,
      code,
      subject,
      sentence,
      details,
      by: words.by ?? null,
    })),
  )
}

/** Takes rules of this source back. What has ended stays ended; new URLs are welcome again. */
export async function openHosts(sql: Sql, args: RuleArgs): Promise<RulesChanged> {
  await holdHostIds(sql)
  await sql.deleteMany({
    table: 'host_rules',
    keys: ['pattern', 'source'],
    rows: args.rules.map((pattern) => [pattern, args.source]),
  })
  await logRules(sql, args, 'host:opened')
  return applyRules(sql, args)
}

/** No host is added by others until this transaction is over (see host-directory.ts). */
async function holdHostIds(sql: Sql): Promise<void> {
  await sql.get(`SELECT value FROM sequences WHERE name = 'host'${forUpdate(sql)}`)
}

interface KnownHost {
  id: number
  name: string
  closed_code: string | null
  slow_ms: number
}

async function applyRules(
  sql: Sql,
  { rules, now }: Pick<RuleArgs, 'rules' | 'now'>,
): Promise<RulesChanged> {
  const hosts = await matchingHosts(sql, rules)
  const effects = await effectsOn(
    sql,
    hosts.map(({ name }) => name),
  )
  const changed = hosts.flatMap((host) => {
    const { closed, delayMs } = effects.get(host.name)!
    const code = closed?.code ?? null
    if (code === host.closed_code && delayMs === host.slow_ms) return []
    return [{ ...host, code, delayMs }]
  })
  // The host's row first: a lease that is being opened holds it, and is found below.
  for (const { id, code, delayMs } of changed) {
    const restUntil = now + delayMs
    await sql.run(
      `UPDATE hosts SET closed_code = ?, slow_ms = ?,
         next_allowed_at = CASE WHEN next_allowed_at > ? THEN next_allowed_at ELSE ? END
       WHERE id = ?`,
      [code, delayMs, restUntil, restUntil, id],
    )
    await sql.run('UPDATE collection_hosts SET turn_at = ? WHERE host_id = ? AND turn_at > ?', [
      now,
      id,
      now,
    ])
  }
  const stricter = changed.filter((host) => host.code !== null || host.delayMs > host.slow_ms)
  await voidLeases(
    sql,
    stricter.map(({ id }) => id),
    now,
  )
  return { hosts: changed.length }
}

/** The whole lease ends, for an agent can give up no less; its other hosts are leased again. */
async function voidLeases(sql: Sql, hostIds: readonly number[], now: number): Promise<void> {
  const fences = new Set<number>()
  for (const id of hostIds) {
    const out = await sql.get<{ fence: number }>(
      'SELECT fence FROM host_leases WHERE host_id = ?',
      [id],
    )
    if (out) fences.add(out.fence)
  }
  const ended = [...fences].toSorted((a, b) => a - b)
  await endLeases(sql, { fences: ended, now, stillDialsMs: SILENCE_MS })
}

async function matchingHosts(sql: Sql, rules: readonly string[]): Promise<KnownHost[]> {
  const found = new Map<number, KnownHost>()
  const columns = 'id, name, closed_code, slow_ms'
  for (const rule of rules.filter((pattern) => !pattern.startsWith('*.'))) {
    const name = hostNameOf(rule)
    const port = rule.slice(name.length)
    // With and without the root dot. `;` is the character after `:`: the range is all ports.
    for (const spelt of [name, `${name}.`]) {
      const rows = await sql.all<KnownHost>(
        `SELECT ${columns} FROM hosts WHERE name = ? OR (name > ? AND name < ?)`,
        port === '' ? [spelt, `${spelt}:`, `${spelt};`] : [`${spelt}${port}`, '', ''],
      )
      for (const row of rows) found.set(row.id, row)
    }
  }
  const wide = new Set(rules.filter((pattern) => pattern.startsWith('*.')))
  if (wide.size > 0) {
    await eachHost(sql, columns, (row) => {
      if (patternsFor(row.name).some((pattern) => wide.has(pattern))) found.set(row.id, row)
    })
  }
  return [...found.values()].toSorted((a, b) => a.id - b.id)
}

/** Names are not indexed by their ends; decisions about domains are rare enough to read them all. */
const SCAN_STEP = 10_000

async function eachHost(sql: Sql, columns: string, look: (row: KnownHost) => void): Promise<void> {
  for (let after = 0; ;) {
    const rows = await sql.all<KnownHost>(
      `SELECT ${columns} FROM hosts WHERE id > ? ORDER BY id LIMIT ?`,
      [after, SCAN_STEP],
    )
    for (const row of rows) look(row)
    if (rows.length < SCAN_STEP) return
    after = rows.at(-1)!.id
  }
}

/** URLs ended per step. */
const ENDED_STEP = 2_000

interface ClosedQueue {
  collectionId: number
  hostId: number
  code: string
}

/** Ends a part of what is queued on closed hosts; true while there may be more. */
export async function endClosed(sql: Sql, args: { now: number }): Promise<{ isMore: boolean }> {
  const queues = await sql.all<ClosedQueue>(
    `SELECT c.collection_id AS "collectionId", h.id AS "hostId", h.closed_code AS code
     FROM hosts h JOIN collection_hosts c ON c.host_id = h.id
     WHERE h.closed_code IS NOT NULL AND c.queued > 0
       AND EXISTS (SELECT 1 FROM urls WHERE urls.collection_id = c.collection_id
         AND urls.host_id = c.host_id AND ${ENDS_WHEN_CLOSED('h.closed_code')})
     ORDER BY c.collection_id, h.id LIMIT 100`,
  )
  let ended = 0
  for (const queue of queues) {
    if (ended >= ENDED_STEP) break
    ended += await endClosedQueue(sql, { ...queue, now: args.now })
  }
  return { isMore: ended > 0 }
}

/** Queued, and not one of the few that go out all the same (`reserved_urls.despite`). */
const ENDS_WHEN_CLOSED = (code: string): string => `urls.outcome IS NULL
  AND NOT EXISTS (SELECT 1 FROM reserved_urls r WHERE r.collection_id = urls.collection_id
    AND r.host_id = urls.host_id AND r.hash = urls.hash AND r.despite = ${code})`

/** Ends a part of one closed host's queue in one collection; answers how many. */
export async function endClosedQueue(
  sql: Sql,
  { collectionId, hostId, code, now }: ClosedQueue & { now: number },
): Promise<number> {
  // As operations that queue URLs do: the counts are of rows that no other transaction changes in
  // the meantime.
  await lockRows(sql, { table: 'collections', key: 'id', values: [collectionId] })
  const rows = await sql.all<{ hash: number }>(
    `SELECT hash FROM urls WHERE collection_id = ? AND host_id = ? AND ${ENDS_WHEN_CLOSED('?')}
     ORDER BY priority LIMIT ?`,
    [collectionId, hostId, code, ENDED_STEP],
  )
  const ends = rows.map(({ hash }): UrlEnd => ({ hash, outcome: 'denied', code }))
  await endUrls(sql, { collectionId, hostId, ends, now })
  return ends.length
}
