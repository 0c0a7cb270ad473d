/**
 * Who receives alerts about changes, how and when, as the command line, the API and the page all
 * write it.
 */
import { z } from 'zod'

export const ALERT_CHANNELS = ['webhook', 'email', 'feed'] as const
export type AlertChannel = (typeof ALERT_CHANNELS)[number]

/** Which changes are reported: important ones, all of them, or none (failures only). */
export const ALERT_CHANGES = ['important', 'all', 'none'] as const

export const ALERT_DIGESTS = ['at-once', 'hourly', 'daily', 'weekly'] as const

export const ALERT_LANGUAGES = ['en', 'es', 'pt'] as const
export type AlertLanguage = (typeof ALERT_LANGUAGES)[number]

const clockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time as in 22:30')

const zone = z
  .string()
  .max(100)
  .refine(isZone, 'must be a time zone as in America/Lima, or an offset as in -05:00')

function isZone(name: string): boolean {
  try {
    // Throws for what it does not know.
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

export const alertSettings = z.object({
  changes: z.enum(ALERT_CHANGES).default('important'),
  /** Smaller changes are not reported. */
  leastMagnitude: z.number().min(0).max(1).default(0),
  /** Reported once a page has failed so many times in a row; null: failures are not reported. */
  failuresInRow: z.number().int().min(1).max(100).nullable().default(null),
  /**
   * Reported when a page answers again after as many failures (after any, if those are not
   * reported).
   */
  tellsBack: z.boolean().default(false),
  /** Nothing is sent in these hours; afterwards one message tells all of it. */
  quiet: z.object({ from: clockTime, to: clockTime }).nullable().default(null),
  zone: zone.default('UTC'),
  digest: z.enum(ALERT_DIGESTS).default('at-once'),
  /** Of daily and weekly digests, by the clock of the zone. */
  digestHour: z.number().int().min(0).max(23).default(8),
  /** Of weekly digests: 1 is Monday, 7 is Sunday. */
  digestDay: z.number().int().min(1).max(7).default(1),
  /** Messages in an hour; later ones wait and are sent together. */
  mostPerHour: z.number().int().min(1).max(1_000).default(20),
  language: z.enum(ALERT_LANGUAGES).default('en'),
})
export type AlertSettings = z.infer<typeof alertSettings>

export const alertRequest = alertSettings.extend({
  /** Of the messages; without one, what the station speaks. */
  language: z.enum(ALERT_LANGUAGES).optional(),
  /** Null: everything that the account watches, also later. */
  watchId: z.number().int().nullable().default(null),
  channel: z.enum(ALERT_CHANNELS),
  /** An address of the web or of e-mail; a feed has none. */
  target: z.string().max(2_048).default(''),
})
export type AlertRequest = z.input<typeof alertRequest>

/**
 * Whether a mailbox has agreed to an account's alerts. `suppressed`: its owner wants none, of
 * anyone.
 */
export type MailboxState = 'unconfirmed' | 'confirmed' | 'suppressed'

/** An address that gets no alerts, until its owner follows the link of a new confirmation. */
export interface SuppressedAddress {
  address: string
  suppressedAt: number
}

export interface AlertView extends AlertSettings {
  id: string
  account: string
  watchId: number | null
  channel: AlertChannel
  target: string
  isActive: boolean
  /** When the reader followed the link in an e-mail; null otherwise. */
  unsubscribedAt: number | null
  /** Of e-mail; null of the others. Nothing is sent before it is confirmed. */
  mailbox: MailboxState | null
  createdAt: number
  /** Of a feed: where it is read, without a log-in. */
  feedUrl: string | null
  /** What was found and is not sent yet. */
  waiting: number
}

/** The secret proves our signature; it is shown this once. */
export type NewAlertView = AlertView & { secret: string | null }

export type DeliveryState = 'waiting' | 'sending' | 'sent' | 'failed'

export interface DeliveryView {
  id: string
  ruleId: string
  watchId: number | null
  channel: AlertChannel
  target: string
  kind: 'alert' | 'test'
  state: DeliveryState
  /** Changes and failures that it reports. */
  alerts: number
  tries: number
  createdAt: number
  sentAt: number | null
  /** Of the next try; null when there is none to come. */
  nextTryAt: number | null
  /** Why the last try did not succeed. */
  problem: string | null
}
