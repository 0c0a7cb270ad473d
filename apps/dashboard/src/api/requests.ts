/** What the page asks about clients' requests. */
import type { SortedPage } from '@minga/protocol'
import type { SortedQuery } from '../components/list/sorted-pages.ts'
import type { BatchRequest, BatchView, ResultLine } from './api-types.ts'
import { station } from './station.ts'

export const BATCH_STATES = [
  'filling',
  'running',
  'ended',
  'cancelled',
] as const satisfies readonly BatchView['state'][]

export const findBatches = (query: SortedQuery): Promise<SortedPage<BatchView>> =>
  station('GET /batches/page', { query })

export const readBatch = (id: string): Promise<BatchView> =>
  station('GET /batches/{id}', { params: { id } })

export const sendBatch = (batch: BatchRequest): Promise<BatchView> =>
  station('POST /batches', { body: batch })

export const cancelBatch = (id: string): Promise<BatchView> =>
  station('POST /batches/{id}/cancel', { params: { id }, body: {} })

export const OUTCOMES = [
  'captured',
  'failed',
  'denied',
  'cancelled',
] as const satisfies readonly ResultLine['outcome'][]

export const findResults = (id: string, query: SortedQuery): Promise<SortedPage<ResultLine>> =>
  station('GET /batches/{id}/results/page', { params: { id }, query })

/** Whether it is checked again; false when a check of the same page is under way. */
export const complain = (id: string, seq: number, note: string): Promise<{ isNew: boolean }> =>
  station('POST /batches/{id}/results/{seq}/complaint', {
    params: { id, seq },
    body: { note: note === '' ? null : note },
  })
