/** Devices as their owners and the operator see them: facts, what they do and why not, trust, pay that is held. */
import {
  balancesOf,
  doingOf,
  findDevice,
  findDevices,
  heldAccount,
  listDevices,
  ratesOf,
  trustOf,
  type DeviceView,
  type Doing,
  type FindDevicesArgs,
  type ListDevicesArgs,
  type OwnDeviceArgs,
  type Rates,
  type TrustView,
} from '@minga/fleet'
import type { DeviceAgent, DeviceLease, IdleReason } from '@minga/protocol'
import type { Sql } from '@minga/store'
import type { Station } from '../station/station.ts'
import { atWorkOf, workThere } from './device-work.ts'
import { whyIdle, type WorkThere } from './why-idle.ts'

export interface SeenDevice extends DeviceView {
  readonly doing: Doing
  /** Null while it works. */
  readonly whyIdle: IdleReason | null
  readonly agent: DeviceAgent | null
  readonly lease: DeviceLease | null
  readonly rates: Rates
  /** Null until it came to work for the first time. */
  readonly trust: TrustView | null
  /** What waits until the device is proven. */
  readonly heldMicros: number
}

interface Seeing {
  readonly now: number
}

/** As many as a small line of a list shows well. */
const LIST_MINUTES = 30

export async function seenDevices(sql: Sql, args: ListDevicesArgs & Seeing): Promise<SeenDevice[]> {
  const devices = await listDevices(sql, args)
  const found: Found[] = []
  for (const device of devices) {
    found.push({ ...device, doing: await doingOf(sql, { device: device.id }) })
  }
  return seen(sql, found, args.now)
}

export async function seenDevice(sql: Sql, args: OwnDeviceArgs & Seeing): Promise<SeenDevice> {
  const device = await findDevice(sql, args)
  const found = { ...device, doing: await doingOf(sql, args) }
  const [shown] = await seen(sql, [found], args.now)
  return shown!
}

export interface SeenPage {
  rows: SeenDevice[]
  next: { value: string | number; id: string } | null
  total: number
}

export async function seenPage(sql: Sql, args: FindDevicesArgs & Seeing): Promise<SeenPage> {
  const { devices, next, total } = await findDevices(sql, args)
  return { rows: await seen(sql, devices, args.now), next, total }
}

type Found = DeviceView & { doing: Doing }

async function seen(sql: Sql, devices: readonly Found[], now: number): Promise<SeenDevice[]> {
  const held = await balancesOf(sql, { accounts: devices.map(({ id }) => heldAccount(id)) })
  const work = await workThere(sql)
  const rows: SeenDevice[] = []
  for (const [i, device] of devices.entries()) {
    const heldMicros = held[i]!.balanceMicros
    rows.push({ ...device, heldMicros, ...(await deedsOf(sql, device, { work, now })) })
  }
  return rows
}

async function deedsOf(
  sql: Sql,
  device: Found,
  { work, now }: { work: WorkThere; now: number },
): Promise<Pick<SeenDevice, 'agent' | 'lease' | 'rates' | 'trust' | 'whyIdle'>> {
  const trust = await trustOf(sql, { device: device.id })
  const { agent, lease, ...atWork } = await atWorkOf(sql, device.id)
  const { doing, refused } = device
  const standing = trust?.standing.state ?? 'active'
  const isTrusted = trust !== null && (trust.isTrusted || trust.isProven)
  return {
    agent,
    lease,
    rates: await ratesOf(sql, { device: device.id, minutes: LIST_MINUTES, now }),
    trust,
    whyIdle: whyIdle({ doing, refused, standing, isTrusted, ...atWork }, work),
  }
}

/** No caller waits for it; it delays only other work of the station. */
const EVERY_MS = 10_000

/** Forgets in time what is kept of devices only for a time. */
export class DeviceUpkeep {
  readonly #station: Station
  #nextMs = 0

  constructor(station: Station) {
    this.#station = station
  }

  /** At the station's pulse. */
  async tick(): Promise<void> {
    const { store, clock, settings } = this.#station
    if (clock.monotonicMs() < this.#nextMs) return
    const now = clock.now()
    const { addressesKeptMs, detailsKeptMs } = settings.current()
    await store.call('sweepAddresses', { now, keepMs: addressesKeptMs })
    const swept = await store.call('sweepDetails', { now, keepMs: detailsKeptMs })
    const sweptRates = await store.call('sweepRates', { now })
    // While old rows are left, it continues at the next tick.
    this.#nextMs = swept + sweptRates > 0 ? 0 : clock.monotonicMs() + EVERY_MS
  }
}
