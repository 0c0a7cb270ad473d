/**
 * Versions: a site as it was at one moment, as far as it could be gathered. Watches keep a row for
 * each of their harvests; a crawl that has ended is one version, too, and is derived from its row.
 */
import { outcomeOf, parseSpec } from '@minga/frontier'
import type { ArchiveVersion, CollectionSpec, CollectionState, VersionState } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { versionRows, type VersionRow } from '../visit-versions.ts'

/** The captures of a version: those of its collection with ids above `afterId`, up to `lastId`. */
export interface VersionWindow {
  collectionId: number
  afterId: number
  lastId: number
}

export interface FoundVersion {
  version: ArchiveVersion
  window: VersionWindow
}

interface CollectionRow {
  id: number
  spec: string
  state: CollectionState
  reason: string | null
  name: string | null
  created_at: number
  ended_at: number | null
  pages: number
  bytes: number
  captures: number
  failed: number
  federated: number
}

const COLLECTIONS = `SELECT c.id, c.spec, c.state, c.reason, c.created_at, c.ended_at, c.pages,
    c.bytes, c.captures, c.failed, c.federated, w.name
  FROM collections c LEFT JOIN watches w ON w.collection_id = c.id`

/** Collections read in one call: those of clients and audits have no versions. */
const COLLECTIONS_MOST = 2_000

/** Of one collection or of all, the newest collection first; those of one collection together. */
export async function listVersions(
  sql: Sql,
  args: { collectionId: number | null; before: number; limit: number },
): Promise<ArchiveVersion[]> {
  const one = args.collectionId === null ? '' : 'AND c.id = ?'
  const rows = await sql.all<CollectionRow>(
    `${COLLECTIONS} WHERE c.id < ? ${one} ORDER BY c.id DESC LIMIT ?`,
    [args.before, ...(args.collectionId === null ? [] : [args.collectionId]), COLLECTIONS_MOST],
  )
  const versions: ArchiveVersion[] = []
  for (const row of rows) {
    if (versions.length >= args.limit) break
    const found = await versionsOf(sql, row)
    versions.push(...found.map(({ version }) => version))
  }
  return versions
}

/** With its files and agents; null when there is none of that number. */
export async function findVersion(
  sql: Sql,
  args: { collectionId: number; number: number },
): Promise<FoundVersion | null> {
  const row = await sql.get<CollectionRow>(`${COLLECTIONS} WHERE c.id = ?`, [args.collectionId])
  if (!row) return null
  const found = (await versionsOf(sql, row)).find(({ version }) => version.number === args.number)
  if (!found) return null
  if (found.version.cause !== CRAWL) return found
  return { ...found, version: { ...found.version, ...(await provenance(sql, found.window)) } }
}

const CRAWL = 'crawl'

async function versionsOf(sql: Sql, row: CollectionRow): Promise<FoundVersion[]> {
  const spec = parseSpec(row.spec)
  if (spec.kind === 'crawl') return row.ended_at === null ? [] : [ofCrawl(row, spec)]
  if (spec.kind !== 'watch') return []
  const harvests = await versionRows(sql, row.id)
  // One that waits has nothing to show yet.
  const shown = harvests.filter(({ state }) => state !== 'waiting')
  return shown.map((harvest) => ofHarvest(row, spec, harvest))
}

function ofHarvest(row: CollectionRow, spec: CollectionSpec, harvest: VersionRow): FoundVersion {
  const { number, state, reason, cause, documents, bytes, failed } = harvest
  return {
    version: {
      collectionId: row.id,
      name: row.name ?? nameOf(spec),
      seed: spec.seeds[0] ?? null,
      number,
      state,
      reason,
      cause,
      documents,
      bytes,
      failed,
      startedAt: harvest.started_at,
      endedAt: harvest.ended_at,
      durationMs: harvest.ended_at === null ? null : harvest.ended_at - harvest.started_at,
      files: JSON.parse(harvest.files) as string[],
      agents: JSON.parse(harvest.agents) as string[],
    },
    window: {
      collectionId: row.id,
      afterId: harvest.after_id,
      lastId: harvest.last_id ?? Number.MAX_SAFE_INTEGER,
    },
  }
}

function ofCrawl(row: CollectionRow, spec: CollectionSpec): FoundVersion {
  const endedAt = row.ended_at!
  return {
    version: {
      collectionId: row.id,
      number: 1,
      name: nameOf(spec),
      seed: spec.seeds[0] ?? null,
      state: stateOf(row),
      reason: row.reason,
      cause: CRAWL,
      startedAt: row.created_at,
      endedAt,
      durationMs: endedAt - row.created_at,
      documents: row.pages,
      bytes: row.bytes,
      failed: row.failed,
      files: [],
      agents: [],
    },
    window: { collectionId: row.id, afterId: 0, lastId: Number.MAX_SAFE_INTEGER },
  }
}

function nameOf({ seeds }: CollectionSpec): string {
  return (seeds[0] ?? '').replace(/^https?:\/\//, '').replace(/\/$/, '')
}

/** A crawl that a limit ended is truncated, and its reason names the limit. */
function stateOf(row: CollectionRow): VersionState {
  const { state, reason, federated } = row
  if (state === 'cancelled') return 'cancelled'
  if (outcomeOf({ ...row, kind: CRAWL, isShared: federated === 1 }) === 'failed') return 'failed'
  return reason === null ? 'complete' : 'truncated'
}

async function provenance(
  sql: Sql,
  window: VersionWindow,
): Promise<{ files: string[]; agents: string[] }> {
  const params = [window.collectionId, window.afterId, window.lastId]
  const files = await sql.all<{ file: string }>(
    `SELECT DISTINCT file FROM captures WHERE ${IN_WINDOW} ORDER BY file`,
    params,
  )
  const agents = await sql.all<{ device: string }>(
    `SELECT DISTINCT device FROM captures WHERE ${IN_WINDOW} AND device IS NOT NULL ORDER BY device`,
    params,
  )
  return { files: files.map(({ file }) => file), agents: agents.map(({ device }) => device) }
}

/** With the collection and both ids of a window as parameters. */
export const IN_WINDOW = 'collection_id = ? AND id > ? AND id <= ?'
