/** Watches of the demo: two groups, pages that change at different paces, a site, and a feed of what was found. */
import type { WatchRequest } from '@minga/protocol'
import type { DemoStage } from './demo-stage.ts'

const NEWS = { code: 9_001, name: 'News of the valley' }
const TRADE = { code: 9_002, name: 'Markets and houses' }
/** Whatever the forecast says: a demo is looked at for minutes, not for weeks. */
const EVERY_MINUTE = { floorMs: 60_000 }
const HOUR_MS = 3_600_000
/** Between two rounds of the first minute: about as long as the quickest page stays as it is. */
const ROUND_MS = 12_000
const ROUNDS = 4
const CALM_ROUND_MS = 120_000

export async function watchSome({ api, web }: DemoStage): Promise<void> {
  for (const category of [NEWS, TRADE]) await api.post('/watches/categories', category)
  const news = { category: NEWS.code, ...EVERY_MINUTE }
  const trade = { category: TRADE.code }
  const wanted: WatchRequest[] = [
    { ...news, name: 'News', urls: [web.at('www', '/news')], feeds: [web.at('www', '/feed.xml')] },
    { ...news, name: 'Weather', urls: [web.at('weather', '/today')] },
    { ...news, name: 'On the air', urls: [web.at('radio', '/now')] },
    { ...trade, ...EVERY_MINUTE, name: 'Prices', urls: [web.at('market', '/prices')] },
    {
      ...trade,
      name: 'New books',
      urls: [web.at('library', '/new-books')],
      sitemaps: [web.at('library', '/sitemap.xml')],
    },
    { ...trade, periodMs: HOUR_MS, name: 'Opening hours', urls: [web.at('museum', '/hours')] },
    {
      ...trade,
      name: 'The school, whole',
      subject: 'site',
      urls: [web.at('school')],
      maxPages: 12,
      delayMs: 250,
    },
  ]
  for (const request of wanted) await api.post('/watches', request)
  await api.post('/alerts', { channel: 'feed', changes: 'all' })
}

/** Several looks at all that is watched in the first minute, where plans of its own would take days. */
export async function lookAround(stage: DemoStage): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) await lookOnce(stage, ROUND_MS)
}

/** From then on now and then, until the station stops, so that a later visitor also sees changes. */
export async function keepLooking(stage: DemoStage): Promise<void> {
  while (!stage.signal.aborted) await lookOnce(stage, CALM_ROUND_MS)
}

async function lookOnce({ api, clock, signal }: DemoStage, pauseMs: number): Promise<void> {
  if (signal.aborted) return
  await api.post('/watches/run', {})
  await clock.sleep(pauseMs, signal)
}
