/** What a collection begins with, and by what it is known. */
import { createHash } from 'node:crypto'
import type { Reach } from '@minga/fleet'
import { canonicalUrl } from '@minga/net'
import {
  collectionRequest,
  collectionSpec,
  type CollectionRequest,
  type CollectionSpec,
} from '@minga/protocol'
import { NoSeeds } from '../station/errors.ts'

/** Who collects, and whether everyone's collections are theirs to change. */
export interface Collector {
  owner: string
  reach: Reach
  /** A new collection although there is one of the same seeds and scope: what tells the two apart. */
  run?: string
}

function canonicalSeeds(spec: CollectionSpec): string[] {
  const seeds: string[] = []
  for (const text of spec.seeds) {
    const seed = canonicalUrl(text)
    if (seed === null) throw new NoSeeds(text)
    seeds.push(seed)
  }
  return [...new Set(seeds)].toSorted()
}

/**
 * The same seeds and scope are the same collection, whatever its limits and delay. Collectors have
 * separate ones: an identical request of another user changes nothing.
 */
function identityOf(seeds: readonly string[], spec: CollectionSpec, by: Collector): string {
  const { scope, include, exclude } = spec
  const whose = [...(by.reach === 'own' ? [by.owner] : []), ...(by.run ? [by.run] : [])]
  const text = JSON.stringify([seeds, scope, include.toSorted(), exclude.toSorted(), ...whose])
  return createHash('sha256').update(text).digest('hex')
}

interface IdentifiedRequest {
  spec: CollectionSpec
  seeds: string[]
  identity: string
}

/** A request in its full form, and by what its collection is known. */
export function identifyRequest(request: CollectionRequest, by: Collector): IdentifiedRequest {
  const spec = collectionSpec.parse(collectionRequest.parse(request))
  const seeds = canonicalSeeds(spec)
  return { spec, seeds, identity: identityOf(seeds, spec, by) }
}
