/**
 * What the station tells about its services and settings, as the page reads it; see fleet-api.ts.
 */
import type { LoadError, LoadTestState } from './load-tests.ts'

export type FlagState = 'open' | 'dismissed' | 'confirmed'
/** What an alarm does besides telling: new batches are refused, or fewer requests a day allowed. */
export type FlagEffect = 'notify' | 'hold' | 'cut'
export type MonitorVerdict = 'same' | 'differs' | 'varies' | 'too-few'
/** An object is the station's filter. */
export type SettingValue = string | number | boolean | Record<string, unknown> | null

export interface FlagView {
  id: string
  client: string
  kind: string
  severity: 'notice' | 'alarm'
  evidence: Record<string, number | string>
  samples: string[]
  effect: FlagEffect
  dayMax: number | null
  state: FlagState
  openedAt: number
  changedAt: number
  note: string | null
  decidedBy: string | null
  decidedAt: number | null
}

export interface HostRuleView {
  pattern: string
  effect: 'close' | 'slow' | 'exempt'
  reason: string
  madeBy: string
  since: number
}

/** Why a client's batches are held or cut, for the client. */
export interface OwnRestrictions {
  isHeld: boolean
  restrictions: { id: string; reason: string }[]
}

export interface CategoryView {
  name: string
  isDenied: boolean
  hosts: number
  reason: string
  changedBy: string
}

/** When the site counts as bearing its visitors. */
export interface LoadCriterion {
  p95Ms: number
  errorRate: number
}

export interface LoadStepView {
  visitors: number
  requests: number
  perSecond: number
  bytes: number
  errors: Partial<Record<LoadError, number>>
  errorRate: number
  p50Ms: number | null
  p90Ms: number | null
  p95Ms: number | null
  p99Ms: number | null
  doesBear: boolean
  /** A ceiling kept visitors waiting: more of them would have changed nothing. */
  isHeldBack: boolean
}

export interface LoadTestView {
  id: string
  host: string
  state: LoadTestState
  reason: string | null
  plan: {
    urls: string[]
    visitorsMax: number
    stepMs: number
    thinkMs: number
    answerMsMax: number
    bears: LoadCriterion
    ceilings: LoadCriterion & { requestsPerSecond: number; bytes: number; durationMs: number }
  }
  /** While it is not started. */
  proof: {
    file: { path: string; content: string }
    /** Null where the host is an address. */
    dns: { name: string; type: 'TXT'; value: string } | null
    provenAt: number | null
  } | null
  createdAt: number
  startedAt: number | null
  endedAt: number | null
  /** Of the last few seconds, while it runs. */
  live: { visitors: number; perSecond: number; p95Ms: number | null; errorRate: number } | null
  steps: LoadStepView[]
}

export interface CapacityView {
  visitors: number
  isAtLeast: boolean
  low: number
  high: number | null
}

export interface LoadTestReport extends Omit<LoadTestView, 'proof' | 'live'> {
  capacity: CapacityView | null
  notes: string[]
  machines: { asked: number; joined: number; lost: number } | null
  totals: { requests: number; bytes: number } | null
}

export interface RunView {
  no: number
  startedAt: number
  endedAt: number | null
  /** Of an ended run. */
  deviations: number | null
}

export interface MonitorView {
  id: string
  name: string
  urls: string[]
  by: 'country' | 'network'
  devicesPerPlace: number
  /** Null: one run only, or stopped. */
  everyMs: number | null
  /** How long a run waits for its devices. */
  runMs: number
  createdAt: number
  nextRunAt: number | null
  runs: number
  /** The latest runs, oldest first; empty in a list. */
  history: RunView[]
}

export interface PlaceFlag {
  url: string
  place: string
  kind: string
  isConfirmed: boolean
  /** What is seen there, in the station's words. */
  says: string
  /** What most places see. */
  consensus: string | null
  /** The run since which it was found without a break. */
  sinceRun: number
}

export interface UrlFinding {
  url: string
  verdict: MonitorVerdict
  consensus: string | null
  places: number
}

export interface MonitorReport {
  /** Null when no run has ended yet. */
  run: RunView | null
  flags: PlaceFlag[]
  findings: UrlFinding[]
}

export interface SettingView {
  name: string
  value: SettingValue
  /** From the weakest to the strongest. */
  source: 'default' | 'file' | 'environment' | 'flag' | 'changed'
  default: SettingValue
  unit: string | null
  about: string
  /** From when on a change holds. */
  holds: string
  min: number | null
  max: number | null
  choices: readonly string[] | null
  changedAt: number | null
  changedBy: string | null
}

export interface SettingChangeView {
  no: number
  name: string
  before: SettingValue
  after: SettingValue
  by: string | null
  at: number
  note: string | null
}
