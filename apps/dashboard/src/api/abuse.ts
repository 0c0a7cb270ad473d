/** What the page asks about abuse: flags of clients, hosts that are denied. */
import { call, queryOf } from './call.ts'

export const FLAG_STATES = ['open', 'confirmed', 'dismissed'] as const
export type FlagState = (typeof FLAG_STATES)[number]
export const FLAG_EFFECTS = ['notify', 'hold', 'cut'] as const
export type FlagEffect = (typeof FLAG_EFFECTS)[number]

export interface Flag {
  id: string
  client: string
  kind: string
  severity: 'notice' | 'alarm'
  evidence: Record<string, number | string>
  samples: string[]
  effect: FlagEffect
  dayMax: number | null
  state: FlagState
  openedAt: number
  changedAt: number
  note: string | null
  decidedBy: string | null
  decidedAt: number | null
}

/** Newest first. */
export const readFlags = (state: FlagState | null, limit: number): Promise<Flag[]> =>
  call('GET', `/abuse/flags${queryOf({ state, limit })}`)

export interface FlagDecision {
  state: FlagState
  effect: FlagEffect
  note: string | null
}

export const decideFlag = (id: string, decision: FlagDecision): Promise<Flag> =>
  call('PATCH', `/abuse/flags/${id}`, decision)

export interface HostRule {
  pattern: string
  effect: 'close' | 'slow' | 'exempt'
  reason: string
  madeBy: string
  since: number
}

/** In the order of their names, after this one. */
export const readHostRules = (after: string | null, limit: number): Promise<HostRule[]> =>
  call('GET', `/abuse/hosts${queryOf({ after, limit })}`)

export interface HostDecision {
  hosts: string[]
  action: 'deny' | 'allow'
  reason: string
}

export const decideHosts = (decision: HostDecision): Promise<object> =>
  call('POST', '/abuse/hosts', decision)

export const forgetHost = (host: string): Promise<object> =>
  call('POST', '/abuse/hosts/forget', { hosts: [host] })

/** Why a client's batches are held or cut, for the client. */
export interface OwnRestrictions {
  isHeld: boolean
  restrictions: { id: string; reason: string }[]
}

export const readOwnRestrictions = (): Promise<OwnRestrictions> => call('GET', '/abuse/own')

export interface Category {
  name: string
  isDenied: boolean
  hosts: number
  reason: string
  changedBy: string
}

export interface CategoryChange {
  /** Null leaves it as it is; a new one is denied. */
  isDenied: boolean | null
  add: string[]
  reason: string
}

export const readCategories = (): Promise<Category[]> => call('GET', '/abuse/categories')

export const changeCategory = (name: string, change: CategoryChange): Promise<object> =>
  call('PATCH', `/abuse/categories/${encodeURIComponent(name)}`, change)
