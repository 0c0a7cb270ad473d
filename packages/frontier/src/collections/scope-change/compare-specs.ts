/** Which settings of a collection differ between two specs. */
import type { CollectionSpec, SettingsDifference } from '@minga/protocol'

export function compareSpecs(from: CollectionSpec, to: CollectionSpec): SettingsDifference {
  const difference: SettingsDifference = { before: {}, after: {} }
  // A setting such as `extract` may be missing from either of them.
  const keys = new Set([...Object.keys(from), ...Object.keys(to)]) as Set<keyof CollectionSpec>
  for (const key of keys) {
    if (JSON.stringify(from[key]) === JSON.stringify(to[key])) continue
    difference.before[key] = from[key] ?? null
    difference.after[key] = to[key] ?? null
  }
  return difference
}
