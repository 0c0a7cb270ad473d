/** Filters as the tables keep them: JSON, made ready once for each text. */
import type { Filter } from '@minga/partition/filter'
import { filterOf } from '@minga/partition/filter-rules'
import { BadFilter } from '@minga/partition/routing-errors'
import type { CollectionSpec } from '@minga/protocol'

/** Why a URL that a filter does not want ends. */
export const FILTERED = 'MINGA_FILTERED'

const READY_MAX = 100
const ready = new Map<string, Filter | null>()

/** Null when there is none. What another version of Minga wrote may be none of ours: then it is as
 * if it were not there, as for every other setting. */
export function filterIn(text: string | null): Filter | null {
  if (text === null) return null
  const known = ready.get(text)
  if (known !== undefined) return known
  if (ready.size >= READY_MAX) ready.clear()
  const filter = usable(JSON.parse(text))
  ready.set(text, filter)
  return filter
}

function usable(data: unknown): Filter | null {
  if (data === null) return null
  try {
    return filterOf(data)
  } catch (error) {
    if (error instanceof BadFilter) return null
    throw error
  }
}

const ofSpecs = new WeakMap<CollectionSpec, Filter>()

/** What a collector wants of this collection. */
export function filterOfSpec(spec: CollectionSpec): Filter | null {
  if (spec.filter === null) return null
  const known = ofSpecs.get(spec)
  if (known) return known
  const filter = filterOf(spec.filter)
  ofSpecs.set(spec, filter)
  return filter
}
