/**
 * The end of a handover at the new owner: the host may be leased from now on. It may come before the row
 * of the map that it belongs to, for the former owner heard of the move earlier; then it waits for it.
 */
import type { Sql } from '@minga/store'
import type { HostClock } from './entries.ts'
import { openHost, restAfterOthersMs } from './open-host.ts'

interface Ended {
  self: string
  from: string
  clock: HostClock
  now: number
}

interface OwnRow {
  station: string
  awaits: string | null
  applied: number
}

export async function endHandover(sql: Sql, ended: Ended): Promise<void> {
  const { self, from, clock } = ended
  const row = await sql.get<OwnRow>(
    'SELECT station, awaits, applied FROM placement_hosts WHERE host = ?',
    [clock.host],
  )
  if (!row || row.applied < clock.epoch) await keepEarly(sql, ended)
  else if (row.station === self && row.awaits === from && row.applied === clock.epoch) {
    await openHanded(sql, ended)
  }
}

async function keepEarly(sql: Sql, { from, clock }: Ended): Promise<void> {
  await sql.insertMany({
    table: 'federation_early',
    columns: ['host', 'station', 'epoch', 'clock'],
    rows: [[clock.host, from, clock.epoch, JSON.stringify(clock)]],
    onConflict: { keys: ['host'], update: ['station', 'epoch', 'clock'] },
  })
}

/** A host has become this station's: answers whether its handover was over already. */
export async function takeEarly(
  sql: Sql,
  args: { host: string; from: string; epoch: number; now: number },
): Promise<boolean> {
  const { host, from, epoch, now } = args
  const row = await sql.get<{ station: string; epoch: number; clock: string }>(
    'SELECT station, epoch, clock FROM federation_early WHERE host = ?',
    [host],
  )
  if (!row || row.epoch > epoch) return false
  await sql.run('DELETE FROM federation_early WHERE host = ?', [host])
  if (row.epoch !== epoch || row.station !== from) return false
  await openHanded(sql, { from, clock: JSON.parse(row.clock) as HostClock, now })
  return true
}

async function openHanded(
  sql: Sql,
  { from, clock, now }: Pick<Ended, 'from' | 'clock' | 'now'>,
): Promise<void> {
  const { host, crawlDelayMs, backoffMs } = clock
  const row = await sql.get<{ id: number; address: string | null }>(
    `SELECT h.id, p.address FROM hosts h JOIN placement_hosts p ON p.host = h.name
     WHERE h.name = ? AND p.awaits = ?`,
    [host, from],
  )
  if (!row) return
  await sql.run(
    `UPDATE hosts SET
       crawl_delay_ms = CASE WHEN crawl_delay_ms > ? THEN crawl_delay_ms ELSE ? END,
       backoff_ms = CASE WHEN backoff_ms > ? THEN backoff_ms ELSE ? END
     WHERE id = ?`,
    [crawlDelayMs, crawlDelayMs, backoffMs, backoffMs, row.id],
  )
  const restMs = Math.max(clock.restMs, await restAfterOthersMs(sql), crawlDelayMs)
  const addresses = row.address === null ? [] : [row.address]
  await openHost(sql, { hostId: row.id, addresses, restUntil: now + restMs, now })
  await settleHandover(sql, host)
}

/** It is handed over, as far as this station is concerned; the registrar is notified. */
export async function settleHandover(sql: Sql, host: string): Promise<void> {
  await sql.run('UPDATE placement_hosts SET awaits = NULL WHERE host = ?', [host])
  await sql.insertMany({
    table: 'federation_settled',
    columns: ['host'],
    rows: [[host]],
    onConflict: 'ignore',
  })
}
