/** A list of 100,000 rows, and what it costs to scroll it. */
import type { Page } from 'playwright-core'

export const MANY = 100_000
const FRAMES = 10
const TRIES = 6

const SCROLL = `new Promise((done) => {
  let left = ${FRAMES}
  const step = () => {
    scrollBy(0, 400)
    if (--left > 0) requestAnimationFrame(step)
    else done()
  }
  requestAnimationFrame(step)
})`

/**
 * What the page's thread works for a frame of fast scrolling. The best of a few tries: on a busy
 * machine frames are far apart, and news of the station come in between. One below `enoughMs` ends them.
 */
export async function busyMsPerFrame(page: Page, enoughMs = 0): Promise<number> {
  const browser = await page.context().newCDPSession(page)
  await browser.send('Performance.enable', { timeDomain: 'threadTicks' })
  const busyS = async (): Promise<number> => {
    const { metrics } = await browser.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration')!.value
  }
  let best = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < TRIES && best / FRAMES >= enoughMs; tries++) {
    const beforeS = await busyS()
    await page.evaluate(SCROLL)
    best = Math.min(best, ((await busyS()) - beforeS) * 1_000)
  }
  await browser.detach()
  return best / FRAMES
}

export function manyKeys(): object[] {
  return Array.from({ length: MANY }, (_, i) => ({
    id: `key_${i}`,
    name: `key ${i}`,
    owner: 'acc_1',
    scopes: null,
    createdAt: 1_700_000_000_000 + i,
    lastUsedAt: null,
    expiresAt: null,
    revokedAt: null,
  }))
}
