/** Everything that works in the background and has a state, of whatever kind, in one list. */
export const JOB_KINDS = [
  'collection',
  'query',
  'wiki',
  'harvest',
  'batch',
  'load-test',
  'neutrality',
  'delivery',
  'takedown',
  'map',
  'extract',
  'sweep',
  'exchange',
] as const
export type JobKind = (typeof JOB_KINDS)[number]

export const JOB_STATES = ['waiting', 'running', 'paused', 'done', 'failed', 'cancelled'] as const
export type JobState = (typeof JOB_STATES)[number]

/** What its reader may do to it now. */
export type JobAct = 'pause' | 'resume' | 'cancel' | 'retry'

export interface JobView {
  kind: JobKind
  /** Different for every job of its kind. */
  id: string
  /** Of what it is a part, by the id that this has in its own addresses. */
  of: string
  /** For people: a name, a host, an address. */
  subject: string
  /** What sort of its kind it is, such as `import` among queries; null when there is one sort only. */
  about: string | null
  state: JobState
  /** When it was asked for. */
  at: number
  startedAt: number | null
  endedAt: number | null
  /** How often it was tried, or how often parts of it failed; null where this is not counted. */
  attempts: number | null
  done: number | null
  /** Null while unknown. */
  total: number | null
  error: { code: string | null; message: string } | null
  acts: JobAct[]
}

export interface JobPage {
  /** Newest first. */
  jobs: JobView[]
  /** Give it as `after` to read on; null after the last page. */
  next: string | null
}
