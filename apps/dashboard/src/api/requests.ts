/** What the page asks about clients' requests. */
import type { BatchRequest, BatchView, ResultLine } from './api-types.ts'
import type { ListPage, ListQuestion } from '../parts/list/list-rows.ts'
import { ask, queryOf } from './call.ts'
import { station } from './station.ts'

export const BATCH_STATES = [
  'filling',
  'running',
  'ended',
  'cancelled',
] as const satisfies readonly BatchView['state'][]

/** Newest first; each page before the oldest of the one before it. */
export async function readBatches(question: ListQuestion): Promise<ListPage<BatchView>> {
  const { filters, spans, cursor, limit } = question
  const { fromMs = null, toMs = null } = spans['createdAt'] ?? {}
  const rows = await station('GET /batches', {
    query: { before: cursor ?? toMs, from: fromMs, state: filters['state'], limit },
  })
  return { rows, cursor: rows.length < limit ? null : String(rows.at(-1)!.createdAt) }
}

export const readBatch = (id: string): Promise<BatchView> =>
  station('GET /batches/{id}', { params: { id } })

export const sendBatch = (batch: BatchRequest): Promise<BatchView> =>
  station('POST /batches', { body: batch })

export const cancelBatch = (id: string): Promise<BatchView> =>
  station('POST /batches/{id}/cancel', { params: { id }, body: {} })

/** In the order in which they came, after the result of this number. */
export async function readResults(
  id: string,
  page: { after: number; limit: number },
): Promise<ResultLine[]> {
  const response = await ask('GET', `/batches/${id}/results${queryOf(page)}`)
  const text = await response.text()
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ResultLine)
}

/** Whether it is checked anew; false when a check of the same page is under way. */
export const complain = (id: string, seq: number, note: string): Promise<{ isNew: boolean }> =>
  station('POST /batches/{id}/results/{seq}/complaint', {
    params: { id, seq },
    body: { note: note === '' ? null : note },
  })
