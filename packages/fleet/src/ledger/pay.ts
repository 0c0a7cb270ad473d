/** What volunteers and the platform earn. */
import type { Sql } from '@minga/store'
import { heldAccount, payee, PLATFORM, reserveAccount, volunteerAccount } from './accounts.ts'
import { sumMicros } from './amount.ts'
import { post, postAfterReading, type Entry, type Posted } from './posting.ts'
import { divide, split } from './split.ts'

/** One captured request: its price, who pays, who served. */
export interface Charge {
  batch: string
  device: string
  /** The account of the device's owner. */
  owner: string
  micros: number
  /** Kept until the device is trusted or audited. */
  isHeld: boolean
}

export interface PayBlockArgs {
  /** One per upload, so that an upload that arrives twice is paid once. */
  id: string
  at: number
  reference: string
  charges: readonly Charge[]
  platformShareBps?: number
  note?: string | null
}

/** One balanced posting for a whole upload. */
export async function payBlock(sql: Sql, args: PayBlockArgs): Promise<Posted> {
  const { charges, platformShareBps, ...head } = args
  return post(sql, { ...head, kind: 'block', entries: blockEntries(charges, platformShareBps) })
}

/**
 * Split once for the whole posting, then divided among the payees in proportion to the prices of
 * what they served: rounding is met once, not at every request.
 */
export function blockEntries(charges: readonly Charge[], platformShareBps?: number): Entry[] {
  const total = sumMicros(
    'A charge',
    charges.map((charge) => charge.micros),
  )
  const { platformMicros, volunteersMicros } = split(total, platformShareBps)
  const served = new Map<string, { weight: number; requests: number }>()
  const entries: Entry[] = [{ account: PLATFORM, micros: platformMicros }]
  for (const charge of charges) {
    entries.push({ account: reserveAccount(charge.batch), micros: -charge.micros })
    const account = payee(charge)
    const sum = served.get(account) ?? { weight: 0, requests: 0 }
    sum.weight += charge.micros
    sum.requests++
    served.set(account, sum)
  }
  const shares = [...served].map(([id, { weight }]) => ({ id, weight }))
  for (const [account, micros] of divide(volunteersMicros, shares)) {
    entries.push({ account, micros, requests: served.get(account)!.requests })
  }
  return entries
}

export interface PayCacheHitsArgs {
  id: string
  at: number
  reference: string
  hits: readonly { batch: string; micros: number }[]
  note?: string | null
}

/** An answer from the cache has its own price; its volunteer was paid when it was fetched. */
export async function payCacheHits(sql: Sql, args: PayCacheHitsArgs): Promise<Posted> {
  const { hits, ...head } = args
  const total = sumMicros(
    'A charge',
    hits.map((hit) => hit.micros),
  )
  const entries = hits.map(({ batch, micros }): Entry => ({
    account: reserveAccount(batch),
    micros: -micros,
  }))
  entries.push({ account: PLATFORM, micros: total })
  return post(sql, { ...head, kind: 'cache', entries })
}

export interface PayAuditArgs {
  id: string
  at: number
  reference: string
  audits: readonly { device: string; owner: string; micros: number; isHeld: boolean }[]
  note?: string | null
}

/** Audits serve the platform, so the platform pays, and no client knows of them. */
export async function payAudit(sql: Sql, args: PayAuditArgs): Promise<Posted> {
  const { audits, ...head } = args
  const total = sumMicros(
    'The pay of an audit',
    audits.map((audit) => audit.micros),
  )
  const entries = audits.map((audit): Entry => ({
    account: payee(audit),
    micros: audit.micros,
    requests: 1,
  }))
  entries.push({ account: PLATFORM, micros: -total })
  return post(sql, { ...head, kind: 'audit', entries })
}

export interface ReleaseHeldArgs {
  id: string
  at: number
  device: string
  owner: string
  note?: string | null
}

/** The device is trusted now: all it earned becomes its owner's. */
export async function releaseHeld(sql: Sql, args: ReleaseHeldArgs): Promise<Posted> {
  const { device, owner, ...head } = args
  const to = volunteerAccount(owner)
  return emptyHeld(sql, { ...head, kind: 'release', device, to })
}

export interface ForfeitHeldArgs {
  id: string
  at: number
  device: string
  /** A sentence for the volunteer's statement. */
  reason: string
}

/** The device lied: what it earned and was not yet paid goes to the platform. */
export async function forfeitHeld(sql: Sql, args: ForfeitHeldArgs): Promise<Posted> {
  const { id, at, device, reason } = args
  return emptyHeld(sql, { id, at, kind: 'forfeit', device, to: PLATFORM, note: reason })
}

function emptyHeld(
  sql: Sql,
  args: {
    id: string
    at: number
    kind: 'release' | 'forfeit'
    device: string
    to: string
    note?: string | null
  },
): Promise<Posted> {
  const { device, to, ...head } = args
  const from = heldAccount(device)
  return postAfterReading(sql, {
    head: { ...head, reference: device },
    accounts: [from, to],
    decide: (balances) => {
      const { balance_micros: micros, requests } = balances.get(from)!
      // Requests of a device that forged results earn nothing.
      const earned = args.kind === 'release' ? requests : 0
      return [
        { account: from, micros: -micros, requests: -requests },
        { account: to, micros, requests: earned },
      ]
    },
  })
}
