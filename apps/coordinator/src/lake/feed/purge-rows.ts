/**
 * Removes rows of deleted captures from the lake. The files that hold them are rewritten without
 * them and replaced in one version each; the previous versions are dropped and their files removed,
 * even while a query reads them. The list of pending purges is shortened last, so that after a
 * crash the work is repeated.
 */
import type { Column, LakeFiles, Segment, SegmentChange, Tables, TableWriter } from '@minga/lake'
import { faultPoint, isMingaError, type Clock } from '@minga/protocol'
import type { Calls } from '@minga/store'
import type { PendingPurge } from '../../archive/pending-purges.ts'
import { FeedMoved } from '../../archive/feed-state.ts'
import { FEED_TABLES } from './feed-tables.ts'
import type { FeedSegmentWriter } from './feed-segment-writer.ts'
import type { Operations } from '../../station/station-operations.ts'

interface Parts {
  store: Calls<Operations>
  tables: Tables
  files: LakeFiles
  clock: Pick<Clock, 'now'>
  writer: FeedSegmentWriter
}

/** A table with rows of captures, which name their capture's id in the column `capture`. */
export interface OwnRows {
  table: string
  columns: readonly Column[]
}

interface Sifting {
  table: string
  columns: readonly Column[]
  /** Over a row `r` of the table and a row `d` of PURGED. */
  condition: string
}

const PURGED: Column[] = [
  { name: 'capture', type: 'BIGINT' },
  { name: 'url', type: 'VARCHAR' },
  { name: 'at', type: 'TIMESTAMP' },
]

/** Ids may be reused; together with address and time they are unique. */
const OF_STATION: Sifting[] = [
  {
    table: 'captures',
    columns: FEED_TABLES.captures,
    condition: 'r.id = d.capture AND r.url = d.url AND r."at" = d."at"',
  },
  { table: 'links', columns: FEED_TABLES.links, condition: 'r.url = d.url AND r."at" = d."at"' },
]

const AT_ONCE = 5_000

/** `drain` moves pending rows into the tables, because they may belong to deleted captures, too. */
export async function purgeRows(
  parts: Parts,
  ownRows: () => Promise<OwnRows[]>,
  drain: () => Promise<void>,
): Promise<void> {
  for (;;) {
    const purged = await parts.store.call('lakePendingPurges', { most: AT_ONCE })
    if (purged.length === 0) return
    await drain()
    const own = (await ownRows()).map((table) => ({
      ...table,
      condition: 'r.capture = d.capture AND r.url = d.url AND r."at" = d."at"',
    }))
    for (const sifting of [...OF_STATION, ...own]) await sift(parts, sifting, purged)
    faultPoint('lake:feed:before-forget')
    await parts.store.call('lakeDropPendingPurges', { ids: purged.map(({ id }) => id) })
  }
}

async function sift(
  parts: Parts,
  sifting: Sifting,
  purged: readonly PendingPurge[],
): Promise<void> {
  const { tables } = parts
  const { table } = sifting
  const segments = await segmentsOf(tables, table)
  const writing = segments.length === 0 ? null : await tables.beginWriting(table)
  try {
    const change = writing && (await sifted(parts, { ...sifting, segments, writing, purged }))
    if (change) await parts.store.call('lakeChangeSegments', { ...change, now: parts.clock.now() })
    if (change || (await isUnfinished(tables, table))) await tables.forgetOldVersions(table)
  } catch (error) {
    if (isOf(error, 'MINGA_SEGMENT_GONE')) throw FeedMoved.of(table)
    if (!isOf(error, 'MINGA_UNKNOWN_TABLE')) throw error
  } finally {
    await writing?.end()
  }
}

interface SiftedTable extends Sifting {
  segments: readonly Segment[]
  writing: TableWriter
  purged: readonly PendingPurge[]
}

/** All files of a table that hold some of them, in one change; null when none does. */
async function sifted(
  { files, writer }: Parts,
  { table, columns, condition, segments, writing, purged }: SiftedTable,
): Promise<SegmentChange | null> {
  const named = segments.map(({ file: from }, i) => ({
    from,
    path: files.at(from),
    to: `${writing.folder}/${i}.parquet`,
  }))
  const found = await writer.sift({
    files: named.map(({ path, to }) => ({ path, siftedPath: files.at(`${to}.partial`) })),
    purged: { columns: PURGED, rows: purged.map(({ captureId, url, at }) => [captureId, url, at]) },
    condition,
  })
  if (found.length === 0) return null
  const add: Segment[] = []
  const replaces: string[] = []
  for (const { path, rows } of found) {
    const { from, to } = named.find((one) => one.path === path)!
    replaces.push(from)
    if (rows > 0) add.push(await settled(files, to, rows))
  }
  return { table, columns, add, replaces, why: WHY, writer: writing.writer }
}

const WHY = 'taken down'

/** Killed after the change: what was before it is still there. */
async function isUnfinished(tables: Tables, table: string): Promise<boolean> {
  const versions = await tables.versions(table)
  return versions.slice(0, -1).some(({ why }) => why === WHY)
}

async function settled(files: LakeFiles, file: string, rows: number): Promise<Segment> {
  await files.settle(`${file}.partial`, file)
  return { file, rows, bytes: (await files.size(file))! }
}

/** A table that a user dropped has none. */
async function segmentsOf(tables: Tables, table: string): Promise<readonly Segment[]> {
  try {
    return (await tables.manifest(table)).segments
  } catch (error) {
    if (isOf(error, 'MINGA_UNKNOWN_TABLE')) return []
    throw error
  }
}

const isOf = (error: unknown, code: string): boolean => isMingaError(error) && error.code === code
