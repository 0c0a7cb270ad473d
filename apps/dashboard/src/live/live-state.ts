/** What the page knows of the station, as a value: each event gives the next one. */

/** As long as the station remembers: five minutes. */
import type { Sample, Snapshot } from '@minga/protocol'

const SAMPLES_MAX = 300
/** Several missed seconds: fewer would flicker, more would pass old figures off as new. */
const STALE_MS = 5_000

export interface LiveState {
  snapshot: Snapshot
  history: Sample[]
  /** By this browser's clock. */
  receivedAt: number
}

export function withSnapshot(
  state: LiveState | undefined,
  snapshot: Snapshot,
  receivedAt: number,
): LiveState {
  const { history: sent, ...rest } = snapshot
  const history = sent === undefined ? [...(state?.history ?? []), snapshot.sample] : sent
  return { snapshot: rest, history: history.slice(-SAMPLES_MAX), receivedAt }
}

/** Nothing changed, but the station is there: its clock and the plot continue. */
export function withUnchanged(
  state: LiveState | undefined,
  now: number,
  receivedAt: number,
): LiveState | undefined {
  if (state === undefined) return undefined
  const sample = { ...state.snapshot.sample, at: now }
  const history = [...state.history, sample].slice(-SAMPLES_MAX)
  return { snapshot: { ...state.snapshot, now, sample }, history, receivedAt }
}

export function isStale(state: LiveState | undefined, nowMs: number): boolean {
  return state !== undefined && nowMs - state.receivedAt > STALE_MS
}

/** The station's clock now, by which its hosts' clocks are read. */
export function stationNow(state: LiveState, nowMs: number): number {
  return state.snapshot.now + (nowMs - state.receivedAt)
}
