/** Collections of the demo web: one to look at for minutes, one that ends soon, one that rests. */
import type { CollectionRequest, CollectionStatus } from '@minga/protocol'
import type { DemoStage } from './demo-stage.ts'

/** The whole web takes some minutes with it; the machine hardly notices. */
const CALM_DELAY_MS = 600
const SOON_DELAY_MS = 100
const SOON_PAGES = 10

export async function collectSome({ api, web }: DemoStage): Promise<void> {
  const collect = (request: CollectionRequest): Promise<CollectionStatus> =>
    api.post<CollectionStatus>('/collections', request)
  await collect({ seeds: [web.seed], scope: 'domain', delayMs: CALM_DELAY_MS })
  await collect({
    seeds: [web.at('museum')],
    delayMs: SOON_DELAY_MS,
    maxPages: SOON_PAGES,
    embeds: false,
  })
  await collect({ seeds: [web.at('school')], maxDepth: 2 })
}

/** A later act: by then there is something in it to look at. */
export async function restOne({ api, web }: DemoStage): Promise<void> {
  const all = await api.get<CollectionStatus[]>('/collections')
  const resting = all.find(
    ({ spec, state }) =>
      spec.kind === 'crawl' && state === 'running' && spec.seeds[0] === web.at('school'),
  )
  if (resting !== undefined) await api.post(`/collections/${resting.id}/pause`, {})
}
