/** A store that knows wikis: what reading them needs. Loaded by the store's thread. */
import { wikiOperations } from '@minga/wiki'

export const operations = wikiOperations
export const blobSeries = {}
