/** An agent comes and goes; its lifetime count stays. */
import type { Sql } from '@minga/store'
import { busyOf, lockLoads, readLoad, saveLoads, type Load } from './loads.ts'

/**
 * A newcomer, or one that was away while others worked, starts level with the least served of
 * those present: it gets its fair share from now on and no flood to catch up with the past.
 */
export async function connectLoad(
  sql: Sql,
  args: { device: string; country: string | null },
): Promise<void> {
  const { device } = args
  const country = args.country ?? ''
  const old = await readLoad(sql, device)
  if (old?.connected === 1) {
    await sql.run('UPDATE agent_loads SET ready = 1, country = ? WHERE device = ?', [
      country,
      device,
    ])
    return
  }
  const least = await sql.get<{ balance: number }>(
    'SELECT balance FROM agent_loads WHERE ready = 1 ORDER BY balance, busy, device LIMIT 1',
  )
  const balance = Math.max(old?.balance ?? 0, least?.balance ?? 0)
  const busy = busyOf({ promised: 0, in_hand: 0, success: old?.success ?? 1 })
  await sql.insertMany({
    table: 'agent_loads',
    columns: ['device', 'connected', 'ready', 'country', 'balance', 'busy'],
    rows: [[device, 1, 1, country, balance, busy]],
    onConflict: { keys: ['device'], update: ['connected', 'ready', 'country', 'balance', 'busy'] },
  })
  await sql.run('UPDATE agent_latencies SET connected = 1 WHERE device = ?', [device])
}

/**
 * The device's assignments are released. Its row is locked first: an operation that assigns to it
 * at this moment either sees it gone or is seen here.
 */
export async function disconnectLoad(sql: Sql, device: string): Promise<void> {
  const load = (await lockLoads(sql, [device])).get(device)
  if (!load) return
  await sql.run('UPDATE agent_loads SET connected = 0 WHERE device = ?', [device])
  await sql.run('UPDATE agent_latencies SET connected = 0 WHERE device = ?', [device])
  await saveLoads(sql, [
    { ...(await withoutTurns(sql, load)), ready: 0, in_hand: 0, idle_since: null },
  ])
}

/** Nothing is meant for the device until it asks again; what it has in hand it may finish. */
export async function holdBack(sql: Sql, args: { device: string }): Promise<void> {
  const load = (await lockLoads(sql, [args.device])).get(args.device)
  if (load)
    await saveLoads(sql, [{ ...(await withoutTurns(sql, load)), ready: 0, idle_since: null }])
}

export async function holdBackBoot(sql: Sql, boot: string): Promise<void> {
  const ready = await sql.get<{ device: string }>(
    `SELECT l.device FROM agents a JOIN agent_loads l ON l.device = a.device
     WHERE a.boot = ? AND l.ready = 1`,
    [boot],
  )
  if (ready) await holdBack(sql, ready)
}

/** Takes the device's assignments back; they count as never given. */
export async function withoutTurns(sql: Sql, load: Load): Promise<Load> {
  await sql.run('UPDATE collection_hosts SET device = NULL, promised = 0 WHERE device = ?', [
    load.device,
  ])
  const freed = { ...load, due: 0, promised: 0, balance: load.balance - load.promised }
  return { ...freed, busy: busyOf(freed) }
}

/** Of a device that was removed nothing is kept. */
export async function forgetLoad(sql: Sql, device: string): Promise<void> {
  await sql.run('DELETE FROM agent_loads WHERE device = ?', [device])
  await sql.run('DELETE FROM agent_latencies WHERE device = ?', [device])
}

/** Whether more than one agent is connected, and how many, counted up to a limit. */
export async function agentsPresent(sql: Sql, atMost: number): Promise<number> {
  const row = await sql.get<{ n: number }>(
    'SELECT COUNT(*) AS n FROM (SELECT 1 FROM agents LIMIT ?) AS present',
    [atMost],
  )
  return row!.n
}
