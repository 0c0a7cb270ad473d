/** Where the page shows what a job works on. */
import type { JobView } from '@minga/protocol'

export interface JobPlace {
  to: string
  params?: Record<string, string>
}

/** Null when there is no screen of it. */
export function placeOfJob({ kind, of }: Pick<JobView, 'kind' | 'of'>): JobPlace | null {
  return of === '' ? null : PLACES[kind](of)
}

const withId =
  (to: string) =>
  (id: string): JobPlace => ({ to, params: { id } })

const PLACES: Record<JobView['kind'], (of: string) => JobPlace | null> = {
  collection: withId('/collections/$id'),
  query: withId('/queries/$id'),
  wiki: (wiki) => ({ to: '/wikis/$wiki', params: { wiki } }),
  harvest: withId('/watches/$id'),
  batch: withId('/requests/$id'),
  'load-test': withId('/load-tests/$id'),
  neutrality: withId('/neutrality/$id'),
  delivery: withId('/watches/$id'),
  takedown: () => null,
  map: (epoch) => ({ to: '/placement/epochs/$epoch', params: { epoch } }),
  extract: withId('/collections/$id'),
  sweep: withId('/collections/$id'),
  exchange: () => ({ to: '/placement/federation' }),
}
