/** What an agent needs of the machine it runs on, passed in so that tests can replace it. */
import type { Fetcher } from '@minga/net'
import type { Clock, LoadPart } from '@minga/protocol'
import type { WorkBuffer } from './work-buffer.ts'
import type { OwnerHooks } from '../owner/owner-hooks.ts'
import type { HostFloor } from '../owner/limits/host-floor.ts'
import type { Recorder } from '../record/recorder.ts'
import type { StationClient } from '../station/station-client.ts'

export interface MachineLimits {
  /** Requests in flight at once, over all hosts. */
  concurrency: number
  /** Requests asked for ahead of their turn. */
  requestsInHand: number
  /** Memory for results that wait for their upload; beyond it no new request is sent. */
  resultBytes: number
}

/**
 * In progress: enough polite hosts (a few requests each) to keep hundreds of lanes waiting out their
 * delays in parallel. Results: a second or two of a fast line; what waits for longer costs memory,
 * not time.
 */
export const DEFAULT_MACHINE_LIMITS: MachineLimits = {
  concurrency: 64,
  requestsInHand: 2_000,
  resultBytes: 16 * 1024 * 1024,
}

export interface Machine {
  clock: Clock
  fetcher: Fetcher
  recorder: Recorder
  limits: MachineLimits
  /** A number from 0 up to, not including, 1. */
  random: () => number
  /** Whether who started us is gone: its successor may have started another agent by now. */
  isAbandoned: () => boolean
  /** The owner's limits, when the machine is lent by a volunteer. */
  ownerHooks?: OwnerHooks
  /** The pause between requests to a host that a lent machine keeps whatever its station says. */
  hostFloor?: HostFloor
  /** Whether requests that carry a log-in are refused: a volunteer was promised never to send one. */
  refusesLogIns?: boolean
  /** Writes a line to the agent's log. */
  complain: (line: string) => void
  /** Signs of life until the signal, from where no work of the main loop can hold them up. */
  beat(agent: { station: StationClient; buffer: WorkBuffer }, signal: AbortSignal): Promise<void>
  /** Simulates visitors of a site whose owner wants to know its capacity. */
  bearLoad?: (part: LoadPart, signal: AbortSignal) => Promise<void>
}
