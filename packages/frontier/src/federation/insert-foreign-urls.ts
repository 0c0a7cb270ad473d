/** New rows of the seen-set for URLs that another station has; what `elsewhere` means is in migration 22. */
import type { RequestKind } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { priorityOf, URL_COLUMNS } from '../queue/queue-order.ts'

export interface ForeignUrl {
  url: string
  hostId: number
  hash: number
  kind: RequestKind
  depth: number
  hops: number
  via: string | null
  /** 'done': it is known to be done there. */
  code: 'done' | null
  /** The number of the station it was sent to, see send-urls.ts; null: not by this one. */
  number: number | null
}

/** Of a URL of which nothing but its address is known. */
export const BARE = { kind: 'page', depth: 0, hops: 0, via: null } as const

export async function insertForeignUrls(
  sql: Sql,
  { collectionId, urls }: { collectionId: number; urls: readonly ForeignUrl[] },
): Promise<void> {
  await sql.insertMany({
    table: 'urls',
    columns: [...URL_COLUMNS, 'status'],
    rows: urls.map((each) => [
      collectionId,
      each.hostId,
      each.hash,
      each.url,
      each.kind,
      priorityOf(each),
      each.depth,
      each.hops,
      each.via,
      'elsewhere',
      each.code,
      each.number,
    ]),
  })
}
