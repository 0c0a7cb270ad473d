/** What the rules of attention are about, read from the store by its indexes and never in full. */
import { readStatuses } from '@minga/frontier'
import { EVENT_LEVELS, type CollectionStatus } from '@minga/protocol'
import type { Sql, OperationTable } from '@minga/store'
import { watchNoise } from '../../watch/watch-noise.ts'
import {
  RECENT_MS,
  type CollectionFacts,
  type DeviceFacts,
  type ProcessFacts,
  type WatchFacts,
} from './attention-rules.ts'

export interface AttentionRows {
  collections: CollectionFacts[]
  watches: WatchFacts[]
  devices: (DeviceFacts & { owner: string })[]
  processes: ProcessFacts[]
}

const COLLECTIONS_READ = 200
const WATCH_EVENTS_READ = 500
const WATCHES_MOST = 50
const DEVICES_MOST = 1_000
const PROCESS_EVENTS_READ = 500
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

async function attentionRows(sql: Sql, { now }: { now: number }): Promise<AttentionRows> {
  return {
    collections: await troubledCollections(sql, now),
    watches: await troubledWatches(sql),
    devices: await troubledDevices(sql, now),
    processes: await replacedProcesses(sql, now),
  }
}

/** Others are collected for clients, audits and watches, which have reports of their own. */
const KINDS: readonly string[] = ['crawl', 'wiki']

async function troubledCollections(sql: Sql, now: number): Promise<CollectionFacts[]> {
  const statuses = await readStatuses(sql, {
    condition: `id IN (SELECT id FROM (SELECT id FROM collections ORDER BY id DESC
        LIMIT ${COLLECTIONS_READ}) AS newest)
      AND (state = 'running' OR (state = 'finished' AND ended_at >= ?))
      AND (pages = 0 OR failed * 10 > captures)`,
    params: [now - RECENT_MS],
  })
  return statuses.filter(({ spec }) => KINDS.includes(spec.kind)).map(collectionFacts)
}

function collectionFacts(status: CollectionStatus): CollectionFacts {
  const { id, spec, outcome, captures, failed, problem, endedAt, createdAt } = status
  return {
    id,
    name: spec.seeds[0] ?? `#${id}`,
    isFailed: outcome === 'failed',
    captures,
    failed,
    problem,
    at: endedAt ?? createdAt,
  }
}

/**
 * The log says which watches had trouble: to look for it among the pages of all watches would be to read a million
 * rows. What it says is looked up, since the trouble may be over.
 */
async function troubledWatches(sql: Sql): Promise<WatchFacts[]> {
  const noted = await sql.all<{ id: number; name: string; lostAt: number; noisyAt: number }>(
    `SELECT w.collection_id AS id, MAX(w.name) AS name,
       MAX(CASE WHEN e.code = 'watch:lost' THEN e.at ELSE 0 END) AS "lostAt",
       MAX(CASE WHEN e.code = 'watch:noisy' THEN e.at ELSE 0 END) AS "noisyAt"
     FROM (SELECT code, subject, at FROM event_log WHERE level = ? AND context = 'watch'
       ORDER BY id DESC LIMIT ${WATCH_EVENTS_READ}) AS e
     JOIN watches w ON CAST(w.collection_id AS TEXT) = e.subject
     WHERE w.is_active = 1 GROUP BY w.collection_id ORDER BY w.collection_id DESC
     LIMIT ${WATCHES_MOST}`,
    [EVENT_LEVELS.indexOf('warning')],
  )
  const found: WatchFacts[] = []
  for (const { id, name, lostAt, noisyAt } of noted) {
    const failing = lostAt === 0 ? undefined : await failingPage(sql, id)
    const noise = noisyAt === 0 ? [] : await watchNoise(sql, { id })
    found.push({
      id,
      name,
      failures: failing?.failures ?? 0,
      failingUrl: failing?.url ?? null,
      failingSince: lostAt,
      noisyRegions: noise.filter(({ isWarned }) => isWarned).length,
      noisySince: noisyAt,
    })
  }
  return found
}

function failingPage(sql: Sql, id: number): Promise<{ url: string; failures: number } | undefined> {
  return sql.get(
    'SELECT url, failures FROM forecasts WHERE collection_id = ? AND failures >= 3 LIMIT 1',
    [id],
  )
}

type DeviceRow = Omit<AttentionRows['devices'][number], 'isQuarantined'> & { state: string | null }

async function troubledDevices(sql: Sql, now: number): Promise<AttentionRows['devices']> {
  const rows = await sql.all<DeviceRow>(
    `SELECT d.id, d.name, d.owner, d.seen_at AS "seenAt", t.state,
       (SELECT MAX(l.at) FROM trust_log l WHERE l.device = d.id AND l.action = 'quarantined')
         AS "quarantinedAt"
     FROM devices d LEFT JOIN device_trust t ON t.device = d.id
     WHERE d.state = 'active' AND (t.state = 'quarantined' OR (
       COALESCE(t.state, 'active') = 'active' AND d.drained_at IS NULL
       AND d.seen_at < ? AND d.seen_at >= ?
       AND d.id NOT IN (SELECT device FROM agents)))
     ORDER BY d.seen_at DESC LIMIT ${DEVICES_MOST}`,
    [now - HOUR_MS, now - RECENT_MS],
  )
  return rows.map(({ state, ...row }) => ({ ...row, isQuarantined: state === 'quarantined' }))
}

async function replacedProcesses(sql: Sql, now: number): Promise<ProcessFacts[]> {
  const rows = await sql.all<{ code: string; name: string; at: number; details: string | null }>(
    `SELECT code, subject AS name, at, details FROM event_log
     WHERE context = 'process' AND at >= ? AND code IN ('process:replaced', 'process:resting')
     ORDER BY id DESC LIMIT ${PROCESS_EVENTS_READ}`,
    [now - DAY_MS],
  )
  const ends = rows.map(({ details, ...row }) => {
    const { role = 'process' } = JSON.parse(details ?? '{}') as { role?: string }
    return { ...row, role }
  })
  const groups = Map.groupBy(ends, ({ role, name }) => `${role} ${name}`)
  return [...groups.values()].map((group) => {
    const { role, name, at: lastAt } = group[0]!
    const replaced = group.filter(({ code }) => code === 'process:replaced').length
    return { role, name, replaced, rests: group.length - replaced, lastAt }
  })
}

export const attentionOperations = { attentionRows } satisfies OperationTable
