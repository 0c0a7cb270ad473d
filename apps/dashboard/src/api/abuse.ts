/** What the page asks about abuse: flags of clients, hosts that are denied. */
import type { FlagEffect, FlagState, FlagView } from '@minga/protocol'

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

export interface HostDecision {
  hosts: string[]
  action: 'deny' | 'allow'
  reason: string
}
