/**
 * How a host comes back from a lease: released when its last request was settled, or ended unseen
 * when its agent fell silent. In both cases the clocks of host and address group move in the same
 * transaction, so no agent can contact the host in between.
 */
import type { Sql } from '@minga/store'
import { parseSpec } from '../collections/collections.ts'
import { requestedDelayMs, delayOf } from '../hosts/host-clock.ts'
import { changedLoad, lockLoads, noChange, saveLoads } from '../placement/loads.ts'
import { unseenDelayMs } from '../hosts/politeness.ts'
import { lockRows } from '../row-locks.ts'

interface HeldHost {
  host_id: number
  fence: number
  collection_id: number
  address: string
  delay_ms: number
  items: string
  crawl_delay_ms: number
  slow_ms: number
  backoff_ms: number
  spec: string
}

export interface LeaseEnds {
  fences: readonly number[]
  now: number
  /** How long the agent may still dial because it does not know yet; 0 when it stopped by itself. */
  stillDialsMs?: number
}

/** Ends leases whose results will not come: their hosts rest a full delay from when the agent has
 * surely stopped. */
export async function endLeases(sql: Sql, args: LeaseEnds): Promise<void> {
  const { fences, now, stillDialsMs = 0 } = args
  const lost = new Map<string, number>()
  for (const fence of fences) {
    const holder = await sql.get<{ device: string }>(
      'SELECT a.device FROM leases l JOIN agents a ON a.boot = l.boot WHERE l.fence = ?',
      [fence],
    )
    // Results of this lease may be arriving at this moment: they count, or its end does.
    await lockRows(sql, { table: 'host_leases', key: 'fence', values: [fence] })
    const held = await sql.all<HeldHost>(
      `SELECT l.host_id, l.fence, l.collection_id, l.address, l.delay_ms, l.items,
              h.crawl_delay_ms, h.slow_ms, h.backoff_ms, c.spec
       FROM host_leases l JOIN hosts h ON h.id = l.host_id
         JOIN collections c ON c.id = l.collection_id WHERE l.fence = ?`,
      [fence],
    )
    for (const host of held) {
      const delayMs = delayOf({
        collectionMs: Math.max(host.delay_ms, unseenDelayMs(parseSpec(host.spec))),
        robotsMs: requestedDelayMs(host),
        backoffMs: host.backoff_ms,
      })
      await releaseHost(sql, {
        ...releaseOf(host),
        restUntil: now + stillDialsMs + delayMs,
        turnAt: now + stillDialsMs + delayMs,
      })
      if (holder) {
        const { unfinished } = releaseOf(host)
        lost.set(holder.device, (lost.get(holder.device) ?? 0) + unfinished)
      }
    }
    await sql.run('DELETE FROM leases WHERE fence = ?', [fence])
  }
  await countLost(sql, lost)
}

/** Last of all, see placement/loads.ts on the order of locks. */
async function countLost(sql: Sql, lost: ReadonlyMap<string, number>): Promise<void> {
  const loads = await lockLoads(sql, [...lost.keys()].toSorted())
  const changed = [...loads.values()].map((load) =>
    changedLoad(load, { ...noChange(), in_hand: -lost.get(load.device)! }),
  )
  await saveLoads(sql, changed)
}

function releaseOf(host: HeldHost): Omit<HostRelease, 'restUntil' | 'turnAt'> {
  return {
    hostId: host.host_id,
    collectionId: host.collection_id,
    address: host.address,
    unfinished: (JSON.parse(host.items) as number[]).length,
  }
}

export interface HostRelease {
  hostId: number
  collectionId: number
  address: string
  /** Requests that were out and go back to the queue. */
  unfinished: number
  /** Clocks never move backwards: an earlier instant than the stored one changes nothing. */
  restUntil: number
  /** When the collection may check this host again. */
  turnAt: number
}

export async function releaseHost(sql: Sql, release: HostRelease): Promise<void> {
  const { hostId, collectionId, address, restUntil } = release
  await sql.run(
    `UPDATE hosts SET fence = 0,
       next_allowed_at = CASE WHEN next_allowed_at > ? THEN next_allowed_at ELSE ? END
     WHERE id = ?`,
    [restUntil, restUntil, hostId],
  )
  await sql.run(
    `UPDATE address_groups SET in_flight = in_flight - 1,
       next_allowed_at = CASE WHEN next_allowed_at > ? THEN next_allowed_at ELSE ? END
     WHERE address = ?`,
    [restUntil, restUntil, address],
  )
  await sql.run('UPDATE collection_hosts SET turn_at = ? WHERE collection_id = ? AND host_id = ?', [
    release.turnAt,
    collectionId,
    hostId,
  ])
  await sql.run('DELETE FROM host_leases WHERE host_id = ?', [hostId])
  if (release.unfinished > 0) {
    await sql.run('UPDATE collections SET leased = leased - ? WHERE id = ?', [
      release.unfinished,
      collectionId,
    ])
  }
}
