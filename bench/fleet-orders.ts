/** The orders to the processes next to the coordinator, and their reports. */
export interface LoadOrder {
  mode: 'load'
  url: string
  joinToken: string
  agents: number
  /** Everything that may be asked for. */
  urls: string[]
  /** Requests per question, at most. */
  askMax: number
  /** Results per upload, at most. */
  uploadMax: number
}

export interface IdleOrder {
  mode: 'idle'
  url: string
  joinToken: string
  agents: number
  /** Whether the connection of a question stays open until the next one. */
  keepsMain: boolean
}

export type AgentsOrder = LoadOrder | IdleOrder

export interface LoadReport {
  /** Questions that were answered with a block: when they were asked, and how long it took. */
  asks: { at: number; ms: number }[]
  uploads: { at: number; accepted: number; stale: number }[]
  memberBytes: number
  checkSecondsPerResult: number
}

export interface IdleReport {
  beats: number
  asks: number
  /** Calls that were not answered well, the first of them in words. */
  failures: number
  firstFailure: string | null
  slowestBeatMs: number
}

export interface DirectOrder {
  urls: string[]
  inFlight: number
  /** After the end of an answer, before the lane's next request. */
  delayMs: number
}

export interface DirectReport {
  seconds: number
}
