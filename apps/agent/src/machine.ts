/** What an agent needs of the machine it runs on, passed in so that tests can replace it. */
import type { Fetcher } from '@minga/net'
import type { Clock } from '@minga/protocol'
import type { Recorder } from './recorder.ts'

export interface MachineLimits {
  /** Requests in flight at once, over all hosts. */
  concurrency: number
  /** Requests asked for ahead of their turn. */
  requestsInHand: number
  /** Memory for results that wait for their upload; beyond it no new request is sent. */
  resultBytes: number
}

/**
 * In hand: enough polite hosts (a few requests each) to keep hundreds of lanes waiting out their
 * delays side by side. Results: a few seconds of a fast line.
 */
export const DEFAULT_MACHINE_LIMITS: MachineLimits = {
  concurrency: 64,
  requestsInHand: 2_000,
  resultBytes: 64 * 1024 * 1024,
}

export interface Machine {
  clock: Clock
  fetcher: Fetcher
  recorder: Recorder
  limits: MachineLimits
}
