/**
 * The batches of one command. Their keys are stored next to the results file until all has ended: the same
 * command again then continues with the same batches instead of asking for everything twice.
 */
import { createHash, randomUUID } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { BATCH_URLS_MAX, type BatchRequest, type BatchView } from '@minga/protocol'
import type { Figures } from '../../progress.ts'
import { patiently, type ReachedStation } from '../../reach-station.ts'
import type { RequestOptions } from './request.ts'

const COUNTED = [
  'total',
  'open',
  'captured',
  'failed',
  'denied',
  'cancelled',
  'fromCache',
  'bytes',
] as const

export type Totals = Record<(typeof COUNTED)[number], number>

/** Of batches that have ended. */
export function batchOutcome({
  captured,
  total,
}: Pick<Totals, 'captured' | 'total'>): 'complete' | 'with-errors' | 'failed' {
  if (captured === 0) return 'failed'
  return captured === total ? 'complete' : 'with-errors'
}

export class OpenBatches {
  readonly ids: string[]
  readonly #known: Map<string, BatchView>
  readonly #note: string | null

  constructor(batches: readonly BatchView[], note: string | null) {
    this.ids = batches.map(({ id }) => id)
    this.#known = new Map(batches.map((batch) => [batch.id, batch]))
    this.#note = note
  }

  note(batch: BatchView): void {
    this.#known.set(batch.id, batch)
  }

  totals(): Totals {
    const totals = Object.fromEntries(COUNTED.map((name) => [name, 0])) as Totals
    for (const batch of this.#known.values()) {
      for (const name of COUNTED) totals[name] += batch[name]
    }
    return totals
  }

  figures(): Figures {
    const { total, open, bytes, failed, denied } = this.totals()
    const errors = {
      ...(failed > 0 ? { failed } : {}),
      ...(denied > 0 ? { denied } : {}),
    }
    return { done: total - open, out: null, toDo: open, bytes, errors }
  }

  async forget(): Promise<void> {
    if (this.#note !== null) await rm(this.#note, { force: true })
  }
}

export async function openBatches(
  station: ReachedStation,
  urls: readonly string[],
  options: RequestOptions,
): Promise<OpenBatches> {
  const note = options.out === undefined ? null : `${options.out}.batch`
  const key = await keyOf(note, urls)
  const batches: BatchView[] = []
  for (let at = 0; at < urls.length; at += BATCH_URLS_MAX) {
    const message: BatchRequest = {
      urls: urls.slice(at, at + BATCH_URLS_MAX),
      priority: options.priority,
      ...(options.maxAge === undefined ? {} : { maxAgeS: options.maxAge }),
      idempotencyKey: `${key}-${at}`,
    }
    batches.push(await patiently(station, () => station.api.post<BatchView>('/batches', message)))
  }
  return new OpenBatches(batches, note)
}

/** The key of the last run that was interrupted with the same list, or a new one. */
async function keyOf(note: string | null, urls: readonly string[]): Promise<string> {
  const list = createHash('sha256').update(urls.join('\n')).digest('hex')
  if (note === null) return randomUUID()
  const former = await readFile(note, 'utf8').catch(() => '')
  const [formerList, formerKey] = former.trim().split(' ')
  if (formerList === list && formerKey) return formerKey
  const key = randomUUID()
  await writeFile(note, `${list} ${key}\n`)
  return key
}
