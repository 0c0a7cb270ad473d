/** The kinds and states of jobs, as the station has them, for filters and marks. */
import type { JobKind, JobState } from '@minga/protocol'
import type { StatusKind } from '../../components/status-badge.tsx'

export const JOB_KINDS_SHOWN = [
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
] as const satisfies JobKind[]

export const JOB_STATES_SHOWN = [
  'waiting',
  'running',
  'paused',
  'done',
  'failed',
  'cancelled',
] as const satisfies JobState[]

export const JOB_MARKS: Record<JobState, StatusKind> = {
  waiting: 'quiet',
  running: 'good',
  paused: 'warn',
  done: 'info',
  failed: 'bad',
  cancelled: 'quiet',
}
