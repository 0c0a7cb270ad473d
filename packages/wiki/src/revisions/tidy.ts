/** Removes unused files: of segments without a reader, and of folds that never ended. */
import { foldOf, type RevisionStore } from './revision-store.ts'

/**
 * How long files of a former state stay. A reader of the manifest may use that state for so long
 * without reading it again: it is the reader's lease, and costs no row.
 */
const READER_LEASE_MS = 15 * 60_000

export async function tidyWikis(
  store: RevisionStore,
  { isOpening = false }: { isOpening?: boolean } = {},
): Promise<{ removed: number }> {
  let removed = await removeGone(store, { before: store.clock.now() - READER_LEASE_MS })
  for (const wikiId of await store.files.wikis()) {
    // Listed first: a file that is in the list had its number before.
    const listed = await store.files.list(wikiId)
    const asked = { wikiId, now: store.clock.now(), isOpening }
    const named = await store.call('wikiNamedFiles', asked)
    const kept = new Set(named.files)
    const folds = new Set(named.folds)
    for (const name of listed) {
      const fold = foldOf(name)
      if (fold === null || kept.has(name) || folds.has(fold)) continue
      await store.files.remove(wikiId, name)
      removed++
    }
  }
  return { removed }
}

/** Files first, then the rows that name them: a stop between is made good by the next time. */
export async function removeGone(
  store: RevisionStore,
  asked: { before: number; wikiId?: number },
): Promise<number> {
  const gone = await store.call('wikiGoneSegments', asked)
  for (const { wikiId, pack, rows } of gone) {
    await store.files.remove(wikiId, pack)
    await store.files.remove(wikiId, rows)
  }
  if (gone.length > 0) await store.call('wikiForgetSegments', { segments: gone })
  return gone.length * 2
}
