/** Results that ended because the host is another station's say which one, where the map knows it. */
import { ELSEWHERE } from '@minga/frontier'
import { canonicalUrl, hostKeyOf } from '@minga/net'
import type { ResultLine } from '@minga/protocol'
import type { Calls } from '@minga/store'
import type { KnownOwner } from './host-owner.ts'
import type { Operations } from '../station/station-operations.ts'

/** As the map is now: a host may have moved since. */
export async function addHostOwners(
  store: Calls<Operations>,
  lines: readonly ResultLine[],
): Promise<ResultLine[]> {
  const hosts = new Set(lines.flatMap((line) => hostElsewhere(line) ?? []))
  if (hosts.size === 0) return [...lines]
  const owners = await store.call('knownOwners', { hosts: [...hosts] })
  const sentences = new Map(owners.map((owner) => [owner.host, sentenceOf(owner)]))
  return lines.map((line) => {
    const message = sentences.get(hostElsewhere(line) ?? '')
    return message === undefined ? line : { ...line, message }
  })
}

function hostElsewhere({ code, url, finalUrl }: ResultLine): string | null {
  const asked = code === ELSEWHERE ? canonicalUrl(finalUrl ?? url) : null
  return asked === null ? null : hostKeyOf(asked)
}

const sentenceOf = ({ host, name, url }: KnownOwner): string =>
  `The host ${host} belongs to the station ${name} (${url}), and this request cannot move there; ask that station.`
