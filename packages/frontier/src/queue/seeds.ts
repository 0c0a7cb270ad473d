/** Seeds that join those of a collection: of redirects, of other stations, of another request. */
import { SEEDS_MAX } from '@minga/protocol'

/**
 * All seeds of both without repeats, existing ones first. What is above the limit is left out,
 * wherever it comes from: a page of redirects or a member of a federation must not make a
 * collection larger than a request may.
 */
export function addSeeds(seeds: readonly string[], more: readonly string[]): string[] {
  const all = new Set(seeds)
  for (const seed of more) {
    if (all.size >= SEEDS_MAX) break
    all.add(seed)
  }
  return [...all]
}
