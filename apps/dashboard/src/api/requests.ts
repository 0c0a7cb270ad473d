/** What the page asks about clients' requests. */
import type { BatchRequest, BatchView, ResultLine } from './api-types.ts'
import { ask, call, queryOf } from './call.ts'

export interface BatchPage {
  before: number | null
  limit: number
}

/** Newest first, before this time. */
export const readBatches = ({ before, limit }: BatchPage): Promise<BatchView[]> =>
  call('GET', `/batches${queryOf({ before, limit })}`)

export const readBatch = (id: string): Promise<BatchView> => call('GET', `/batches/${id}`)

export const sendBatch = (batch: BatchRequest): Promise<BatchView> =>
  call('POST', '/batches', batch)

export const cancelBatch = (id: string): Promise<BatchView> =>
  call('POST', `/batches/${id}/cancel`, {})

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
  call('POST', `/batches/${id}/results/${seq}/complaint`, { note: note === '' ? null : note })
