/** After hosts were closed: their queues end step by step, and the waiting clients are notified. */
import type { Clock } from '@minga/protocol'
import type { Store } from '@minga/store'
import type { ConditionVariable } from '@minga/protocol/condition-variable'
import type { Operations } from './station-operations.ts'

export interface ClosingParts {
  store: Store<Operations>
  clock: Clock
  /** Rung when there may be new work for agents. */
  work: ConditionVariable
  /** Rung when clients' requests may have ended. */
  settled: ConditionVariable
}

export async function endClosings({ store, clock, work, settled }: ClosingParts): Promise<void> {
  for (let isMore = true; isMore;) {
    const step = await store.call('endClosed', { now: clock.now() })
    isMore = step.isMore
    settled.notifyAll()
  }
  // Hosts that shared a lease with a closed one are free.
  work.notifyAll()
}
