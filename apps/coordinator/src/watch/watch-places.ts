/** The place of each watched URL: host and hash, as the frontier keeps it. */
import { hostIdsOf, urlHash } from '@minga/frontier'
import { hostKeyOf } from '@minga/net'
import type { Sql } from '@minga/store'

export type WatchRole = 'page' | 'probe' | 'feed' | 'sitemap'

export interface WatchedUrl {
  /** Canonical. */
  url: string
  role: WatchRole
}

interface UrlPlace {
  url: string
  hostId: number
  hash: number
}

/** Places for URLs that are not watched yet; those that are, are left out. */
export async function newPlaces(
  sql: Sql,
  args: { collectionId: number; urls: readonly WatchedUrl[] },
): Promise<(WatchedUrl & UrlPlace)[]> {
  const ids = await hostIdsOf(
    sql,
    args.urls.map(({ url }) => hostKeyOf(url)),
  )
  const unique = new Map(args.urls.map((watched) => [watched.url, watched]))
  const wanted = [...unique.values()].map((watched) => ({
    ...watched,
    hostId: ids.get(hostKeyOf(watched.url))!,
    hash: urlHash(watched.url),
  }))
  return (await probe(sql, args.collectionId, wanted)).free
}

/** Where URLs stand that are watched; the rest is left out, and no host is made known by asking. */
export async function knownPlaces(
  sql: Sql,
  args: { collectionId: number; urls: readonly string[] },
): Promise<UrlPlace[]> {
  const urls = [...new Set(args.urls)]
  const names = [...new Set(urls.map(hostKeyOf))]
  const hosts = await sql.selectMany<{ id: number }>({
    table: 'hosts',
    keys: ['name'],
    rows: names.map((name) => [name]),
    columns: ['id'],
  })
  const ids = new Map(names.map((name, i) => [name, hosts[i]?.id]))
  const wanted = urls.flatMap((url) => {
    const hostId = ids.get(hostKeyOf(url))
    return hostId === undefined ? [] : [{ url, hostId, hash: urlHash(url) }]
  })
  return (await probe(sql, args.collectionId, wanted)).taken
}

/** Where another URL has the hash, the next one up is checked, as in the seen-set. */
async function probe<U extends UrlPlace>(
  sql: Sql,
  collectionId: number,
  wanted: readonly U[],
): Promise<{ free: U[]; taken: U[] }> {
  const found: { free: U[]; taken: U[] } = { free: [], taken: [] }
  const promised = new Set<string>()
  let open = [...wanted]
  while (open.length > 0) {
    const rows = await sql.selectMany<{ url: string }>({
      table: 'forecasts',
      keys: ['collection_id', 'host_id', 'hash'],
      rows: open.map(({ hostId, hash }) => [collectionId, hostId, hash]),
      columns: ['url'],
    })
    const collided: U[] = []
    for (const [i, place] of open.entries()) {
      const key = `${place.hostId} ${place.hash}`
      if (rows[i]?.url === place.url) found.taken.push(place)
      else if (rows[i] !== undefined || promised.has(key)) {
        collided.push({ ...place, hash: place.hash + 1 })
      } else {
        promised.add(key)
        found.free.push(place)
      }
    }
    open = collided
  }
  return found
}
