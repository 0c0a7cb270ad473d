/** Tasks of wikis, followed until they end. */
import { systemClock, type WikiTaskView } from '@minga/protocol'
import { EXIT } from '../../exit-codes.ts'
import { Interrupts } from '../../interrupts.ts'
import { errorScreen, formatSeconds, ProgressLine, readable } from '../../progress.ts'
import { patiently, type ReachedStation } from '../../reach-station.ts'
import type { Begin } from './add.ts'

const POLL_MS = 200

export async function followTasks(
  station: ReachedStation,
  begin: Begin,
  options: { json?: boolean },
): Promise<number> {
  const interrupts = new Interrupts(station.kill)
  const startedMs = systemClock.monotonicMs()
  try {
    const begun = await patiently(station, () => begin(station.api))
    const ended = await follow(station, begun, interrupts.signal)
    if (interrupts.signal.aborted)
      process.stderr.write('minga: stopping; run it again to continue…\n')
    const gaps = interrupts.signal.aborted ? new Map() : await gapsOf(station)
    await station.stop()
    const seconds = (systemClock.monotonicMs() - startedMs) / 1_000
    reportTasks(ended, { json: options.json ?? false, seconds, gaps })
    if (interrupts.signal.aborted) return EXIT.interrupted
    return ended.every(isWhole) ? EXIT.ok : EXIT.error
  } finally {
    await station.stop()
    interrupts.end()
  }
}

const isOpen = ({ state }: WikiTaskView): boolean => state === 'waiting' || state === 'running'

const isWhole = ({ state, failed, progress }: WikiTaskView): boolean =>
  state === 'done' && failed === 0 && progress.missing.length === 0

async function follow(
  station: ReachedStation,
  begun: readonly WikiTaskView[],
  signal: AbortSignal,
): Promise<WikiTaskView[]> {
  const startedMs = systemClock.monotonicMs()
  const progress = new ProgressLine(errorScreen(), startedMs)
  const before = totalOf(begun)
  let tasks = [...begun]
  while (tasks.some(isOpen) && !signal.aborted) {
    await systemClock.sleep(POLL_MS, signal)
    const look = ({ id }: WikiTaskView): Promise<WikiTaskView> =>
      patiently(station, () => station.api.get<WikiTaskView>(`/wikis/tasks/${id}`))
    tasks = await Promise.all(tasks.map(look))
    const nowMs = systemClock.monotonicMs()
    const rate = ((totalOf(tasks) - before) * 1_000) / Math.max(1, nowMs - startedMs)
    progress.show(lineOf(tasks, rate), nowMs)
  }
  progress.end()
  return tasks
}

const totalOf = (tasks: readonly WikiTaskView[]): number =>
  tasks.reduce((sum, { progress }) => sum + progress.revisions, 0)

function lineOf(tasks: readonly WikiTaskView[], rate: number): string {
  const sum = (of: (task: WikiTaskView) => number): number =>
    tasks.reduce((total, task) => total + of(task), 0)
  const failed = sum((task) => task.failed)
  return (
    `${totalOf(tasks)} revisions · ${sum(({ progress }) => progress.pagesDone)} of ` +
    `${sum(({ progress }) => progress.pages)} pages · ${rate.toFixed(1)} revisions/s · ` +
    `${sum(({ queued }) => queued)} requests queued${failed > 0 ? ` · ${failed} failed` : ''}`
  )
}

/** What the wikis' histories lack: the user must not take an incomplete history for a complete one. */
async function gapsOf(station: ReachedStation): Promise<Map<string, number>> {
  const { wikis } = await patiently(station, () =>
    station.api.get<{ wikis: { wiki: string; gaps: number }[] }>('/wikis'),
  )
  return new Map(wikis.map(({ wiki, gaps }) => [wiki, gaps]))
}

interface Ended {
  json: boolean
  /** Null for tasks that were only begun. */
  seconds: number | null
  /** By wiki, as far as it is known. */
  gaps?: ReadonlyMap<string, number>
}

export function reportTasks(
  tasks: readonly WikiTaskView[],
  { json, seconds, gaps = new Map() }: Ended,
): void {
  if (json) {
    const shown = tasks.map((task) => {
      const ofWiki = gaps.get(task.wiki ?? '')
      return { ...plainTask(task), ...(ofWiki === undefined ? {} : { gaps: ofWiki }) }
    })
    const [only] = shown
    const answer = shown.length === 1 ? only : { tasks: shown }
    const timed = seconds === null ? {} : { seconds: Number(seconds.toFixed(3)) }
    process.stdout.write(`${JSON.stringify({ ...answer, ...timed })}\n`)
    return
  }
  for (const task of tasks) process.stderr.write(taskText(task, seconds))
  for (const [wiki, count] of gaps) {
    if (count === 0 || !tasks.some((task) => task.wiki === wiki)) continue
    process.stderr.write(
      `  ${count} gaps in the histories of ${wiki}; \`minga wiki verify ${wiki}\` names them\n`,
    )
  }
}

function plainTask(task: WikiTaskView): Record<string, unknown> {
  const { id, wiki, state, progress, failed, failures, error } = task
  const { pages, pagesDone, upToDate, revisions, requests, missing, warnings } = progress
  return {
    task: id,
    wiki,
    state,
    pages,
    pagesDone,
    upToDate,
    revisions,
    requests,
    missing,
    failed,
    failures,
    warnings,
    error,
  }
}

function taskText(task: WikiTaskView, seconds: number | null): string {
  const { id, wiki, state, progress, failed, failures, error } = task
  const time = seconds === null ? '' : ` in ${formatSeconds(seconds)}`
  const why = error === null ? '' : `: ${error}`
  const { upToDate } = progress
  const same = upToDate === 0 ? '' : `, ${upToDate} more had nothing new`
  return [
    `minga: task ${id} (${wiki ?? 'a wiki that is not known yet'}) ${STATES[state]}${time}: ` +
      `${progress.revisions} revisions of ${progress.pages} pages${same}, ${progress.requests} requests${why}`,
    ...progress.warnings.map((warning) => `  the wiki says: ${warning}`),
    ...progress.missing.map((title) => `  not there: ${title}`),
    ...failures.map(({ page, code }) => `  failed: ${page}: ${readable(code)} (${code})`),
    ...(failed > failures.length ? [`  … ${failed} failed in all`] : []),
  ]
    .map((line) => `${line}\n`)
    .join('')
}

const STATES: Record<WikiTaskView['state'], string> = {
  waiting: 'waits',
  running: 'has begun',
  done: 'is done',
  failed: 'failed',
  cancelled: 'was cancelled',
}
