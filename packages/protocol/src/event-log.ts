/** The log of what happens at a station: every kind of event there is, and how much it matters. */
import { z } from 'zod'
import type { DetailsField } from './event-details.ts'

/** In the order of how much they matter. */
export const EVENT_LEVELS = ['info', 'notice', 'warning', 'error'] as const
export type EventLevel = (typeof EVENT_LEVELS)[number]

export const EVENT_CONTEXTS = [
  'station',
  'process',
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
  'process:ended': 'warning',
  'process:hung': 'warning',
  'process:replaced': 'notice',
  'process:resting': 'error',
  'collection:opened': 'info',
  'collection:resumed': 'info',
  'collection:paused': 'notice',
  'collection:finished': 'notice',
  'collection:failed': 'warning',
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
  'agent:refused': 'notice',
  'host:complained': 'warning',
  'host:forbidden': 'notice',
  'host:closed': 'notice',
  'host:opened': 'info',
  'host:reset': 'notice',
  'watch:changed': 'info',
  'watch:lost': 'warning',
  'watch:noisy': 'warning',
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
  'account:email': 'notice',
  'account:factor-on': 'notice',
  'account:factor-off': 'notice',
  'account:code-refused': 'warning',
  'account:deleted': 'notice',
  'account:linked': 'notice',
  'account:passkey-added': 'notice',
  'account:passkey-removed': 'notice',
  'account:reset-mailed': 'notice',
  'account:mail-failed': 'warning',
  'account:key-made': 'notice',
  'account:key-replaced': 'notice',
  'account:key-revoked': 'notice',
  'setting:changed': 'notice',
  'takedown:done': 'notice',
  'abuse:flagged': 'warning',
} as const satisfies Record<`${EventContext}:${string}`, EventLevel>
export type EventCode = keyof typeof EVENTS
/** What supervisors say of the processes they look after. */
export type ProcessCode = Extract<EventCode, `process:${string}`>

export const EVENT_CODES = Object.keys(EVENTS) as EventCode[]

export function contextOf(code: EventCode): EventContext {
  return code.split(':', 1)[0] as EventContext
}

interface EventFacts {
  at: number
  /** What it happened to: an id or a name, of the kind that the context says. */
  subject: string
  /** One sentence in English, for people. */
  sentence: string
  /** The device that it came by, if it is not the subject. */
  device?: string | null
  /** The account that did it; null when no person did. */
  by?: string | null
  /** How often, when it stands for several. */
  times?: number
}

type EventOf<C extends EventCode> = EventFacts & { code: C } & DetailsField<C>

/** What happened, as its source reports it. */
export type NewEvent = { [C in EventCode]: EventOf<C> }[EventCode]

/** The same before anyone says when and how often. */
export type NotedEvent = { [C in EventCode]: Omit<EventOf<C>, 'at' | 'times'> }[EventCode]

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
  /** What the sentence tells, by name, to say it in another language; null of a line from before they were kept. */
  details: Record<string, string | number> | null
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
const SENTENCE_CHARS_MAX = 1_000
const NOTES_MOST = 100

const ofWorker = { role: z.literal('worker'), pid: z.number().int() }
const workerNote = {
  at: z.number().int().min(0),
  subject: z.string().max(TEXT_CHARS_MAX),
  sentence: z.string().max(SENTENCE_CHARS_MAX),
}
/** What the supervisor of workers elsewhere tells the station of them. */
export const workerNotes = z.object({
  notes: z
    .array(
      z.discriminatedUnion('code', [
        z.object({
          ...workerNote,
          code: z.literal('process:ended'),
          details: z.object({ ...ofWorker, how: z.string().max(TEXT_CHARS_MAX) }),
        }),
        z.object({
          ...workerNote,
          code: z.literal('process:hung'),
          details: z.object({ ...ofWorker, silentMs: z.number() }),
        }),
        z.object({
          ...workerNote,
          code: z.literal('process:replaced'),
          details: z.object({ ...ofWorker, former: z.number().int(), awayMs: z.number() }),
        }),
        z.object({
          ...workerNote,
          code: z.literal('process:resting'),
          details: z.object({ role: z.literal('worker'), restMs: z.number(), ends: z.number() }),
        }),
      ]),
    )
    .max(NOTES_MOST),
})

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
