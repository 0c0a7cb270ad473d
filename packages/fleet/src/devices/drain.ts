/**
 * What an operator may request of another user's device without judging it: to finish its work and
 * take no more, and to show its owner a message. Both are in the device's log, which its owner
 * reads.
 */
import type { Sql } from '@minga/store'
import { writeLog, type TrustAction } from '../trust/trust-rows.ts'
import { NoSuchDevice } from './device-errors.ts'

interface Asked {
  readonly device: string
  /** The account that asks. */
  readonly who: string
  readonly note: string | null
  readonly now: number
}

/** Also while it is away: it gets nothing when it comes back. */
export async function markDrained(sql: Sql, args: Asked): Promise<void> {
  const changed = await sql.run(
    'UPDATE devices SET drained_at = COALESCE(drained_at, ?) WHERE id = ?',
    [args.now, args.device],
  )
  await noted(sql, args, { action: 'drained', changed })
}

export async function undrainDevice(sql: Sql, args: Asked): Promise<void> {
  const changed = await sql.run('UPDATE devices SET drained_at = NULL WHERE id = ?', [args.device])
  await noted(sql, args, { action: 'undrained', changed })
}

/** The latest message stands on the owner's pages; an empty one takes it away. */
export async function tellOwner(sql: Sql, args: Asked): Promise<void> {
  const at = args.note === null ? null : args.now
  const changed = await sql.run('UPDATE devices SET message = ?, message_at = ? WHERE id = ?', [
    args.note,
    at,
    args.device,
  ])
  await noted(sql, args, { action: args.note === null ? 'untold' : 'told', changed })
}

async function noted(
  sql: Sql,
  { device, who, note, now }: Asked,
  { action, changed }: { action: TrustAction; changed: number },
): Promise<void> {
  if (changed === 0) throw new NoSuchDevice(device)
  await writeLog(sql, { at: now, device, who, action, reason: null, note })
}

/** What a device that asks for work receives in addition. */
export interface DeviceOrders {
  readonly isPaused: boolean
  readonly isDrained: boolean
  readonly message: { readonly text: string; readonly at: number } | null
}

export async function ordersOf(sql: Sql, { device }: { device: string }): Promise<DeviceOrders> {
  const row = await sql.get<{
    state: string
    drained_at: number | null
    message: string | null
    message_at: number | null
  }>('SELECT state, drained_at, message, message_at FROM devices WHERE id = ?', [device])
  const text = row?.message ?? null
  return {
    isPaused: row?.state === 'paused',
    isDrained: (row?.drained_at ?? null) !== null,
    message: text === null ? null : { text, at: row!.message_at! },
  }
}

/** Its hello was genuine and was rejected all the same; the owner is notified. */
export async function noteRefusal(
  sql: Sql,
  args: { device: string; code: string; now: number },
): Promise<void> {
  await sql.run('UPDATE devices SET refused = ?, seen_at = ? WHERE id = ?', [
    args.code,
    args.now,
    args.device,
  ])
}
