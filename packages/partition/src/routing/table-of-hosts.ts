/**
 * From a placement of hosts to a table of blocks: a host lies at an address, the address in a block
 * that a registry allotted; the block goes to the owner of most of its hosts, and what belongs to
 * others becomes an exception, by address where a whole address differs and by name where one
 * address has hosts of several owners. Blocks then also answer for hosts never seen.
 */
import { addressOf, addressText, blockOf, blockOfAddress, blockText, type Block } from './block.ts'
import type { Route } from './compact.ts'
import { BadPlacement, ContestedBlock } from './errors.ts'
import { RoutingTable, type HostException } from './routing-table.ts'

export interface PlacedHost {
  host: string
  address: string
  owner: string
}

/** A host that is in none of the allotted blocks gets the block of its own address. */
export function tableOfHosts(
  hosts: readonly PlacedHost[],
  allotted: readonly Block[],
): RoutingTable {
  checkOwners(hosts)
  const nearest = new RoutingTable(allotted.map((block) => ({ block, owner: blockText(block) })))
  const blocks = new Map<string, PlacedHost[]>()
  const addresses = new Map<string, PlacedHost[]>()
  for (const placed of hosts) {
    const { address, block } = locate(placed, nearest)
    put(blocks, block, placed)
    put(addresses, address, placed)
  }
  const routes = routesOf(blocks)
  const owners = new Map(routes.map(({ block, owner }) => [blockText(block), owner]))
  return new RoutingTable(
    [...routes, ...addressExceptions(addresses, owners, nearest)],
    [...addresses.values()].flatMap(nameExceptions),
  )
}

/** A host with several addresses may be there several times, but always with the same owner. */
function checkOwners(hosts: readonly PlacedHost[]): void {
  const owners = new Map<string, string>()
  for (const { host, owner } of hosts) {
    const other = owners.get(host) ?? owner
    if (other !== owner) throw new ContestedBlock(host, other, owner)
    owners.set(host, owner)
  }
}

function locate({ host, address }: PlacedHost, nearest: RoutingTable) {
  const parsed = addressOf(address)
  if (parsed === null) throw new BadPlacement(`${host} is said to be at "${address}", no address`)
  const single = blockText(blockOfAddress(parsed))
  return { address: addressText(parsed), block: nearest.ownerOfAddress(address) ?? single }
}

function put(groups: Map<string, PlacedHost[]>, key: string, placed: PlacedHost): void {
  const group = groups.get(key)
  if (group === undefined) groups.set(key, [placed])
  else group.push(placed)
}

function routesOf(groups: ReadonlyMap<string, readonly PlacedHost[]>): Route[] {
  return [...groups].map(([block, inside]) => ({
    block: blockOf(block),
    owner: majorityOf(inside),
  }))
}

function addressExceptions(
  addresses: ReadonlyMap<string, readonly PlacedHost[]>,
  owners: ReadonlyMap<string, string>,
  nearest: RoutingTable,
): Route[] {
  return routesOf(addresses).filter(({ block, owner }) => {
    const text = blockText(block)
    const around = nearest.ownerOfAddress(text.slice(0, text.lastIndexOf('/'))) ?? text
    return owners.get(around) !== owner
  })
}

function nameExceptions(together: readonly PlacedHost[]): HostException[] {
  const owner = majorityOf(together)
  return together
    .filter((placed) => placed.owner !== owner)
    .map((placed) => ({ host: placed.host, owner: placed.owner, addresses: [placed.address] }))
}

/** Equal numbers are decided by name, so that every station draws the same table. */
function majorityOf(hosts: readonly PlacedHost[]): string {
  const counts = new Map<string, number>()
  for (const { owner } of hosts) counts.set(owner, (counts.get(owner) ?? 0) + 1)
  const [best] = [...counts].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
  return best![0]
}
