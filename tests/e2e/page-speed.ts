/** How soon after its address was entered a screen shows data and answers, in a browser that never saw it. */
import type { Page } from 'playwright-core'
import type { Tabs } from './page-tabs.ts'

export interface Speed {
  /** Since the address was entered, until data is on the screen. */
  shownMs: number
  /** Until a button that was pressed then has answered. */
  interactiveMs: number
  largestPaintMs: number
}

/** What is on each screen only when the station has answered. */
export const MEASURED_SCREENS = {
  '/': 'main .collection-card, main .tiles',
  '/collections': 'main .list-table tbody tr',
  '/archive': 'main .list-table tbody tr',
} as const

const OPEN_PALETTE = '.palette-button'
const PALETTE = '[role="combobox"]'

/** Runs in the page from its first moment; the page's own clock begins where navigation does. */
const watchFor = (shown: string): string => `
  window.speed = new Promise((resolve) => {
    let largestPaintMs = 0
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) largestPaintMs = entry.startTime
    }).observe({ type: 'largest-contentful-paint', buffered: true })
    const until = (selector, seen) => {
      const found = document.querySelector(selector)
      if (found !== null) seen(found)
      else requestAnimationFrame(() => until(selector, seen))
    }
    until(${JSON.stringify(shown)}, () => {
      const shownMs = performance.now()
      until(${JSON.stringify(OPEN_PALETTE)}, (button) => {
        button.click()
        until(${JSON.stringify(PALETTE)}, () =>
          resolve({ shownMs, interactiveMs: performance.now(), largestPaintMs }))
      })
    })
  })`

export async function measureSpeed(
  tabs: Tabs,
  path: keyof typeof MEASURED_SCREENS,
): Promise<Speed> {
  const page: Page = await tabs.blank({ viewport: { width: 1_440, height: 900 } })
  await page.addInitScript(watchFor(MEASURED_SCREENS[path]))
  await page.goto(`${tabs.station.url}${path}#key=${tabs.station.key}`, { waitUntil: 'commit' })
  const speed = await page.evaluate<Speed>('window.speed')
  await page.context().close()
  return speed
}
