/** What a worker and its station say to each other. */
import type { Task, TaskDone } from '../model.ts'
import type { LeaseId } from '../schedule/resolve-task.ts'

export interface TaskFailure {
  code: string
  message: string
  retry: 'now' | 'later' | 'never'
  sql?: string
}

/** `stale`: another worker has the task; `already`: this very commit was received before. */
export type CommitAnswer = 'accepted' | 'already' | 'stale'

export interface LeaseAnswer {
  task: Task | null
  waitMs?: number
  /** The station gives it no more tasks for now. */
  isDrained?: boolean
}

export interface WorkerStation {
  /** Waits up to `waitMs` for a task; the answer's `waitMs` says when to ask again. */
  lease(waitMs: number, signal: AbortSignal): Promise<LeaseAnswer>
  /** May be repeated: a commit counts once. */
  commit(lease: LeaseId, done: TaskDone, signal: AbortSignal): Promise<CommitAnswer>
  fail(lease: LeaseId, failure: TaskFailure, signal: AbortSignal): Promise<void>
  giveBack(lease: LeaseId, signal: AbortSignal): Promise<void>
}

export interface TaskHeartbeatResponse {
  lost: LeaseId[]
}

export const leaseOf = ({ query, stage, index, fence }: Task): LeaseId => ({
  query,
  stage,
  index,
  fence,
})
