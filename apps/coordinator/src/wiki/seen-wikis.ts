import type { FastifyRequest } from 'fastify'
import type { Access } from '../accounts/access.ts'

/** Those of a list that the caller may read. */
export async function seenWikis<W extends { wiki: string }>(
  access: Access,
  request: FastifyRequest,
  wikis: readonly W[],
): Promise<W[]> {
  const hidden = await hiddenWikis(access, request)
  return wikis.filter(({ wiki }) => !hidden.includes(wiki))
}

/** The keys of wikis that the caller may not read. */
export function hiddenWikis(access: Access, request: FastifyRequest): Promise<string[]> {
  return access.storeFor(request).call('hiddenWikis', {})
}
