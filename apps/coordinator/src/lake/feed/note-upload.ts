/**
 * What an upload adds to the tables `links` and `requests`. Links are packed before the
 * transaction, off the store's thread; which of their pages count is known only inside it, and is
 * recorded with them.
 */
import { addressOf, type Accepted } from '@minga/frontier'
import type { CapturedResult, Result } from '@minga/protocol'
import type { Sql, Value } from '@minga/store'
import { pack, type PageLinks, type RequestCells } from './packed-rows.ts'

/** What goes into the transaction; what is switched off is null. */
export interface UploadNotes {
  links: { count: number; bytes: Uint8Array } | null
  areRequestsNoted: boolean
}

/** Which of the two are switched on. */
export interface NotedFeeds {
  links: boolean
  requests: boolean
}

interface LinkingItem {
  result: Result
  /** Names its links among those that are packed. */
  linksKey?: number
}

/** Each result that links somewhere gets the key of its links. */
export function notesOf(items: readonly LinkingItem[], noted: NotedFeeds): UploadNotes {
  const pages = noted.links ? items.flatMap(pageLinks) : []
  const count = pages.reduce(
    (sum, { to }) => sum + to.reduce((n, [, urls]) => n + urls.length, 0),
    0,
  )
  return {
    links: count === 0 ? null : { count, bytes: pack(pages) },
    areRequestsNoted: noted.requests,
  }
}

function pageLinks(item: LinkingItem, place: number): PageLinks[] {
  const { result } = item
  if (result.type !== 'captured') return []
  const to = linksOf(result).filter(([, urls]) => urls.length > 0)
  const { collectionId: collection, url, capturedAt: at } = result
  if (to.length === 0) return []
  item.linksKey = place
  return [{ place, collection, url, at, to }]
}

function linksOf(result: CapturedResult): PageLinks['to'] {
  const { kind, links, embeds, sitemaps, location } = result
  return [
    [kind === 'sitemap' ? 'sitemap' : 'link', links],
    ['embed', embeds],
    ['sitemap', sitemaps],
    ['redirect', location === null ? [] : [location]],
  ]
}

export interface NoteUpload {
  accepted: readonly (Accepted & { linksKey?: number })[]
  notes?: UploadNotes
  /** Those that are in the archive now. */
  stored: ReadonlySet<Result>
  sender: { device: string } | null
  now: number
}

export async function noteUpload(sql: Sql, { notes, ...args }: NoteUpload): Promise<void> {
  if (notes === undefined) return
  const noting = { ...args, notes }
  const batches = [linkBatch(noting), requestBatch(noting)].filter((batch) => batch !== null)
  await sql.insertMany({
    table: 'lake_batches',
    columns: ['feed', 'row_count', 'kept', 'bytes'],
    rows: batches,
  })
}

type UploadWithNotes = NoteUpload & { notes: UploadNotes }

/** What is not kept tells nothing. */
function linkBatch({ accepted, stored, notes }: UploadWithNotes): Value[] | null {
  if (notes.links === null || stored.size === 0) return null
  const kept = accepted.filter(({ result }) => stored.has(result))
  const places = kept.flatMap(({ linksKey }) => linksKey ?? [])
  return ['links', notes.links.count, JSON.stringify(places), notes.links.bytes]
}

/** Only requests that were dialled: a URL that came back undialled has contacted no host. */
function requestBatch({ accepted, notes, sender, now }: UploadWithNotes): Value[] | null {
  if (!notes.areRequestsNoted) return null
  const device = sender?.device ?? null
  const rows = accepted.flatMap((item) => requestCells(item, { device, now }))
  return rows.length === 0 ? null : ['requests', rows.length, null, pack(rows)]
}

function requestCells(
  { result, url, decision, lease }: Accepted,
  { device, now }: { device: string | null; now: number },
): RequestCells[] {
  if (result.type === 'returned') return []
  const isCaptured = result.type === 'captured'
  const own = isCaptured ? null : result.code
  return [
    [
      lease.collection_id,
      url === null ? result.url : addressOf(url.url),
      isCaptured ? result.capturedAt : now - result.endedAgoMs,
      decision.type,
      isCaptured ? result.status : null,
      'code' in decision ? decision.code : own,
      (url?.attempts ?? 0) + 1,
      isCaptured ? result.payloadBytes : 0,
      result.totalMs,
      device,
    ],
  ]
}
