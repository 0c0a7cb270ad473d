/**
 * What the owner of a machine may see of its agent and tell it. The local page and the command
 * line are two hands on these same levers; the agent itself acts on them.
 */

/** What the owner lends. Null: no limit of that kind. */
export interface VolunteerLimits {
  /** Requests begun per second, over all hosts. */
  requestsPerSecond: number | null
  /** Bytes per second, down and up together. */
  bytesPerSecond: number | null
  /** Bytes per calendar month (UTC), down and up together. */
  bytesPerMonth: number | null
  /** Bytes of this machine's disk: the activity log and whatever else the agent writes. */
  diskBytes: number
  /** Share of one processor, 0 to 1 for each processor there is: 0.5 is half of one. */
  cpuShare: number | null
  /** Requests in flight at once, over all hosts; the tuning stays at or below it. */
  concurrencyMax: number
  /** When it works, in this machine's time: `22:00-06:30`, several divided by commas; null: always. */
  hours: string | null
  pauseOnBattery: boolean
  pauseOnMetered: boolean
  /** Hosts that this machine never asks, names or `*.name`: given back undialled. */
  neverHosts: string[]
}

/** Why an agent does nothing right now; `working` when it does. */
export type AgentCondition =
  | 'working'
  | 'waiting-for-work'
  | 'station-away'
  | 'paused-by-owner'
  | 'paused-by-station'
  | 'outside-hours'
  | 'on-battery'
  | 'on-metered-line'
  | 'month-used-up'
  | 'finishing'

export interface AgentView {
  station: string
  device: string | null
  name: string
  startedAt: number
  condition: AgentCondition
  /** The condition as one sentence, with what ends it where that is known. */
  why: string
  limits: VolunteerLimits
  /** What the tuning allows at this moment. */
  concurrency: number
  blockMax: number
  inFlight: { url: string; sinceMs: number }[]
  inHand: number
  waitingToSend: { results: number; bytes: number }
  /** Since the agent started. */
  requests: { captured: number; failed: number; returned: number }
  bytes: { down: number; up: number }
  /** Of the current calendar month (UTC), over all starts. */
  monthBytes: number
  lastHeardMsAgo: number | null
  /** What the station's operator has to tell; null: nothing. */
  message: { text: string; at: number } | null
}

/** One request that this machine made. */
export interface ActivityLine {
  no: number
  at: number
  url: string
  /** HTTP status, or null when there was no answer. */
  status: number | null
  /** The error's code when there was none. */
  code: string | null
  bytes: number
  ms: number
}

export interface AgentControl {
  view(): AgentView
  /** Newest first. */
  activity(query: { before?: number; limit: number; host?: string }): Promise<ActivityLine[]>
  /** Takes effect at once and is remembered. */
  setLimits(change: Partial<VolunteerLimits>): Promise<VolunteerLimits>
  /** Asks for nothing and dials nothing more; what was not dialled is given back. Remembered. */
  pause(): Promise<void>
  resume(): Promise<void>
  /** Asks for nothing more, finishes what is in progress, sends it, ends. */
  finish(): void
  /** Gives back what is in progress, ends at once. */
  stopNow(): void
}
