/**
 * The half of ingest before its transaction: what the results of an upload say. Reading a page costs milliseconds, and
 * the store has one thread.
 */
import type { Filter } from '@minga/partition'
import type { CheckedResults } from '../agents/trust/check-results.ts'
import { unwantedPages } from '../collect/filters/unwanted-pages.ts'
import { findLinks, type CollectionView, type Found } from '../collect/found-links.ts'
import { readVisits } from '../watch/visits/read-visits.ts'
import { readWikiAnswers } from '../wiki/read/read-wiki-answers.ts'
import type { UploadItem } from './ingest-batch.ts'
import type { Station } from '../station/station.ts'

/** By which rules an upload is read: the scope and filters that hold now. */
interface ReadingRules {
  views: ReadonlyMap<number, CollectionView>
  /** What the station wants at all; null: everything. */
  station: Filter | null
}

interface ReadUpload extends Found {
  items: UploadItem[]
}

type Reader = (
  station: Station,
  upload: ReadingRules & { items: readonly UploadItem[] },
) => Promise<void>

/** Each fills in what is its own. */
const READERS: readonly Reader[] = [unwantedPages, readVisits, readWikiAnswers]

export async function readUpload(
  station: Station,
  checked: Pick<CheckedResults, 'results' | 'members' | 'pages'>,
  rules: ReadingRules,
): Promise<ReadUpload> {
  const items = toItems(checked)
  const found = await findLinks(items, { ...station, ...rules })
  for (const read of READERS) await read(station, { items, ...rules })
  return { items, ...found }
}

/** Where the records of a result begin is known only from those before it: they are cut once, here. */
function toItems({
  results,
  members,
  pages,
}: Pick<CheckedResults, 'results' | 'members' | 'pages'>): UploadItem[] {
  let offset = 0
  return results.map((result, position) => {
    const lengths = result.type === 'captured' ? result.members : []
    const own = lengths.map((length) => {
      offset += length
      return members.subarray(offset - length, offset)
    })
    const page = pages.get(position)
    return { result, members: own, ...(page === undefined ? {} : { page }) }
  })
}
