/** Which hosts are owned together because they share a machine: its pauses can be kept by one owner only. */

/**
 * An address with more registrable domains than this is a distribution network, which needs no
 * common delay; keeping its hosts together would only make a part of thousands of unrelated ones.
 * The same limit as in the lease.
 */
const MOST_DOMAINS = 50

/**
 * A number per host, the same for hosts of one address; −1 for those that are alone, without an address, or on an
 * address with too many domains. `domainOf` tells the registrable domain of a host.
 */
export function addressGroups(
  hosts: readonly string[],
  addressOf: (host: number) => string | null,
  domainOf: (host: string) => string,
): Int32Array {
  const byAddress = new Map<string, number[]>()
  for (let host = 0; host < hosts.length; host++) {
    const address = addressOf(host)
    if (address === null) continue
    const known = byAddress.get(address)
    if (known === undefined) byAddress.set(address, [host])
    else known.push(host)
  }
  const groups = new Int32Array(hosts.length).fill(-1)
  let number = 0
  for (const members of byAddress.values()) {
    if (members.length < 2 || hasManyDomains(members, (host) => domainOf(hosts[host]!))) continue
    for (const host of members) groups[host] = number
    number++
  }
  return groups
}

function hasManyDomains(members: readonly number[], domainOf: (host: number) => string): boolean {
  if (members.length <= MOST_DOMAINS) return false
  const domains = new Set<string>()
  for (const host of members) {
    domains.add(domainOf(host))
    if (domains.size > MOST_DOMAINS) return true
  }
  return false
}
