/**
 * Rows of the outbox of bounded size. A row is never divided between two batches, and a station refuses a batch that is
 * too large for good: one row of a hundred thousand links would keep everything behind it waiting for ever.
 */

/** In characters of JSON: with the description of its collection such a row is a small part of the largest batch. */
const ROW_CHARS_MAX = 2_000_000

/** The lists of a row, whose entries mean the same in whichever row they come. */
const LISTS = ['urls', 'found', 'done'] as const

export interface RowPart {
  /** How many URLs or hosts it speaks of. */
  entries: number
  /** JSON. */
  payload: string
}

/** A row as it is, or as several that say the same together. */
export function splitRow({ entries, payload }: { entries: number; payload: object }): RowPart[] {
  const text = JSON.stringify(payload)
  const lists = listsOf(payload)
  if (text.length <= ROW_CHARS_MAX || lists.length === 0) return [{ entries, payload: text }]
  const all = lists.flatMap(({ name, list }) => list.map((entry) => ({ name, entry })))
  return partsOf(all, ROW_CHARS_MAX).map((part) => {
    const byName = Map.groupBy(part, ({ name }) => name)
    const own = lists.map(({ name }) => [name, byName.get(name)?.map(({ entry }) => entry) ?? []])
    const changed = { ...payload, ...Object.fromEntries(own) }
    return { entries: part.length, payload: JSON.stringify(changed) }
  })
}

interface NamedList {
  name: string
  list: readonly unknown[]
}

function listsOf(payload: object): NamedList[] {
  const values: Partial<Record<string, unknown>> = { ...payload }
  return LISTS.flatMap((name) => {
    const list = values[name]
    return Array.isArray(list) ? [{ name, list }] : []
  })
}

/** A list in parts of so many characters of JSON; at least one part, and at least one entry in each but an empty one. */
export function partsOf<T>(list: readonly T[], charsMax: number): T[][] {
  const parts: T[][] = [[]]
  let chars = 0
  for (const entry of list) {
    const more = JSON.stringify(entry).length + 1
    if (chars + more > charsMax && chars > 0) {
      parts.push([])
      chars = 0
    }
    parts.at(-1)!.push(entry)
    chars += more
  }
  return parts
}
