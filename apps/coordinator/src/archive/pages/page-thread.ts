/** The thread that reads pages: what never ends there is ended from outside. See page-worker.ts for the other end. */
import { answerCalls } from '@minga/protocol'
import { doPageJob, type PageJobArgs, type PageJobName, type PageJobResult } from './page-jobs.ts'

export interface PageCall {
  name: PageJobName
  args: PageJobArgs<PageJobName>
}

export type PageReply = { result: PageJobResult<PageJobName> } | { problem: string }

answerCalls(({ name, args }: PageCall): PageReply => {
  try {
    return { result: doPageJob(name, args) }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
})
