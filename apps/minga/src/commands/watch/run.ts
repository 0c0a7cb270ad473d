/** `minga watch run`: visits what is due, or everything once, until it is done or interrupted. */
import { systemClock, type CollectionProblem, type VisitCounts } from '@minga/protocol'
import { EXIT } from '../../exit-codes.ts'
import { Interrupts } from '../../interrupts.ts'
import { warnAboutPrivateAddresses, type OwnStationOptions } from '../../options.ts'
import { errorScreen, Progress } from '../../progress.ts'
import {
  patiently,
  reachStation,
  throughStation,
  type ReachedStation,
} from '../../reach-station.ts'
import { printJson, say } from './text.ts'

export interface RunOptions extends OwnStationOptions {
  once?: boolean
  budget?: number
  json?: boolean
}

const POLL_MS = 200

interface Round {
  startedAt: number
}

interface RoundState extends VisitCounts {
  /** Visits and harvests that have not ended. */
  left: number
  /** Null unless visits took place and all of them failed; stations of older versions send none. */
  problem?: CollectionProblem | null
}

export async function runWatches(ids: string[], options: RunOptions): Promise<number> {
  warnAboutPrivateAddresses(options.allowPrivateAddresses)
  return throughStation(
    () => reachStation(options),
    (station) => runThrough(station, ids.map(Number), options),
  )
}

async function runThrough(
  station: ReachedStation,
  ids: number[],
  options: RunOptions,
): Promise<number> {
  const interrupts = new Interrupts(station.kill, options.once ? EXIT.interrupted : EXIT.ok)
  try {
    // Waiting for those that are not there would never end.
    for (const id of ids) await patiently(station, () => station.api.get(`/watches/${id}`))
    const { budget } = options
    if (budget !== undefined) await station.api.patch('/settings', { visitsPerDay: budget })
    const of = ids.length === 0 ? null : ids
    const ended = options.once
      ? await visitOnce(station, of, interrupts.signal)
      : await keepVisiting(station, of, interrupts.signal)
    await station.stop()
    report(ended, options)
    if (!options.once) return EXIT.ok
    if (interrupts.signal.aborted) return EXIT.interrupted
    return hasFailed(ended) ? EXIT.error : EXIT.ok
  } finally {
    await station.stop()
    interrupts.end()
  }
}

/** Everything is due at once; the round ends when nothing of it is left. */
async function visitOnce(
  station: ReachedStation,
  ids: number[] | null,
  signal: AbortSignal,
): Promise<RoundState> {
  const { startedAt } = await patiently(station, () =>
    station.api.post<Round>('/watches/run', { once: true, ids }),
  )
  return follow(station, { startedAt, ids, isOver: ({ left }) => left === 0 }, signal)
}

/** A station visits what is due by itself; here the user watches. */
function keepVisiting(
  station: ReachedStation,
  ids: number[] | null,
  signal: AbortSignal,
): Promise<RoundState> {
  const startedAt = systemClock.now()
  return follow(station, { startedAt, ids, isOver: () => false }, signal)
}

async function follow(
  station: ReachedStation,
  round: Round & { ids: number[] | null; isOver: (now: RoundState) => boolean },
  signal: AbortSignal,
): Promise<RoundState> {
  const progress = new Progress(errorScreen(), systemClock.monotonicMs())
  const of = round.ids === null ? '' : `&ids=${round.ids.join(',')}`
  const path = `/watches/run?startedAt=${round.startedAt}${of}`
  let now: RoundState
  for (;;) {
    now = await patiently(station, () => station.api.get<RoundState>(path))
    if (signal.aborted || round.isOver(now)) break
    const figures = { done: now.visited, out: null, toDo: now.left, bytes: 0, errors: {} }
    progress.show(figures, systemClock.monotonicMs())
    await systemClock.sleep(POLL_MS, signal)
  }
  progress.end()
  return now
}

/** Some failed visits are part of a result; a round in which none succeeded found out nothing. */
const hasFailed = ({ visited, failed }: VisitCounts): boolean => visited > 0 && failed === visited

function report(ended: RoundState, { json, once }: RunOptions): void {
  const { visited, changed, unchanged, noise, failed } = ended
  const found = `${changed} found a change, ${noise} only noise, ${unchanged} nothing new`
  if (json) printJson({ visited, changed, unchanged, noise, failed })
  else say(`${visited} visits: ${found}, ${failed} failed`)
  if (once && hasFailed(ended)) say(failureText(ended))
}

function failureText({ failed, problem }: RoundState): string {
  const start = failed === 1 ? 'The only visit failed' : `All ${failed} visits failed`
  if (!problem) return `${start}. \`minga watch metrics ID\` lists the last visits of a watch.`
  const where = problem.url === null ? '' : ` (${problem.url})`
  return `${start}: ${problem.message}${where}. ${problem.remedy}`
}
