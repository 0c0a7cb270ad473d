/** How far a device is believed and what happened to it, for its owner and the operator. */
import { NoSuchDevice, trustLog, trustOf, type TrustView } from '@minga/fleet'
import type { Sql } from '@minga/store'

export interface DeviceTrustArgs {
  device: string
  /** Whose devices may be seen; null: everyone's. */
  owner: string | null
  auditFloor?: number
  beforeId?: number
  limit: number
}

export interface DeviceTrust {
  trust: TrustView | null
  log: Awaited<ReturnType<typeof trustLog>>
}

export async function deviceTrust(sql: Sql, args: DeviceTrustArgs): Promise<DeviceTrust> {
  const { owner, ...asked } = args
  const row = await sql.get<{ owner: string }>('SELECT owner FROM devices WHERE id = ?', [
    args.device,
  ])
  if (!row || (owner !== null && row.owner !== owner)) throw new NoSuchDevice(args.device)
  return { trust: await trustOf(sql, args), log: await trustLog(sql, asked) }
}
