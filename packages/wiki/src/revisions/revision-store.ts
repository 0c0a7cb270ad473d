/** What everything that writes or reads histories is given. */
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Clock } from '@minga/protocol'
import type { Calls } from '@minga/store'
import type { CommitOutcome } from './commit-operations.ts'
import { openDuckDb, type DuckDbLimits } from './duckdb.ts'
import { isFileGone, type RevisionFiles } from './revision-files.ts'
import type { BegunFold, FoldKind } from './segment-operations.ts'
import type { WikiOperations } from './wiki-operations.ts'

export interface RevisionStore {
  readonly call: Calls<WikiOperations>['call']
  readonly files: RevisionFiles
  readonly clock: Pick<Clock, 'now' | 'sleep'>
  readonly limits: Pick<DuckDbLimits, 'memoryMb' | 'threads'>
}

/** A writer of files under a number. */
export interface Writing extends BegunFold {
  readonly store: RevisionStore
  readonly wikiId: number
  readonly kind: FoldKind
}

export async function beginWriting(
  store: RevisionStore,
  wikiId: number,
  kind: FoldKind,
): Promise<Writing> {
  await store.files.makeFolder(wikiId)
  const begun = await store.call('wikiBeginFold', {
    wikiId,
    kind,
    now: store.clock.now(),
  })
  return { ...begun, store, wikiId, kind }
}

/**
 * Writes files and commits them; on any error, what was written is removed again. Others may change
 * the same wiki in the meantime: then nothing was done, and the caller starts over.
 */
export async function writeFiles(
  store: RevisionStore,
  { wikiId, kind }: Pick<Writing, 'wikiId' | 'kind'>,
  write: (writing: Writing, connection: DuckDBConnection) => Promise<CommitOutcome>,
): Promise<CommitOutcome> {
  const writing = await beginWriting(store, wikiId, kind)
  const spill = fileName(writing.fold, 0, 'spill')
  const duckDb = await openDuckDb({ ...store.limits, spillFolder: store.files.at(wikiId, spill) })
  try {
    const outcome = await write(writing, duckDb.connection)
    if (outcome !== 'done') await abandonWriting(writing)
    else await store.files.remove(wikiId, spill)
    return outcome
  } catch (error) {
    await abandonWriting(writing)
    if (isFileGone(error)) return 'moved'
    throw error
  } finally {
    duckDb.close()
  }
}

/** Nothing of it counts: its files go, and its number. */
export async function abandonWriting({ store, wikiId, fold }: Writing): Promise<void> {
  for (const name of await store.files.list(wikiId)) {
    if (foldOf(name) === fold) await store.files.remove(wikiId, name)
  }
  await store.call('wikiDropFold', { wikiId, fold })
}

/** Every file is named after the number of its fold, its part, and what it is. */
export const fileName = (fold: number, part: number, what: string): string =>
  `${fold}-${part}.${what}`

/** The number of the fold that wrote a file; null for a file that no fold wrote. */
export function foldOf(name: string): number | null {
  const number = /^(\d+)-/.exec(name)?.[1]
  return number === undefined ? null : Number(number)
}
