/**
 * Removes what no reader can want and no writer can commit any more.
 *
 * Segments: their versions are forgotten first, in a transaction after which no reader can see
 * them; then the files go, then the rows. The rows are the list of what is still to be removed:
 * killed at any point, the next sweep finds them again, and removing a file twice does no harm. The
 * other way round a kill would leave files that only a search of the whole folder finds.
 *
 * Strays, which killed tasks and writers left: here only a search can find them. A file is
 * abandoned when no segment names it and its writer can commit nothing any more.
 */
import { faultPoint, type Clock } from '@minga/protocol'
import type { Calls } from '@minga/store'
import type { LakeFile, LakeFiles } from '../files/lake-files.ts'
import type { FoundFile } from './sweep-operations.ts'
import type { TableOperations } from './table-operations.ts'

export interface SweptLake {
  store: Calls<TableOperations>
  files: LakeFiles
  clock: Pick<Clock, 'now'>
}

export interface SweepOptions {
  /** How long a version can be read after the next one came. */
  retentionMs?: number
  /** Younger files are left alone, from any writer. */
  graceMs?: number
  /** Ids of those who write without a lease here and may still commit: queries that have not ended. */
  living: () => Promise<ReadonlySet<string>>
}

export interface SweepCounts {
  segments: number
  strays: number
}

/** A week, so that a table can be compared on Friday with last Friday's. */
const RETENTION_MS = 7 * 24 * 3600_000

/** Much longer than any clock of a file server is wrong; too long only keeps a stray for a while. */
const GRACE_MS = 15 * 60_000

/** Files in one call: a list of all would keep the store busy for as long as it takes. */
const AT_ONCE = 500

/** Below it: a folder for each table, and in that one for each writer. */
export const TABLES_FOLDER = 'tables'

export async function sweepLake(lake: SweptLake, options: SweepOptions): Promise<SweepCounts> {
  const { retentionMs = RETENTION_MS, graceMs = GRACE_MS, living } = options
  let segments = 0
  for (const tableId of await lake.store.call('lakeSweepableTables', {})) {
    segments += await removeSegments(lake, { tableId, retentionMs })
  }
  return { segments, strays: await removeStrays(lake, { graceMs, living }) }
}

/** Of segments that no version sees any more: files, then rows. */
export async function removeSegments(
  { store, files, clock }: SweptLake,
  asked: { tableId: number; retentionMs: number },
): Promise<number> {
  for (let removed = 0; ;) {
    const sweep = { ...asked, now: clock.now(), most: AT_ONCE }
    const gone = await store.call('lakeSweepTable', sweep)
    if (gone.length === 0) return removed
    faultPoint('lake:sweep:after-versions')
    for (const file of gone) await files.remove(file)
    faultPoint('lake:sweep:after-files')
    await store.call('lakeForgetSegments', { files: gone })
    removed += gone.length
  }
}

async function removeStrays(
  lake: SweptLake,
  { graceMs, living }: { graceMs: number; living: SweepOptions['living'] },
): Promise<number> {
  const { store, files, clock } = lake
  const oldest = clock.now() - graceMs
  // In this order: who wrote a listed file and is not living now has committed it by now, or never will.
  const listed = (await files.list(TABLES_FOLDER)).filter(({ changedAtMs }) => changedAtMs < oldest)
  const alive = await living()
  const found = listed.map(foundFile).filter(({ writer }) => !alive.has(writer))
  let removed = 0
  for (let from = 0; from < found.length; from += AT_ONCE) {
    const some = found.slice(from, from + AT_ONCE)
    const strays = await store.call('lakeStrayFiles', { found: some, now: clock.now() })
    for (const file of strays) await files.remove(file)
    faultPoint('lake:sweep:after-strays')
    removed += strays.length
  }
  await removeFolders(lake, { oldest, alive })
  return removed
}

function foundFile({ name }: LakeFile): FoundFile {
  return { file: name, writer: name.split('/')[2] ?? '' }
}

/**
 * Folders of writers that ended. Those of tables stay: another process may be about to make a
 * folder inside.
 */
async function removeFolders(
  { files, store }: SweptLake,
  { oldest, alive }: { oldest: number; alive: ReadonlySet<string> },
): Promise<void> {
  for (const table of await files.folders(TABLES_FOLDER)) {
    const folders = (await files.folders(table.name)).filter(
      ({ name, changedAtMs }) => changedAtMs < oldest && !alive.has(name.split('/')[2]!),
    )
    const writers = await store.call('lakeWriters', {})
    for (const { name } of folders) {
      if (!writers.includes(name.split('/')[2]!)) await files.removeEmptyFolder(name)
    }
  }
}
