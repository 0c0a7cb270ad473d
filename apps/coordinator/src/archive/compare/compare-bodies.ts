/**
 * Comparing two bodies without holding up the station: large pages take seconds, and agents whose
 * beats are not heard for ten lose their leases.
 */
import type { DiffOptions, PageBody, PageDiff } from '@minga/forecast'
import { isMingaError } from '@minga/protocol'
import { DiffTooLong } from '../errors.ts'
import { pageWorker } from '../pages/page-worker.ts'

export interface Compared {
  before: PageBody
  after: PageBody
  options: DiffOptions
}

export async function compareBodies({ before, after, options }: Compared): Promise<PageDiff> {
  const { selectors, mask = null } = options
  try {
    return await pageWorker.run('diff', { page: after, first: before, selectors, mask })
  } catch (cause) {
    if (isMingaError(cause)) throw new DiffTooLong({ cause })
    throw cause
  }
}
