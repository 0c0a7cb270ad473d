/** What the page asks about abuse: flags of clients, hosts that are denied. */
import type {
  CategoryView,
  FlagEffect,
  FlagState,
  FlagView,
  HostRuleView,
  OwnRestrictions,
} from '@minga/protocol'
import { station } from './station.ts'

export const FLAG_STATES = [
  'open',
  'confirmed',
  'dismissed',
] as const satisfies readonly FlagState[]
export const FLAG_EFFECTS = ['notify', 'hold', 'cut'] as const satisfies readonly FlagEffect[]

/** Newest first. */
export const readFlags = (state: FlagState | null, limit: number): Promise<FlagView[]> =>
  station('GET /abuse/flags', { query: { state, limit } })

export interface FlagDecision {
  state: FlagState
  effect: FlagEffect
  note: string | null
}

export const decideFlag = (id: string, decision: FlagDecision): Promise<FlagView> =>
  station('PATCH /abuse/flags/{id}', { params: { id }, body: decision })

/** In the order of their names, after this one. */
export const readHostRules = (after: string | null, limit: number): Promise<HostRuleView[]> =>
  station('GET /abuse/hosts', { query: { after, limit } })

export interface HostDecision {
  hosts: string[]
  action: 'deny' | 'allow'
  reason: string
}

export const decideHosts = (decision: HostDecision): Promise<object> =>
  station('POST /abuse/hosts', { body: decision })

export const forgetHost = (host: string): Promise<object> =>
  station('POST /abuse/hosts/forget', { body: { hosts: [host] } })

export const readOwnRestrictions = (): Promise<OwnRestrictions> => station('GET /abuse/own')

export interface CategoryChange {
  /** Null leaves it as it is; a new one is denied. */
  isDenied: boolean | null
  add: string[]
  reason: string
}

export const readCategories = (): Promise<CategoryView[]> => station('GET /abuse/categories')

export const changeCategory = (name: string, change: CategoryChange): Promise<object> =>
  station('PATCH /abuse/categories/{name}', { params: { name }, body: change })
