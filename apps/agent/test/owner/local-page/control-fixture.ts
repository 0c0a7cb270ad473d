/** A fake agent: the orders of the page and the command line can be read from it. */
import type {
  ActivityLine,
  AgentControl,
  AgentView,
  VolunteerLimits,
} from '../../../src/owner/control.ts'
import { BadPageCall } from '../../../src/errors.ts'

const LIMITS: VolunteerLimits = {
  requestsPerSecond: null,
  bytesPerSecond: null,
  bytesPerMonth: 20_000_000_000,
  diskBytes: 200_000_000,
  cpuShare: null,
  concurrencyMax: 64,
  hours: null,
  pauseOnBattery: true,
  pauseOnMetered: true,
  neverHosts: [],
}

const VIEW: AgentView = {
  station: 'https://station.example',
  device: 'dev_1',
  name: 'the attic',
  startedAt: 0,
  condition: 'working',
  why: 'Requests are on their way.',
  limits: LIMITS,
  concurrency: 8,
  blockMax: 100,
  inFlight: [{ url: 'http://a.test/<script>', sinceMs: 1_200 }],
  inHand: 12,
  waitingToSend: { results: 3, bytes: 45_000 },
  requests: { captured: 7, failed: 1, returned: 2 },
  bytes: { down: 100_000, up: 20_000 },
  monthBytes: 5_000_000_000,
  lastHeardMsAgo: 400,
  message: null,
}

export class PretendedAgent implements AgentControl {
  /** Levers that were pulled, in order. */
  readonly told: string[] = []
  lines: ActivityLine[] = []
  #view = VIEW

  view(): AgentView {
    return this.#view
  }

  async activity(query: { before?: number; limit: number; host?: string }) {
    const { before = Infinity, limit, host } = query
    return this.lines
      .filter(({ no, url }) => no < before && (host === undefined || new URL(url).host === host))
      .toSorted((one, other) => other.no - one.no)
      .slice(0, limit)
  }

  async setLimits(change: Partial<VolunteerLimits>): Promise<VolunteerLimits> {
    const { requestsPerSecond } = change
    if (typeof requestsPerSecond === 'string') throw new BadPageCall('requestsPerSecond is a text')
    this.#view = { ...this.#view, limits: { ...this.#view.limits, ...change } }
    return this.#view.limits
  }

  async pause(): Promise<void> {
    this.told.push('pause')
    this.#view = { ...this.#view, condition: 'paused-by-owner', why: 'You paused it.' }
  }

  async resume(): Promise<void> {
    this.told.push('resume')
    this.#view = VIEW
  }

  finish(): void {
    this.told.push('finish')
  }

  stopNow(): void {
    this.told.push('stop')
  }
}
