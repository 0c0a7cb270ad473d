/** What the page asks about abuse: flags of clients, hosts that are denied. */
import type {
  CategoryView,
  FlagEffect,
  FlagState,
  FlagView,
  HostRuleView,
  OwnRestrictions,
  SortedPage,
} from '@minga/protocol'
import type { SortedQuery } from '../components/list/sorted-pages.ts'
import { station } from './station.ts'

export const FLAG_STATES = [
  'open',
  'confirmed',
  'dismissed',
] as const satisfies readonly FlagState[]
export const FLAG_SEVERITIES = [
  'notice',
  'alarm',
] as const satisfies readonly FlagView['severity'][]
export const FLAG_EFFECTS = ['notify', 'hold', 'cut'] as const satisfies readonly FlagEffect[]

/** As the station names what it notices. */
export const FLAG_KINDS = [
  'injection',
  'credentials',
  'denied',
  'volume',
  'hammering',
  'scanning',
  'enumeration',
  'evasion',
  'clicks',
  'probing',
] as const

export const findFlags = (query: SortedQuery): Promise<SortedPage<FlagView>> =>
  station('GET /abuse/flags/page', { query })

export interface FlagDecision {
  state: FlagState
  effect: FlagEffect
  note: string | null
}

export const decideFlag = (id: string, decision: FlagDecision): Promise<FlagView> =>
  station('PATCH /abuse/flags/{id}', { params: { id }, body: decision })

export const findHostRules = (query: SortedQuery): Promise<SortedPage<HostRuleView>> =>
  station('GET /abuse/hosts/page', { query })

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
