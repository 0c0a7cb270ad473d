/** How far a task is, and how long it may still take. */
import type { WikiTaskView } from '@minga/protocol'

interface TaskOutlook {
  /** Of all requests that are known so far; null when nothing is known. */
  share: number | null
  /** At the pace so far and if nothing more is found: at least this long. */
  leftMs: number | null
}

type Told = Pick<WikiTaskView, 'state' | 'startedAt' | 'queued' | 'progress'>

export function outlookOf({ state, startedAt, queued, progress }: Told, now: number): TaskOutlook {
  if (state === 'done') return { share: 1, leftMs: 0 }
  const all = progress.requests + queued
  const share = all === 0 ? null : progress.requests / all
  if (state !== 'running' || startedAt === null || progress.requests === 0) {
    return { share, leftMs: null }
  }
  const perRequestMs = Math.max(0, now - startedAt) / progress.requests
  return { share, leftMs: perRequestMs * queued }
}

/** Whether something of it may still change. */
export function isOpen({ state }: Pick<WikiTaskView, 'state'>): boolean {
  return state === 'waiting' || state === 'running'
}
