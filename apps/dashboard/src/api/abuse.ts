/** What the page asks about abuse: flags of clients, hosts that are denied. */
import type {
  CategoryView,
  FlagEffect,
  FlagState,
  FlagView,
  HostRuleView,
  OwnRestrictions,
} from '@minga/protocol'
import { call, queryOf } from './call.ts'

export const FLAG_STATES = [
  'open',
  'confirmed',
  'dismissed',
] as const satisfies readonly FlagState[]
export const FLAG_EFFECTS = ['notify', 'hold', 'cut'] as const satisfies readonly FlagEffect[]

/** Newest first. */
export const readFlags = (state: FlagState | null, limit: number): Promise<FlagView[]> =>
  call('GET', `/abuse/flags${queryOf({ state, limit })}`)

export interface FlagDecision {
  state: FlagState
  effect: FlagEffect
  note: string | null
}

export const decideFlag = (id: string, decision: FlagDecision): Promise<FlagView> =>
  call('PATCH', `/abuse/flags/${id}`, decision)

/** In the order of their names, after this one. */
export const readHostRules = (after: string | null, limit: number): Promise<HostRuleView[]> =>
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

export const readOwnRestrictions = (): Promise<OwnRestrictions> => call('GET', '/abuse/own')

export interface CategoryChange {
  /** Null leaves it as it is; a new one is denied. */
  isDenied: boolean | null
  add: string[]
  reason: string
}

export const readCategories = (): Promise<CategoryView[]> => call('GET', '/abuse/categories')

export const changeCategory = (name: string, change: CategoryChange): Promise<object> =>
  call('PATCH', `/abuse/categories/${encodeURIComponent(name)}`, change)
