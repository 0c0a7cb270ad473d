/** From what the user typed to the requested alert. */
import type { AlertRequest, AlertView, DeliveryState } from '@minga/protocol'
import type { StatusKind } from '../../components/status-badge.tsx'
import { numberIn, withScheme } from '../typed-text.ts'

export const CHANNELS = ['email', 'webhook', 'feed'] as const satisfies AlertView['channel'][]
export const CHANGES = ['important', 'all', 'none'] as const satisfies AlertView['changes'][]
export const DIGESTS = [
  'at-once',
  'hourly',
  'daily',
  'weekly',
] as const satisfies AlertView['digest'][]
/** 1 is Monday. */
export const DAYS = [1, 2, 3, 4, 5, 6, 7] as const

export interface AlertTyped {
  /** Of the messages; empty: the station's. */
  language: AlertView['language'] | ''
  channel: AlertView['channel']
  target: string
  changes: AlertView['changes']
  /** A percentage. */
  least: string
  /** Visits in a row; empty: failures are not reported. */
  failures: string
  tellsBack: boolean
  /** Both empty: no quiet hours. */
  quietFrom: string
  quietTo: string
  digest: AlertView['digest']
  digestHour: string
  digestDay: string
}

const EMPTY_ALERT: AlertTyped = {
  language: '',
  channel: 'email',
  target: '',
  changes: 'important',
  least: '',
  failures: '',
  tellsBack: false,
  quietFrom: '',
  quietTo: '',
  digest: 'at-once',
  digestHour: '8',
  digestDay: '1',
}

/** In the user's language, unless they choose another. */
export function emptyAlert(language: string): AlertTyped {
  return { ...EMPTY_ALERT, language: languageOf(language) }
}

export type AlertProblems = Partial<
  Record<'target' | 'least' | 'failures' | 'quiet' | 'digestHour' | 'nothing', true>
>

export function alertProblemsOf(typed: AlertTyped): AlertProblems {
  const problems: AlertProblems = {}
  if (typed.channel !== 'feed' && typed.target.trim() === '') problems.target = true
  if (!isWithin(numberIn(typed.least) ?? 0, 0, 100)) problems.least = true
  const failures = numberIn(typed.failures)
  if (failures !== null && !isWhole(failures, 1, 100)) problems.failures = true
  if (!isTime(typed.quietFrom) || !isTime(typed.quietTo)) problems.quiet = true
  if ((typed.quietFrom === '') !== (typed.quietTo === '')) problems.quiet = true
  if (!isWhole(numberIn(typed.digestHour) ?? Number.NaN, 0, 23)) problems.digestHour = true
  if (typed.changes === 'none' && failures === null && !typed.tellsBack) problems.nothing = true
  return problems
}

const isWithin = (value: number, least: number, most: number): boolean =>
  value >= least && value <= most

const isWhole = (value: number, least: number, most: number): boolean =>
  Number.isInteger(value) && isWithin(value, least, most)

const isTime = (text: string): boolean => text === '' || /^([01]\d|2[0-3]):[0-5]\d$/.test(text)

/** Where and for whom it is. */
export interface AlertPlace {
  watchId: number | null
  zone: string
}

/** Of a form without problems. A feed is read when its reader likes. */
export function alertAsked(typed: AlertTyped, place: AlertPlace): AlertRequest {
  const { channel, changes, tellsBack, digest, quietFrom: from, quietTo: to } = typed
  const target = typed.target.trim()
  const told = {
    watchId: place.watchId,
    channel,
    changes,
    tellsBack,
    leastMagnitude: (numberIn(typed.least) ?? 0) / 100,
    failuresInRow: numberIn(typed.failures),
    zone: place.zone,
    ...(typed.language === '' ? {} : { language: typed.language }),
  }
  if (channel === 'feed') return told
  return {
    ...told,
    target: channel === 'webhook' ? withScheme(target) : target,
    quiet: from === '' ? null : { from, to },
    digest,
    digestHour: Number(typed.digestHour),
    digestDay: Number(typed.digestDay),
  }
}

function languageOf(language: string): AlertTyped['language'] {
  const [short] = language.split('-')
  return short === 'en' || short === 'es' || short === 'pt' ? short : ''
}

export const DELIVERY_MARKS: Record<DeliveryState, StatusKind> = {
  waiting: 'warn',
  sending: 'info',
  sent: 'good',
  failed: 'bad',
}
