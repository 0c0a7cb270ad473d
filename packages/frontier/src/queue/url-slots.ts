/**
 * Where URLs stand, or may stand, in the seen-set. The key is (host, hash) and the full URL is
 * compared: where another URL has the hash, the next one up is looked at, until the URL itself or a
 * free place is met.
 */
import type { Sql } from '@minga/store'

export interface PlacedUrl {
  url: string
  hostId: number
  hash: number
}

export interface Slot<U, R> {
  url: U
  hash: number
  /** The row that stands there; null when the place is free. */
  row: R | null
}

export async function findSlots<U extends PlacedUrl, R = object>(
  sql: Sql,
  args: { collectionId: number; urls: readonly U[]; columns: readonly (keyof R & string)[] },
): Promise<Slot<U, R>[]> {
  const slots: Slot<U, R>[] = []
  const taken = new Set<string>()
  let open = args.urls.map((url) => ({ url, hash: url.hash }))
  while (open.length > 0) {
    const rows = await sql.selectMany<R & { url: string }>({
      table: 'urls',
      keys: ['collection_id', 'host_id', 'hash'],
      rows: open.map(({ url, hash }) => [args.collectionId, url.hostId, hash]),
      columns: ['url', ...args.columns],
    })
    const collided: typeof open = []
    for (const [i, { url, hash }] of open.entries()) {
      const row = rows[i]
      const place = `${url.hostId} ${hash}`
      if (row?.url === url.url) slots.push({ url, hash, row })
      else if (row !== undefined || taken.has(place)) collided.push({ url, hash: hash + 1 })
      else {
        taken.add(place)
        slots.push({ url, hash, row: null })
      }
    }
    open = collided
  }
  return slots
}
