/**
 * What the sentence of each event tells besides its subject, by name, so that it can be said in other languages. A
 * name with `?` is not always there. Names end in their unit (`awayMs`, `freeBytes`); `count` decides about plurals.
 */
import type { EventCode } from './event-log.ts'

export const EVENT_DETAILS = {
  'station:started': ['url?'],
  'station:recovered': ['awayMs'],
  'station:stopped': [],
  'station:leads': ['fence', 'before?'],
  'station:trouble': ['message'],
  'station:disk-low': ['freeBytes'],
  'station:disk-enough': ['freeBytes'],
  'station:events-lost': [],
  'process:ended': ['role', 'pid', 'how'],
  'process:hung': ['role', 'pid', 'silentMs'],
  'process:replaced': ['role', 'pid', 'former', 'awayMs'],
  'process:resting': ['role', 'restMs', 'ends'],
  'collection:opened': ['why?'],
  'collection:resumed': ['why?'],
  'collection:paused': ['why?'],
  'collection:finished': ['why?', 'failed?'],
  'collection:failed': ['error'],
  'collection:cancelled': ['why?'],
  'agent:joined': [],
  'agent:left': [],
  'agent:lost': [],
  'agent:paused': [],
  'agent:resumed': [],
  'agent:revoked': [],
  'agent:deleted': [],
  'agent:proven': ['why?'],
  'agent:drained': ['why?'],
  'agent:undrained': ['why?'],
  'agent:doubted': ['why?'],
  'agent:lied': ['why?'],
  'agent:quarantined': ['why?'],
  'agent:released': ['why?'],
  'agent:blocked': ['why?'],
  'agent:unblocked': ['why?'],
  'agent:expelled': ['why?'],
  'agent:refused': ['dropped', 'refused'],
  'host:complained': ['restMs'],
  'host:forbidden': ['error?'],
  'host:closed': ['source', 'others?', 'reason?'],
  'host:opened': ['source', 'others?', 'reason?'],
  'host:reset': [],
  'watch:changed': ['url', 'others?'],
  'watch:lost': ['url', 'others?'],
  'watch:noisy': ['url', 'share', 'preview?'],
  'watch:alerted': ['count'],
  'watch:undelivered': ['channel', 'problem?'],
  'wiki:ended': ['task', 'kind', 'state', 'why?'],
  'wiki:failed': ['task', 'kind', 'why?'],
  'query:begun': ['kind'],
  'query:ended': ['how'],
  'query:failed': ['message', 'error'],
  'worker:lost': ['query'],
  'federation:lost': ['name'],
  'federation:back': ['name'],
  'federation:trouble': ['message'],
  'account:made': ['name', 'roles'],
  'account:logged-in': ['name'],
  'account:refused': ['name'],
  'account:roles': ['name', 'roles?'],
  'account:password': ['ended'],
  'account:reset': ['name'],
  'account:email': ['name'],
  'account:factor-on': ['name'],
  'account:factor-off': ['name'],
  'account:code-refused': ['name'],
  'account:deleted': ['name'],
  'account:linked': ['name'],
  'account:passkey-added': ['name'],
  'account:passkey-removed': ['name'],
  'account:reset-mailed': ['name'],
  'account:mail-failed': ['name'],
  'account:key-made': ['name', 'scopes?'],
  'account:key-replaced': ['name'],
  'account:key-revoked': ['name'],
  'setting:changed': ['value'],
  'takedown:done': ['count'],
  'abuse:flagged': ['severity', 'kind', 'numbers', 'effect', 'flag'],
} as const satisfies Record<EventCode, readonly string[]>

type Detail = string | number
type NameIn<C extends EventCode> = (typeof EVENT_DETAILS)[C][number]

/** The details that the writer of such an event must give. */
export type EventDetails<C extends EventCode> = {
  [N in NameIn<C> as N extends `${string}?` ? never : N]: Detail
} & {
  [N in NameIn<C> as N extends `${infer Name}?` ? Name : never]?: Detail | undefined
}

/** The field of an event that holds them; it may be left out where nothing has to be said. */
export type DetailsField<C extends EventCode> =
  Partial<EventDetails<C>> extends EventDetails<C>
    ? { details?: EventDetails<C> }
    : { details: EventDetails<C> }
