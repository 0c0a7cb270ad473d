/** Favourites and past searches: everyone sees and changes their own. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { may } from '../accounts/access.ts'
import type { ArchiveContext } from './archive-context.ts'
import { SEARCH_KINDS } from './search.ts'
import { urlIn } from './protocols/url-in-path.ts'

const READ = may('captures:read')
const favouriteBody = z.object({
  url: z.string().max(8_192),
  note: z.string().max(2_000).default(''),
})
const favouriteQuery = favouriteBody.pick({ url: true })
const searchBody = z.object({
  text: z.string().min(1).max(1_000),
  by: z.enum([...SEARCH_KINDS, 'text']),
})
const searchQuery = z.object({ id: z.coerce.number().int().nullable().default(null) })

export function favouriteRoutes(
  app: FastifyInstance,
  { store, clock, access }: ArchiveContext,
): void {
  const accountOf = (request: FastifyRequest): string =>
    access.requireCaller(request, 'Keeping favourites and searches').accountId

  app.get('/archive/favourites', READ, (request) =>
    store.call('listFavourites', { account: accountOf(request) }),
  )
  app.put('/archive/favourites', READ, async (request) => {
    const account = accountOf(request)
    const { url, note } = favouriteBody.parse(request.body)
    await store.call('putFavourite', { account, url: urlIn(url), note, now: clock.now() })
    return store.call('listFavourites', { account })
  })
  app.delete('/archive/favourites', READ, async (request) => {
    const account = accountOf(request)
    const { url } = favouriteQuery.parse(request.query)
    await store.call('dropFavourite', { account, url: urlIn(url) })
    return store.call('listFavourites', { account })
  })
  app.get('/archive/searches', READ, (request) =>
    store.call('listSearches', { account: accountOf(request) }),
  )
  app.post('/archive/searches', READ, async (request) => {
    const account = accountOf(request)
    await store.call('noteSearch', { account, ...searchBody.parse(request.body), now: clock.now() })
    return store.call('listSearches', { account })
  })
  app.delete('/archive/searches', READ, async (request) => {
    const account = accountOf(request)
    await store.call('dropSearches', { account, ...searchQuery.parse(request.query) })
    return store.call('listSearches', { account })
  })
}
