/**
 * What a lent machine refuses to dial, whatever its station says. The address guard keeps private
 * networks out everywhere; behind a volunteer's router public addresses lead inside as well.
 */
import { isIP } from 'node:net'
import { classifyAddress, fetchFailure } from '@minga/net'
import type { Fetcher, FetchRequest } from '@minga/net/fetch'
import type { Clock } from '@minga/protocol'
import type { OwnNetworks } from './own-networks.ts'

export interface LentFetcherOptions {
  clock: Clock
  networks: Pick<OwnNetworks, 'has'>
}

export function createLentFetcher(fetcher: Fetcher, options: LentFetcherOptions): Fetcher {
  return {
    fetch: async (request) => {
      const reason = refusalOf(request, options)
      if (reason === null) return fetcher.fetch(request)
      const { address } = request
      const where = { address, startedAt: options.clock.now(), totalMs: 0 }
      return fetchFailure('MINGA_VOLUNTEER_REFUSED', reason, where)
    },
    close: () => fetcher.close(),
  }
}

function refusalOf(
  { url, address }: FetchRequest,
  { networks }: LentFetcherOptions,
): string | null {
  // The address guard refuses it for good: it is no better from another machine.
  if (classifyAddress(address) !== 'public') return null
  if (isLiteral(url)) return 'its URL has an IP address instead of a name'
  return networks.has(address) ? `${address} is in the network of this machine` : null
}

/** An unpublished site can be reached by its address: a device, not a page. */
function isLiteral(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? ''
  return isIP(host.replace(/^\[|\]$/g, '').replace(/\.$/, '')) !== 0
}
