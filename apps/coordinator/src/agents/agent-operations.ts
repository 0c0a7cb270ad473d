/** What an agent's calls change, each in one transaction over the rooms that it touches. */
import {
  eraseDevice,
  markRevoked,
  openDeviceSession,
  pauseDevice as markPaused,
  receiveDevice,
  refusalOf,
  trustOf,
  type OwnDeviceArgs,
  type ProvenHello,
} from '@minga/fleet'
import {
  hello,
  holdBack,
  lease,
  removeDevice,
  type LeaseAnswer,
  type LeaseArgs,
} from '@minga/frontier'
import { UnknownAgent } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { giveAudits } from '../trust/audits.ts'

export interface WelcomeArgs extends ProvenHello {
  readonly boot: string
  /** sha256 of the session token. */
  readonly session: string
}

export async function welcomeAgent(sql: Sql, args: WelcomeArgs): Promise<void> {
  const { boot, device, country, now } = args
  const { state } = await receiveDevice(sql, args)
  await hello(sql, { boot, device, country, now })
  await openDeviceSession(sql, { boot, hash: args.session })
  if (state === 'paused') await holdBack(sql, { device })
}

/** It keeps its connection and finishes what it has in hand; what was meant for it goes to others. */
export async function pauseDevice(sql: Sql, args: OwnDeviceArgs): Promise<void> {
  await markPaused(sql, args)
  await holdBack(sql, args)
}

type EndArgs = OwnDeviceArgs & { now: number }

/** Its session and its leases end in the same transaction: nothing it sends from now on counts. */
export async function revokeDevice(sql: Sql, args: EndArgs): Promise<void> {
  await markRevoked(sql, args)
  await removeDevice(sql, args)
}

export async function deleteDevice(sql: Sql, args: EndArgs): Promise<void> {
  await eraseDevice(sql, args)
  await removeDevice(sql, args)
}

/** Why a device that is welcome gets nothing for now. */
export interface Pause {
  readonly code: string
  readonly message: string
}

export type AskAnswer = LeaseAnswer & { pause: Pause | null }

/** A lease for a device that may work; one that must wait keeps its connection. */
export async function leaseToDevice(
  sql: Sql,
  args: LeaseArgs & { device: string; delayMs: number },
): Promise<AskAnswer> {
  const pause = await pauseOf(sql, args)
  if (pause !== null) return { block: null, unresolved: [], nextTurnAt: null, pause }
  const { delayMs, device, ...asked } = args
  await giveAudits(sql, { device, delayMs, now: args.now })
  return { ...(await lease(sql, asked)), pause: null }
}

async function pauseOf(sql: Sql, { boot, now }: LeaseArgs): Promise<Pause | null> {
  const agent = await sql.get<{ device: string; state: string | null }>(
    'SELECT a.device, d.state FROM agents a LEFT JOIN devices d ON d.id = a.device WHERE a.boot = ?',
    [boot],
  )
  if (!agent) throw new UnknownAgent(boot)
  if (agent.state === 'paused') return { code: 'MINGA_DEVICE_PAUSED', message: PAUSED }
  const trust = await trustOf(sql, { device: agent.device })
  const refusal = trust === null ? null : refusalOf(trust.standing, now)
  if (refusal === null) return null
  if (refusal.retry === 'never') throw refusal
  return { code: refusal.code, message: refusal.message }
}

const PAUSED = 'The owner of this device has paused it; it gets work when it is resumed.'
