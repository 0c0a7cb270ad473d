/**
 * Which agents are at work. A boot is one run of an agent's program; a device has one boot at a
 * time, so a new boot's hello ends whatever the device's former boot still held.
 */
import { SILENCE_MS, UnknownAgent } from '@minga/protocol'
import { logEvents, noteStationEvents, type Sql } from '@minga/store'
import { endLeases, type LeaseEnds } from './lease-end.ts'
import { connectLoad, disconnectLoad, forgetLoad, holdBackBoot } from '../placement/connections.ts'
import { endStragglers, type StragglerArgs } from '../placement/stragglers.ts'
import { forUpdate } from '../row-locks.ts'

interface HelloArgs {
  boot: string
  device: string
  now: number
  country?: string | null
  /** The former boot, when its program is known to have ended. */
  endedBoot?: string | null
}

/** Answers whether a former boot's work is free now. */
export async function hello(sql: Sql, args: HelloArgs): Promise<boolean> {
  const former = await sql.all<{ boot: string }>(
    'SELECT boot FROM agents WHERE device = ? AND boot <> ?',
    [args.device, args.boot],
  )
  // A second program with the same key may have come while the first is at work.
  for (const { boot } of former) {
    const stillDialsMs = boot === args.endedBoot ? 0 : SILENCE_MS
    await endBoots(sql, [boot], { now: args.now, stillDialsMs })
  }
  const known = await sql.get('SELECT 1 FROM agents WHERE boot = ?', [args.boot])
  await sql.run(
    `INSERT INTO agents (boot, device, joined_at, last_beat_at, progress_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (boot) DO UPDATE SET last_beat_at = excluded.last_beat_at`,
    [args.boot, args.device, args.now, args.now, args.now],
  )
  if (!known) await noteAgents(sql, [args.device], 'joined', args.now)
  await connectLoad(sql, { device: args.device, country: args.country ?? null })
  return former.length > 0
}

interface BeatArgs {
  boot: string
  progress: number
  fences: number[]
  rests?: boolean | undefined
  /** Why it rests, in the agent's own word. */
  rest?: string | null | undefined
  now: number
}

/** Of an agent that rests and does not say why. */
const RESTING = 'resting'

/**
 * Notes a sign of life; answers which of the agent's fences are no longer valid. Leases that the
 * agent does not know of, because the answer that brought them was lost, end here: otherwise its
 * beats would keep their hosts out of everyone's reach.
 */
export async function beat(sql: Sql, args: BeatArgs): Promise<{ ended: number[] }> {
  const rest = args.rests ? (args.rest ?? RESTING) : null
  const changed = await sql.run(
    `UPDATE agents SET last_beat_at = ?,
       progress_at = CASE WHEN progress = ? THEN progress_at ELSE ? END, progress = ?, rest = ?
     WHERE boot = ?`,
    [args.now, args.progress, args.now, args.progress, rest, args.boot],
  )
  if (changed === 0) throw new UnknownAgent(args.boot)
  // Its owner lets it rest: what is meant for it would wait for as long.
  if (args.rests) await holdBackBoot(sql, args.boot)
  const held = await sql.all<{ fence: number; opened_at: number }>(
    'SELECT fence, opened_at FROM leases WHERE boot = ?',
    [args.boot],
  )
  const known = new Set(args.fences)
  // A young lease may still be on its way to the agent.
  const lost = held.filter(
    ({ fence, opened_at }) => !known.has(fence) && opened_at < args.now - SILENCE_MS,
  )
  await endLeases(sql, { fences: lost.map((lease) => lease.fence), now: args.now })
  const valid = new Set(held.map((lease) => lease.fence))
  return { ended: args.fences.filter((fence) => !valid.has(fence)) }
}

export async function goodbye(sql: Sql, args: { boot: string; now: number }): Promise<void> {
  const left = await endBoots(sql, [args.boot], { now: args.now })
  await noteAgents(sql, left, 'left', args.now)
}

/** A device that was revoked or deleted: it holds nothing any more and nothing is meant for it. */
export async function removeDevice(sql: Sql, args: { device: string; now: number }): Promise<void> {
  const boots = await sql.all<{ boot: string }>('SELECT boot FROM agents WHERE device = ?', [
    args.device,
  ])
  // It may be at work, and learns of it by its next beat.
  await endBoots(
    sql,
    boots.map((agent) => agent.boot),
    { now: args.now, stillDialsMs: SILENCE_MS },
  )
  await forgetLoad(sql, args.device)
}

/** Ends the leases of silent agents, the leases past their deadline, and those of stragglers. */
export async function sweep(sql: Sql, args: StragglerArgs): Promise<void> {
  const silent = await sql.all<{ boot: string }>('SELECT boot FROM agents WHERE last_beat_at < ?', [
    args.now - SILENCE_MS,
  ])
  const lost = await endBoots(
    sql,
    silent.map((agent) => agent.boot),
    { now: args.now },
  )
  await noteAgents(sql, lost, 'lost', args.now)
  const late = await sql.all<{ fence: number }>('SELECT fence FROM leases WHERE deadline < ?', [
    args.now,
  ])
  await endLeases(sql, { fences: late.map((lease) => lease.fence), now: args.now })
  await endStragglers(sql, args)
}

/**
 * After a coordinator was away, its agents could not be heard: they get a full silence from now
 * on before they count as silent. Boots that never come back end by the sweep.
 */
export async function forgiveAbsence(sql: Sql, args: { now: number }): Promise<void> {
  await sql.run('UPDATE agents SET last_beat_at = ?', [args.now])
  // The wait restarts with the agent's next request, so that stragglers are not judged by older
  // data.
  await sql.run('UPDATE agent_loads SET idle_since = NULL WHERE idle_since IS NOT NULL')
}

const AGENT_SENTENCES = {
  joined: 'The agent connected and asks for work.',
  left: 'The agent said goodbye; what it held goes to others.',
  lost: 'The agent was silent for too long; what it held goes to others.',
} as const

type BootEnd = Pick<LeaseEnds, 'now' | 'stillDialsMs'>

async function noteAgents(
  sql: Sql,
  devices: readonly string[],
  what: 'joined' | 'left' | 'lost',
  now: number,
): Promise<void> {
  const event = { at: now, kind: `agent:${what}`, detail: '' }
  await noteStationEvents(
    sql,
    devices.map((subject) => ({ ...event, subject })),
  )
  const logged = { at: now, code: `agent:${what}`, sentence: AGENT_SENTENCES[what] } as const
  await logEvents(
    sql,
    devices.map((device) => ({ ...logged, subject: device, device })),
  )
}

/**
 * What they held and what was meant for them is everyone's again, in one transaction. Answers their
 * devices.
 */
async function endBoots(sql: Sql, boots: readonly string[], end: BootEnd): Promise<string[]> {
  const devices: string[] = []
  for (const boot of boots) {
    // A lease that is being given to it keeps the row: it is waited for, and found below.
    const agent = await sql.get<{ device: string }>(
      `SELECT device FROM agents WHERE boot = ?${forUpdate(sql)}`,
      [boot],
    )
    if (agent) devices.push(agent.device)
    const leases = await sql.all<{ fence: number }>('SELECT fence FROM leases WHERE boot = ?', [
      boot,
    ])
    await endLeases(sql, { ...end, fences: leases.map((lease) => lease.fence) })
    await sql.run('DELETE FROM agents WHERE boot = ?', [boot])
  }
  for (const device of devices.toSorted()) await disconnectLoad(sql, device)
  return devices
}
