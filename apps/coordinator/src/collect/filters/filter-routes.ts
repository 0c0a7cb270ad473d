/** Why a URL is collected or not, as far as filters decide it. */
import { factsOfKey, filterOfSpec } from '@minga/frontier'
import { canonicalUrl, hostKeyOf } from '@minga/net'
import { judge, type Filter, type Judgement, type UrlFacts } from '@minga/partition'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { may } from '../../accounts/access.ts'
import type { Station } from '../../station/station.ts'
import type { CollectionService } from '../collection-service.ts'
import { NoSeeds } from '../../station/errors.ts'
import { StationFilter } from '../../station/filters/station-filter.ts'

const verdictQuery = z.object({
  url: z.string().max(8_192),
  collectionId: z.coerce.number().int().optional(),
})

type Whose = 'station' | 'collection'

interface FilterVerdict {
  verdict: Judgement['verdict']
  /** Whose filter decides; null when all want it. */
  filter: Whose | null
  /** Counted from one; null for `otherwise`. */
  rule: number | null
  sentence: string
}

export function filterRoutes(
  app: FastifyInstance,
  context: Station & { collectionService: CollectionService },
): void {
  const { store, clock, settings, collectionService } = context
  const station = new StationFilter(settings)
  app.get('/filter/verdict', may('collections:read'), async (request) => {
    const { url: asked, collectionId } = verdictQuery.parse(request.query)
    const url = canonicalUrl(asked)
    if (url === null) throw new NoSeeds(asked)
    const host = hostKeyOf(url)
    const where = await store.call('factsOfHost', { host, now: clock.now() })
    const spec =
      collectionId === undefined ? null : (await collectionService.status(collectionId)).spec
    const filters: [Whose, Filter | null][] = [
      ['station', station.current().filter],
      ['collection', spec && filterOfSpec(spec)],
    ]
    return verdictOf(filters, { ...factsOfKey(host), ...where })
  })
}

/** The first that does not want it decides, then the first that cannot say yet. */
function verdictOf(filters: [Whose, Filter | null][], facts: UrlFacts): FilterVerdict {
  const judged = filters.flatMap(([filter, rules]) =>
    rules === null ? [] : [{ filter, ...judge(rules, facts) }],
  )
  const found =
    judged.find(({ verdict }) => verdict === 'unwanted') ??
    judged.find(({ verdict }) => verdict === 'open')
  if (!found) return { verdict: 'wanted', filter: null, rule: null, sentence: WANTED }
  const rule = found.rule === null ? null : found.rule + 1
  return { ...found, rule, sentence: sentenceOf({ ...found, rule }) }
}

const WANTED = 'No filter leaves it out.'

function sentenceOf({ filter, verdict, rule }: Judgement & { filter: Whose }): string {
  const whose = `the ${filter}'s filter`
  if (verdict === 'open') {
    return `Rule ${rule} of ${whose} asks about what is not known before it is fetched.`
  }
  if (rule === null) return `No rule of ${whose} wants it, and it leaves out the rest.`
  return `Rule ${rule} of ${whose} does not want it.`
}
