/** The log of what happens at a station: every kind of event there is, and how much it matters. */
import { z } from 'zod'

/** In the order of how much they matter. */
export const EVENT_LEVELS = ['info', 'notice', 'warning', 'error'] as const
export type EventLevel = (typeof EVENT_LEVELS)[number]

export const EVENT_CONTEXTS = [
  'station',
  'collection',
  'agent',
  'host',
  'watch',
  'wiki',
  'query',
  'worker',
  'federation',
  'account',
  'setting',
  'takedown',
  'abuse',
] as const
export type EventContext = (typeof EVENT_CONTEXTS)[number]

/** Context and what happened. What an operator wants to hear of on the same day is a warning at least. */
export const EVENTS = {
  'station:started': 'info',
  'station:recovered': 'warning',
  'station:stopped': 'info',
  'station:leads': 'notice',
  'station:trouble': 'error',
  'station:disk-low': 'error',
  'station:disk-enough': 'notice',
  'station:events-lost': 'warning',
  'collection:opened': 'info',
  'collection:resumed': 'info',
  'collection:paused': 'notice',
  'collection:finished': 'notice',
  'collection:cancelled': 'notice',
  'agent:joined': 'info',
  'agent:left': 'info',
  'agent:lost': 'warning',
  'agent:paused': 'notice',
  'agent:resumed': 'info',
  'agent:revoked': 'notice',
  'agent:deleted': 'notice',
  'agent:proven': 'info',
  'agent:drained': 'notice',
  'agent:undrained': 'info',
  'agent:doubted': 'notice',
  'agent:lied': 'warning',
  'agent:quarantined': 'warning',
  'agent:released': 'notice',
  'agent:blocked': 'warning',
  'agent:unblocked': 'notice',
  'agent:expelled': 'warning',
  'host:complained': 'warning',
  'host:forbidden': 'notice',
  'host:closed': 'notice',
  'host:opened': 'info',
  'watch:changed': 'info',
  'watch:lost': 'warning',
  'watch:alerted': 'info',
  'watch:undelivered': 'warning',
  'wiki:ended': 'notice',
  'wiki:failed': 'error',
  'query:begun': 'info',
  'query:ended': 'info',
  'query:failed': 'error',
  'worker:lost': 'warning',
  'federation:lost': 'warning',
  'federation:back': 'notice',
  'federation:trouble': 'warning',
  'account:made': 'notice',
  'account:logged-in': 'info',
  'account:refused': 'warning',
  'account:roles': 'notice',
  'account:password': 'notice',
  'account:reset': 'notice',
  'account:key-made': 'notice',
  'account:key-replaced': 'notice',
  'account:key-revoked': 'notice',
  'setting:changed': 'notice',
  'takedown:done': 'notice',
  'abuse:flagged': 'warning',
} as const satisfies Record<`${EventContext}:${string}`, EventLevel>
export type EventCode = keyof typeof EVENTS

export const EVENT_CODES = Object.keys(EVENTS) as EventCode[]

export function contextOf(code: EventCode): EventContext {
  return code.split(':', 1)[0] as EventContext
}

/** What happened, as whoever saw it says it. */
export interface NewEvent {
  at: number
  code: EventCode
  /** What it happened to: an id or a name, of the kind that the context says. */
  subject: string
  /** One sentence in English, for people. */
  sentence: string
  /** The device that it came by, if it is not the subject. */
  device?: string | null
  /** The account that did it; null when nobody did. */
  by?: string | null
  /** How often, when it stands for several. */
  times?: number
}

/** A line of the log. */
export interface LoggedEvent {
  id: number
  at: number
  level: EventLevel
  context: EventContext
  /** As in `EVENTS`, or of another version of Minga. */
  code: string
  subject: string
  sentence: string
  device: string | null
  by: string | null
  /** The name of the account that did it, when it is known. */
  byName: string | null
  times: number
}

export interface EventPage {
  /** Newest first. */
  events: LoggedEvent[]
  /** Give it as `before` to read on; null when there are no older ones. */
  next: number | null
}

const TEXT_CHARS_MAX = 200

/** What a reader of the log wants to see; what is absent does not narrow it. */
export const eventFilter = z.object({
  /** This one and those that matter more. */
  level: z.enum(EVENT_LEVELS).optional(),
  context: z.enum(EVENT_CONTEXTS).optional(),
  /** Anywhere in code, subject or sentence, in any case. */
  text: z.string().max(TEXT_CHARS_MAX).optional(),
  /** Milliseconds since the Unix epoch: from then on, and before then. */
  from: z.coerce.number().int().min(0).optional(),
  to: z.coerce.number().int().min(0).optional(),
  subject: z.string().max(TEXT_CHARS_MAX).optional(),
  /** The id of a device. */
  agent: z.string().max(TEXT_CHARS_MAX).optional(),
})
export type EventFilter = z.infer<typeof eventFilter>
