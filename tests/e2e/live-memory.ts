/** What a tab holds after its garbage is gone. */
import type { CDPSession, Page } from 'playwright-core'

export interface Held {
  heapBytes: number
  nodes: number
  listeners: number
}

export async function watchMemory(page: Page): Promise<() => Promise<Held>> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  return () => heldIn(session)
}

async function heldIn(session: CDPSession): Promise<Held> {
  // Twice: what the first round finishes off is only free after the second.
  for (let round = 0; round < 2; round++) await session.send('HeapProfiler.collectGarbage')
  const { metrics } = await session.send('Performance.getMetrics')
  const named = (name: string): number => metrics.find((each) => each.name === name)?.value ?? 0
  return {
    heapBytes: named('JSHeapUsedSize'),
    nodes: named('Nodes'),
    listeners: named('JSEventListeners'),
  }
}
