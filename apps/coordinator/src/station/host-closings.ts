/** After hosts were closed: their queues end step by step, and the waiting clients are notified. */
import type { Station } from './station.ts'

export async function endClosings({ store, clock, work, settled }: Station): Promise<void> {
  for (let isMore = true; isMore;) {
    const step = await store.call('endClosed', { now: clock.now() })
    isMore = step.isMore
    settled.notifyAll()
  }
  // Hosts that shared a lease with a closed one are free.
  work.notifyAll()
}
