/**
 * The networks of a lent machine, which its station must not see through it: those of its interfaces,
 * its routers, and the addresses under which stations see it. Printers and cameras at home have
 * public IPv6 addresses, and most routers show their settings under their public address to those inside.
 */
import { BlockList, isIP } from 'node:net'
import { classifyAddress, fetchFailure, type AddressClass } from '@minga/net'
import type { FetchRequest, Fetcher } from '@minga/net/fetch'
import type { Clock } from '@minga/protocol'
import type { OwnNetwork } from '../system/os.ts'

/** What a provider gives one household: an interface has a /64 of it, its neighbours have others. */
const IPV6_HOME_BITS = 56
/** A wider prefix (a tunnel for all traffic) names no network of its own: then only the address counts. */
const BITS_MIN = { ipv4: 8, ipv6: 32 }
const BITS_MAX = { ipv4: 32, ipv6: 128 }
/** A machine that travels is seen under some addresses; of more, the newest count. */
const SEEN_MAX = 100

/** What every machine calls itself, or what is no address of one machine. */
const NEVER_SHOWN: ReadonlySet<AddressClass> = new Set([
  'loopback',
  'unspecified',
  'link-local',
  'mapped',
  'multicast',
  'broadcast',
])

export class OwnNetworks {
  readonly #read: () => Promise<OwnNetwork[]>
  #networks: readonly OwnNetwork[] = []
  readonly #seen = new Set<string>()
  #lastSeen = ''
  #closed = new BlockList()

  constructor(read: () => Promise<OwnNetwork[]>) {
    this.#read = read
  }

  /** To be called now and then: cables are plugged in, and laptops are carried elsewhere. */
  async refresh(): Promise<void> {
    this.#networks = await this.#read()
    this.#rebuild()
  }

  /** A station sees this machine under this address. */
  addSeenAddress(address: string): void {
    // A server that listens for both versions writes IPv4 addresses like this.
    const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
    if (plain === this.#lastSeen) return
    this.#lastSeen = plain
    // Said again it is the newest, and the oldest makes room.
    this.#seen.delete(plain)
    this.#seen.add(plain)
    if (this.#seen.size > SEEN_MAX) this.#seen.delete([...this.#seen][0]!)
    this.#rebuild()
  }

  has(address: string): boolean {
    const family = familyOf(address)
    return family !== null && this.#closed.check(address, family)
  }

  /**
   * Under which addresses others may know this machine. Private ones count only where private
   * addresses are dialled: no other site sees them, and pages about networks are full of them.
   */
  shownAddresses({ withPrivate }: { withPrivate: boolean }): string[] {
    const all = [...this.#seen, ...this.#networks.map(({ address }) => address)]
    const isShown = (address: string): boolean => {
      const kind = classifyAddress(address)
      return withPrivate ? !NEVER_SHOWN.has(kind) : kind === 'public'
    }
    return [...new Set(all)].filter(isShown)
  }

  #rebuild(): void {
    const closed = new BlockList()
    const seen = [...this.#seen].map((address) => ({ address, prefixBits: 128 }))
    for (const network of [...this.#networks, ...seen]) addTo(closed, network)
    this.#closed = closed
  }
}

function addTo(closed: BlockList, { address, prefixBits }: OwnNetwork): void {
  const family = familyOf(address)
  if (family === null) return
  const most = family === 'ipv4' ? BITS_MAX.ipv4 : IPV6_HOME_BITS
  const isNetwork = prefixBits >= BITS_MIN[family]
  closed.addSubnet(address, isNetwork ? Math.min(prefixBits, most) : BITS_MAX[family], family)
}

function familyOf(address: string): 'ipv4' | 'ipv6' | null {
  // An address with a zone (`fe80::1%eth0`) is one of a link, which is never dialled anyway.
  const version = address.includes('%') ? 0 : isIP(address)
  return version === 0 ? null : version === 4 ? 'ipv4' : 'ipv6'
}

interface LentFetcherOptions {
  clock: Clock
  networks: Pick<OwnNetworks, 'has'>
}

/**
 * What a lent machine refuses to dial, whatever its station says. The address guard keeps private
 * networks out everywhere; behind a volunteer's router public addresses lead inside as well.
 */
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
