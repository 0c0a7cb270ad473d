/** Devices as their owners and the operator see them: facts, counters, trust, and pay that is held. */
import {
  balancesOf,
  findDevice,
  heldAccount,
  listDevices,
  trustOf,
  type DeviceView,
  type ListDevicesArgs,
  type OwnDeviceArgs,
  type TrustView,
} from '@minga/fleet'
import type { Sql } from '@minga/store'

export interface SeenDevice extends DeviceView {
  /** Null until it came to work for the first time. */
  readonly trust: TrustView | null
  /** What waits until the device is proven. */
  readonly heldMicros: number
}

export async function seenDevices(sql: Sql, args: ListDevicesArgs): Promise<SeenDevice[]> {
  return withTrust(sql, await listDevices(sql, args))
}

export async function seenDevice(sql: Sql, args: OwnDeviceArgs): Promise<SeenDevice> {
  const [device] = await withTrust(sql, [await findDevice(sql, args)])
  return device!
}

async function withTrust(sql: Sql, devices: readonly DeviceView[]): Promise<SeenDevice[]> {
  const held = await balancesOf(sql, { accounts: devices.map(({ id }) => heldAccount(id)) })
  const seen: SeenDevice[] = []
  for (const [i, device] of devices.entries()) {
    const trust = await trustOf(sql, { device: device.id })
    seen.push({ ...device, trust, heldMicros: held[i]!.balanceMicros })
  }
  return seen
}
