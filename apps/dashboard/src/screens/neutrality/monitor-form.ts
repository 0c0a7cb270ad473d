/** From what the user typed to the requested monitor, and the current state of a monitor. */
import type { MonitorMessage } from '@minga/protocol'
import type { StatusKind } from '../../components/status-badge.tsx'
import { linesOf, numberIn, withScheme } from '../typed-text.ts'
import type { MonitorView, PlaceFlag } from '../../api/station-api.ts'

export interface MonitorForm {
  name: string
  urls: string
  by: MonitorView['by']
  devicesPerPlace: string
  /** Hours, or empty for one run only. */
  everyHours: string
  patienceMinutes: string
}

export const EMPTY_MONITOR: MonitorForm = {
  name: '',
  urls: '',
  by: 'country',
  devicesPerPlace: '2',
  everyHours: '',
  patienceMinutes: '60',
}
export const PLACE_KINDS = ['country', 'network'] as const satisfies MonitorView['by'][]
export const DEVICE_COUNTS = ['1', '2', '3', '4', '5'] as const
/** In hours; empty: once. */
export const PERIODS = ['', '1', '6', '24', '168'] as const
export const PATIENCE = { least: 1, most: 1_440 }

const MINUTE_S = 60
const HOUR_MS = 3_600_000

export type MonitorProblems = Partial<Record<'name' | 'urls' | 'patienceMinutes', true>>

export function monitorProblemsOf(form: MonitorForm): MonitorProblems {
  const problems: MonitorProblems = {}
  if (form.name.trim() === '') problems.name = true
  if (linesOf(form.urls).length === 0) problems.urls = true
  const minutes = numberIn(form.patienceMinutes) ?? Number.NaN
  if (!(minutes >= PATIENCE.least && minutes <= PATIENCE.most)) problems.patienceMinutes = true
  return problems
}

/** Of a form without problems. */
export function monitorAsked(form: MonitorForm): MonitorMessage {
  return {
    name: form.name.trim(),
    urls: linesOf(form.urls).map(withScheme),
    by: form.by,
    devicesPerPlace: Number(form.devicesPerPlace),
    everyMs: form.everyHours === '' ? null : Number(form.everyHours) * HOUR_MS,
    patienceS: Math.round((numberIn(form.patienceMinutes) ?? 0) * MINUTE_S),
  }
}

export interface MonitorState {
  kind: StatusKind
  /** Under `monitor.state` in the catalogues. */
  word: 'running' | 'waiting' | 'over'
}

/** A list knows no runs: there it is only whether one is to come. */
export function monitorStateOf({ nextRunAt, history }: MonitorView): MonitorState {
  if (history.at(-1)?.endedAt === null) return { kind: 'good', word: 'running' }
  return nextRunAt === null ? { kind: 'quiet', word: 'over' } : { kind: 'info', word: 'waiting' }
}

export interface UrlFlags {
  url: string
  kinds: { kind: string; places: { place: string; isConfirmed: boolean }[] }[]
}

/** Where what is seen, address by address; what is confirmed stands first. */
export function flagsByUrl(flags: readonly PlaceFlag[]): UrlFlags[] {
  return [...Map.groupBy(flags, ({ url }) => url)].map(([url, ofUrl]) => ({
    url,
    kinds: [...Map.groupBy(ofUrl, ({ kind }) => kind)].map(([kind, ofKind]) => ({
      kind,
      places: ofKind
        .map(({ place, isConfirmed }) => ({ place, isConfirmed }))
        .toSorted((a, b) => Number(b.isConfirmed) - Number(a.isConfirmed)),
    })),
  }))
}
