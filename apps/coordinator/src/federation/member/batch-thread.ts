/** The thread that reads large batches of other stations. See exchange.ts for the other end. */
import { answerCalls, BadUpload } from '@minga/protocol'
import { decodeBatch, type Batch } from './exchange-batch.ts'

export interface BatchAnswer {
  batch?: Batch
  /** Why it is refused. */
  problem?: string
}

answerCalls((body: Uint8Array): BatchAnswer => {
  try {
    return { batch: decodeBatch(body) }
  } catch (error) {
    if (!(error instanceof BadUpload)) throw error
    return { problem: error.problem }
  }
})
