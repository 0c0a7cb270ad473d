/** Rates, times left and plot series out of counts. */
import type { Sample } from '@minga/protocol'
import type { Collection } from '../api/api-types.ts'

/** The rate looks this far back: shorter jitters, longer lags. */
const RATE_WINDOW_MS = 10_000
/** Results arrive in uploads of many; a plot of single seconds would show the uploads. */
const SMOOTH_SAMPLES = 6

export interface Progress {
  /** Ended, those that failed included. */
  done: number
  failed: number
  out: number
  toDo: number
}

export type Counted = Pick<Collection, 'found' | 'queued' | 'leased' | 'failed'> &
  Partial<Pick<Collection, 'outcome' | 'spec'>>

export function progressOf(counts: Counted): Progress {
  const { found, queued, leased } = counts
  // Counters move in one transaction, except that robots.txt is out without being queued.
  const out = Math.max(0, Math.min(leased, queued))
  const done = found - queued
  return { done, failed: failedOf(counts, done), out, toDo: queued - out }
}

function failedOf({ failed, outcome, spec }: Counted, done: number): number {
  // Where nothing was captured, what was denied has come to nothing as well.
  if (outcome === 'failed') return done
  // A watch counts the failures of all its visits, which are no part of what it visits now.
  return spec?.kind === 'watch' ? 0 : Math.min(failed, done)
}

export interface Rates {
  urls: number
  bytes: number
}

/** Per second, of one collection or of all (null). */
export function rateOf(history: readonly Sample[], id: number | null): Rates {
  const last = history.at(-1)
  if (last === undefined) return { urls: 0, bytes: 0 }
  const from = history.findIndex(({ at }) => last.at - at <= RATE_WINDOW_MS)
  return ratesBetween(history.slice(from), id)
}

function ratesBetween(samples: readonly Sample[], id: number | null): Rates {
  const seconds = ((samples.at(-1)?.at ?? 0) - (samples[0]?.at ?? 0)) / 1_000
  if (seconds <= 0) return { urls: 0, bytes: 0 }
  let urls = 0
  let bytes = 0
  for (let i = 1; i < samples.length; i++) {
    urls += growth(samples[i - 1]!.done, samples[i]!.done, id)
    bytes += growth(samples[i - 1]!.bytes, samples[i]!.bytes, id)
  }
  return { urls: urls / seconds, bytes: bytes / seconds }
}

/** A collection that has just begun to run has no former count: its total is not growth. */
function growth(
  before: Record<number, number>,
  after: Record<number, number>,
  id: number | null,
): number {
  let sum = 0
  for (const [key, value] of Object.entries(after)) {
    const former = before[Number(key)]
    if (former === undefined || (id !== null && Number(key) !== id)) continue
    sum += Math.max(0, value - former)
  }
  return sum
}

/** Seconds until nothing is left, if nothing new is found; null when there is no telling. */
export function secondsLeft(collection: Collection, rates: Rates): number | null {
  if (collection.state !== 'running' || rates.urls <= 0) return null
  return collection.queued / rates.urls
}

export interface Series {
  /** Seconds since the epoch, as the plot wants them. */
  at: number[]
  urls: number[]
  bytes: number[]
}

export function seriesOf(history: readonly Sample[], id: number | null): Series {
  const series: Series = { at: [], urls: [], bytes: [] }
  for (let i = 1; i < history.length; i++) {
    const rates = ratesBetween(history.slice(Math.max(0, i - SMOOTH_SAMPLES), i + 1), id)
    series.at.push(history[i]!.at / 1_000)
    series.urls.push(rates.urls)
    series.bytes.push(rates.bytes)
  }
  return series
}

/** How far back samples go, in milliseconds. */
export const spanOf = (samples: readonly { at: number }[]): number =>
  (samples.at(-1)?.at ?? 0) - (samples[0]?.at ?? 0)

/** Errors of several collections together, the most frequent first. */
export function errorsOf(
  collections: readonly Pick<Collection, 'errors'>[],
): { code: string; count: number }[] {
  const sums = new Map<string, number>()
  for (const { errors } of collections) {
    for (const [code, count] of Object.entries(errors)) {
      sums.set(code, (sums.get(code) ?? 0) + count)
    }
  }
  const list = [...sums].map(([code, count]) => ({ code, count }))
  return list.toSorted((a, b) => b.count - a.count || a.code.localeCompare(b.code))
}
