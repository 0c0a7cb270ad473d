/** What an agent's calls change, each in one transaction over the rooms that it touches. */
import {
  eraseDevice,
  markDrained,
  markRevoked,
  openDeviceSession,
  ordersOf,
  pauseDevice as markPaused,
  receiveDevice,
  refusalOf,
  saveSigningKey,
  trustOf,
  type DeviceOrders,
  type OwnDeviceArgs,
} from '@minga/fleet'
import {
  hello,
  holdBack,
  lease,
  leasedTo,
  removeDevice,
  type LeaseAnswer,
  type LeaseArgs,
} from '@minga/frontier'
import type { Sql } from '@minga/store'
import type { WelcomeArgs } from '../agents/device-authenticator.ts'
import { assignProofFiles } from '../site-services/proof-files.ts'
import { forgetTimesOf } from '../placement/graph/graph-forgetting.ts'
import { assignMonitorRequests } from '../site-services/neutrality/monitor-requests.ts'
import { assignAudits } from '../agents/trust/audits.ts'
import type { UploadFacts } from '../agents/trust/upload-checks.ts'
import { withTokens } from '../wiki/wiki-tokens.ts'

/** Answers whether a former boot's work is free now. */
export async function welcomeAgent(sql: Sql, args: WelcomeArgs): Promise<boolean> {
  const { boot, device, country, endedBoot, now } = args
  const { state } = await receiveDevice(sql, args)
  await saveSigningKey(sql, { device, signing: args.signing ?? null })
  const hasFreed = await hello(sql, { boot, device, country, endedBoot, now })
  await openDeviceSession(sql, { boot, hash: args.session })
  const { isDrained } = await ordersOf(sql, { device })
  if (state === 'paused' || isDrained) await holdBack(sql, { device })
  return hasFreed
}

/** It keeps its connection and finishes what it has in hand; what was meant for it goes to others. */
export async function pauseDevice(sql: Sql, args: OwnDeviceArgs): Promise<void> {
  await markPaused(sql, args)
  await holdBack(sql, args)
}

/** As a pause, but an operator's: the owner cannot end it. */
export async function drainDevice(
  sql: Sql,
  args: { device: string; who: string; note: string | null; now: number },
): Promise<void> {
  await markDrained(sql, args)
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
  await forgetTimesOf(sql, args.device)
}

export async function deleteDevicesOf(sql: Sql, args: { id: string; now: number }): Promise<void> {
  const devices = await sql.all<{ id: string }>('SELECT id FROM devices WHERE owner = ?', [args.id])
  for (const { id } of devices) await deleteDevice(sql, { device: id, owner: null, now: args.now })
}

/** Why a device that is welcome gets nothing all the same. */
export interface Pause {
  readonly code: string
  readonly message: string
}

export type AskAnswer = LeaseAnswer & {
  pause: Pause | null
  /** What the operator has to tell the owner. */
  message: DeviceOrders['message']
}

interface AssignmentArgs {
  device: string
  delayMs: number
  now: number
}

/** Who adds what to the work that a device can lease. Their order is part of the contract: rows are locked in it. */
const ASSIGNERS: readonly ((sql: Sql, args: AssignmentArgs) => Promise<void>)[] = [
  assignAudits,
  assignProofFiles,
  assignMonitorRequests,
]

/** A lease for a device that may work; one that must wait keeps its connection. */
export async function leaseToDevice(
  sql: Sql,
  args: LeaseArgs & { device: string; delayMs: number },
): Promise<AskAnswer> {
  const { delayMs, device, ...asked } = args
  const trust = await trustOf(sql, { device })
  const orders = await ordersOf(sql, { device })
  const { message } = orders
  const pause = pauseOf({ orders, trust, now: args.now })
  if (pause !== null) return { block: null, unresolved: [], nextTurnAt: null, pause, message }
  for (const assign of ASSIGNERS) await assign(sql, { device, delayMs, now: args.now })
  const standing = standingOf(trust)
  const { block, ...answer } = await lease(sql, { ...asked, standing })
  const said = { ...answer, pause: null, message }
  if (block === null || standing !== 'own') return { ...said, block }
  return { ...said, block: await withTokens(sql, { block, now: args.now }) }
}

/** What an upload is judged by before anything of it is unpacked. */
export async function uploadFacts(
  sql: Sql,
  { boot, ...device }: { boot: string; device: string; auditFloor: number },
): Promise<UploadFacts> {
  return { trust: await trustOf(sql, device), leased: await leasedTo(sql, { boot }) }
}

type Trust = Awaited<ReturnType<typeof trustOf>>

function standingOf(trust: Trust): NonNullable<LeaseArgs['standing']> {
  if (trust === null) return 'unproven'
  return trust.isTrusted ? 'own' : trust.isProven ? 'proven' : 'unproven'
}

interface Asking {
  orders: DeviceOrders
  trust: Trust
  now: number
}

function pauseOf({ orders, trust, now }: Asking): Pause | null {
  if (orders.isPaused) return { code: 'MINGA_DEVICE_PAUSED', message: PAUSED }
  if (orders.isDrained) return { code: 'MINGA_DEVICE_DRAINED', message: DRAINED }
  const refusal = trust === null ? null : refusalOf(trust.standing, now)
  if (refusal === null) return null
  if (refusal.retry === 'never') throw refusal
  return { code: refusal.code, message: refusal.message }
}

const PAUSED = 'The owner of this device has paused it; it gets work when it is resumed.'
const DRAINED =
  'The operator of the station lets this device finish what it has; it gets no more work for now.'
