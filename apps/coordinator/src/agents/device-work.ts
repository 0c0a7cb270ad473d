/** What devices have in hand now, and what there is to do for anyone. */
import { findDevice, type OwnDeviceArgs } from '@minga/fleet'
import type { DeviceAgent, DeviceItem, DeviceLease } from '@minga/protocol'
import type { Sql } from '@minga/store'
import type { WorkThere } from './why-idle.ts'

export async function workThere(sql: Sql): Promise<WorkThere> {
  const rows = await sql.all<{ queued: number; spec: string }>(
    `SELECT queued, spec FROM collections WHERE state = 'running'`,
  )
  // Hosts that are out are few: the first that is not ends the search.
  const free = await sql.get(
    `SELECT 1 AS one FROM collection_hosts h JOIN collections c ON c.id = h.collection_id
     WHERE h.queued > 0 AND c.state = 'running'
       AND NOT EXISTS (SELECT 1 FROM host_leases l WHERE l.host_id = h.host_id) LIMIT 1`,
  )
  const sum = (of: typeof rows): number => of.reduce((total, { queued }) => total + queued, 0)
  return {
    running: rows.length,
    queued: sum(rows),
    queuedForTrusted: sum(rows.filter(({ spec }) => isOfWiki(spec))),
    hasFreeHost: free !== undefined,
  }
}

function isOfWiki(spec: string): boolean {
  const { wiki = null } = JSON.parse(spec) as { wiki?: object | null }
  return wiki !== null
}

export interface AtWork {
  agent: DeviceAgent | null
  rest: string | null
  lease: DeviceLease | null
  isReady: boolean
  due: number
}

interface AtWorkRow {
  boot: string
  rest: string | null
  joined_at: number
  last_beat_at: number
  ready: number | null
  due: number | null
  in_hand: number | null
}

const AWAY: AtWork = { agent: null, rest: null, lease: null, isReady: false, due: 0 }

export async function atWorkOf(sql: Sql, device: string): Promise<AtWork> {
  const row = await sql.get<AtWorkRow>(
    `SELECT a.boot, a.rest, a.joined_at, a.last_beat_at, l.ready, l.due, l.in_hand
     FROM agents a LEFT JOIN agent_loads l ON l.device = a.device
     WHERE a.device = ? ORDER BY a.joined_at DESC LIMIT 1`,
    [device],
  )
  if (row === undefined) return AWAY
  const lease = await sql.get<{
    leases: number
    opened_at: number | null
    deadline: number | null
  }>(
    `SELECT COUNT(*) AS leases, MIN(opened_at) AS opened_at, MIN(deadline) AS deadline
     FROM leases WHERE boot = ?`,
    [row.boot],
  )
  return {
    agent: { joinedAt: row.joined_at, lastBeatAt: row.last_beat_at },
    rest: row.rest,
    lease:
      lease!.leases === 0
        ? null
        : {
            leases: lease!.leases,
            openedAt: lease!.opened_at!,
            deadline: lease!.deadline!,
            requests: row.in_hand ?? 0,
          },
    isReady: row.ready === 1,
    due: row.due ?? 0,
  }
}

/** More than a person reads. */
const ITEMS_SHOWN = 100

interface LeasedHost {
  host_id: number
  name: string
  collection_id: number
  items: string
  fence: number
  opened_at: number
  deadline: number
}

/** Addresses that are out with it now, the oldest lease first. What was fetched may still be listed a moment. */
export async function deviceWork(sql: Sql, args: OwnDeviceArgs): Promise<DeviceItem[]> {
  await findDevice(sql, args)
  const hosts = await sql.all<LeasedHost>(
    `SELECT h.host_id, n.name, h.collection_id, h.items, h.fence, l.opened_at, l.deadline
     FROM agents a JOIN leases l ON l.boot = a.boot
     JOIN host_leases h ON h.fence = l.fence JOIN hosts n ON n.id = h.host_id
     WHERE a.device = ? ORDER BY l.opened_at, h.fence, n.name LIMIT ${ITEMS_SHOWN}`,
    [args.device],
  )
  const asked = hosts
    .flatMap((host) => hashesIn(host.items).map((hash) => ({ host, hash })))
    .slice(0, ITEMS_SHOWN)
  const urls = await sql.selectMany<{ url: string }>({
    table: 'urls',
    keys: ['collection_id', 'host_id', 'hash'],
    rows: asked.map(({ host, hash }) => [host.collection_id, host.host_id, hash]),
    columns: ['url'],
  })
  return asked.map(({ host }, i) => ({
    host: host.name,
    // Robots files are in no queue.
    url: urls[i]?.url ?? null,
    collectionId: host.collection_id,
    openedAt: host.opened_at,
    deadline: host.deadline,
  }))
}

function hashesIn(items: string): number[] {
  const read: unknown = JSON.parse(items)
  return Array.isArray(read) ? read.filter((item) => typeof item === 'number') : []
}
