/** Watches a query until it has ended: how far it is, and rows as they come. */
import { isMingaError, systemClock, type QueryRows, type QueryView } from '@minga/protocol'
import { Reported } from '../../../errors.ts'
import { exitCodeOf } from '../../../exit-codes.ts'
import { errorScreen, formatBytes, formatSeconds, ProgressLine } from '../../../progress.ts'
import { patiently, type ReachedStation } from '../../../reach-station.ts'
import type { QueryFolder } from './folder.ts'

const POLL_MS = 100

interface Answers {
  batches: QueryRows[]
  after: string
  isEnded: boolean
}

/** Rows as tasks commit them, and how far it is, until it has ended. */
export async function followQuery(
  station: ReachedStation,
  begun: QueryView,
  { folder, signal }: { folder?: QueryFolder; signal: AbortSignal },
): Promise<QueryView> {
  const progress = new ProgressLine(errorScreen(), systemClock.monotonicMs())
  let after = '0'
  let view = begun
  while (view.state === 'running' && !signal.aborted) {
    await systemClock.sleep(POLL_MS, signal)
    view = await patiently(station, () => station.api.get<QueryView>(`/queries/${view.id}`))
    if (folder !== undefined) after = await takeRows(station, view.id, { folder, after })
    progress.show(lineOf(view), systemClock.monotonicMs())
  }
  progress.end()
  return view
}

/** Writes the rows that are new; resolves to where the next ones begin. */
async function takeRows(
  station: ReachedStation,
  id: string,
  { folder, after }: { folder: QueryFolder; after: string },
): Promise<string> {
  const ask = (): Promise<Answers> =>
    station.api.get<Answers>(`/queries/${id}/rows?after=${encodeURIComponent(after)}`)
  const news = await patiently(station, ask).catch(gone)
  for (const batch of news?.batches ?? []) await folder.addRows(batch)
  return news?.after ?? after
}

/** Rows of a query that ended in the meantime are of no use any more: its answer is there. */
function gone(error: unknown): null {
  if (isMingaError(error) && error.code !== 'MINGA_STATION_UNREACHABLE') return null
  throw error
}

function lineOf({ tasks, rowsRead, bytesRead, bytesTotal, etaMs }: QueryView): string {
  const share = tasks.total === 0 ? 0 : Math.floor((tasks.done / tasks.total) * 100)
  const eta = etaMs === null ? '–' : formatSeconds(etaMs / 1_000)
  return (
    `${share} % · ${tasks.done} of ${tasks.total} tasks · ${rowsRead} rows · ` +
    `${formatBytes(bytesRead)} of ${formatBytes(bytesTotal)} · ETA ${eta}`
  )
}

/** Says why there are no answers; resolves to the exit code. */
export function tellFailure(view: QueryView): number {
  const { code, message, stage, sql } = view.error ?? {
    code: 'MINGA_NO_SUCH_RESULT',
    message: `The query was ended as ${view.state}.`,
    stage: null,
    sql: null,
  }
  const where = stage === null ? '' : ` (stage ${stage})`
  process.stderr.write(`minga: ${message}${where} (${code})\n${sql === null ? '' : `${sql}\n`}`)
  return exitCodeOf(new Reported({ code, message }))
}
