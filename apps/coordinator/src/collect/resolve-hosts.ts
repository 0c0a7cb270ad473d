/** Step 2½: names become addresses before a lease, and the guard checks every one of them. */
import { guardAddress, type GuardPolicy, type Resolver } from '@minga/net'
import {
  hostNameOf,
  type HostResolution,
  type UnresolvedHost,
  type FrontierOperations,
} from '@minga/frontier'
import type { Clock } from '@minga/protocol'
import type { Calls } from '@minga/store'
import type { GeoLookup } from '../station/geoip.ts'
import { whereOf } from './filters/where.ts'

/** Validity in the resolver; afterwards the host is resolved again before its next lease. */
const ADDRESS_VALID_MS = 300_000

interface Resolving extends Pick<GeoLookup, 'countryOf' | 'positionOf'> {
  store: Calls<FrontierOperations>
  clock: Clock
  resolver: Resolver
  guard: GuardPolicy
}

export async function resolveHosts(
  parts: Resolving,
  hosts: readonly UnresolvedHost[],
): Promise<void> {
  const resolutions = await Promise.all(hosts.map((host) => resolveOne(parts, host)))
  await parts.store.call('noteResolutions', { resolutions, now: parts.clock.now() })
}

async function resolveOne(
  parts: Resolving,
  { asksWhere, ...host }: UnresolvedHost,
): Promise<HostResolution> {
  const { resolver, guard, clock, countryOf } = parts
  const resolution = await resolver.resolve(hostNameOf(host.name))
  if (!resolution.ok) {
    const mayPass = resolution.code === 'MINGA_DNS_FAILED'
    return { ...host, refused: { outcome: 'failed', code: resolution.code, mayPass } }
  }
  // One forbidden address refuses the name: rebinding tricks mix good and bad ones.
  const refusal = resolution.addresses.map((ip) => guardAddress(ip, guard)).find((r) => r !== null)
  if (refusal)
    return { ...host, refused: { outcome: 'denied', code: refusal.code, mayPass: false } }
  const address = resolution.addresses[0]!
  const country = countryOf(address)
  const where = asksWhere ? { where: whereOf(resolution.addresses, parts) } : {}
  return { ...host, address, country, until: clock.now() + ADDRESS_VALID_MS, ...where }
}
