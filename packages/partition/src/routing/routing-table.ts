/**
 * Who owns an address: blocks with owners, the longest block that holds the address answers; a host
 * named as an exception is answered by its name before its address is looked at. Several sites share
 * an address, so an exception of one of them cannot be a block.
 *
 * Lookup is one binary search: the blocks are cut into ranges with one owner each when the table is
 * built, at most 2n + 1 of them.
 */
import { addressOf, endOf, type Address } from './block.ts'
import { compact, type Route } from './compact.ts'
import { ContestedBlock } from './errors.ts'

/** What is known of a URL's host; a name without an address can still be an exception. */
export interface Whereabouts {
  host: string
  addresses?: readonly string[] | undefined
}

/** A host that does not belong to the owner of its block, while others at its address do. */
export interface HostException {
  host: string
  owner: string
  /** Where it was when the table was made: the exception goes when they all lead to its owner. */
  addresses: readonly string[]
}

export class RoutingTable {
  /** Compact, in the order of addresses, an outer block before its exceptions. */
  readonly routes: readonly Route[]
  readonly hosts: readonly HostException[]
  readonly #ranges: Record<4 | 6, Ranges>
  readonly #byName: ReadonlyMap<string, string>

  constructor(routes: readonly Route[], hosts: readonly HostException[] = []) {
    this.routes = compact(routes)
    this.#ranges = { 4: rangesOf(this.routes, 4), 6: rangesOf(this.routes, 6) }
    this.hosts = uniqueHosts(hosts).filter((exception) => this.#isNeeded(exception))
    this.#byName = new Map(this.hosts.map(({ host, owner }) => [host, owner]))
  }

  /** Of several addresses in blocks of several owners the same one counts for every station. */
  ownerOf({ host, addresses = [] }: Whereabouts): string | null {
    const named = this.#byName.get(host)
    if (named !== undefined) return named
    for (const address of addresses.toSorted()) {
      const owner = this.ownerOfAddress(address)
      if (owner !== null) return owner
    }
    return null
  }

  /** Null for what is in no block, and for what is no address. */
  ownerOfAddress(text: string): string | null {
    const address = addressOf(text)
    return address === null ? null : this.#find(address)
  }

  /** The same answers under other names, for example of the federations that the owners belong to. */
  renamed(rename: (owner: string) => string): RoutingTable {
    return new RoutingTable(
      this.routes.map(({ block, owner }) => ({ block, owner: rename(owner) })),
      this.hosts.map((exception) => ({ ...exception, owner: rename(exception.owner) })),
    )
  }

  #find({ version, value }: Address): string | null {
    const { starts, owners } = this.#ranges[version]
    let low = 0
    let high = starts.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (starts[middle]! <= value) low = middle + 1
      else high = middle
    }
    return owners[low - 1] ?? null
  }

  #isNeeded({ owner, addresses }: HostException): boolean {
    if (addresses.length === 0) return true
    return addresses.some((address) => this.ownerOfAddress(address) !== owner)
  }
}

/**
 * The table of a parent: everything its children own is its own, so their exceptions to one another
 * vanish. An exception that leads out of the family, as `isOurs` tells, stays.
 */
export function unionOf(
  parent: string,
  children: readonly RoutingTable[],
  isOurs: (owner: string) => boolean = () => true,
): RoutingTable {
  const rename = (owner: string): string => (isOurs(owner) ? parent : owner)
  const renamed = children.map((child) => child.renamed(rename))
  return new RoutingTable(
    renamed.flatMap(({ routes }) => routes),
    renamed.flatMap(({ hosts }) => hosts),
  )
}

function uniqueHosts(hosts: readonly HostException[]): HostException[] {
  const unique = new Map<string, HostException>()
  for (const { host, owner, addresses } of hosts) {
    const other = unique.get(host)
    if (other !== undefined && other.owner !== owner) {
      throw new ContestedBlock(host, other.owner, owner)
    }
    const all = [...new Set([...(other?.addresses ?? []), ...addresses])]
    unique.set(host, { host, owner, addresses: all })
  }
  return [...unique.values()]
}

/** From each start up to the next one the owner is the same. */
interface Ranges {
  starts: bigint[]
  owners: (string | null)[]
}

function rangesOf(routes: readonly Route[], version: 4 | 6): Ranges {
  const ranges: Ranges = { starts: [], owners: [] }
  const open: { end: bigint; owner: string }[] = []
  const close = (): void => {
    const { end } = open.pop()!
    begin(ranges, end, open.at(-1)?.owner ?? null)
  }
  for (const { block, owner } of routes) {
    if (block.version !== version) continue
    while (open.length > 0 && open.at(-1)!.end <= block.first) close()
    begin(ranges, block.first, owner)
    open.push({ end: endOf(block), owner })
  }
  while (open.length > 0) close()
  return ranges
}

/** A range that would be empty is replaced by the one that begins at the same place. */
function begin({ starts, owners }: Ranges, start: bigint, owner: string | null): void {
  if (starts.at(-1) === start) {
    owners[owners.length - 1] = owner
    return
  }
  starts.push(start)
  owners.push(owner)
}
