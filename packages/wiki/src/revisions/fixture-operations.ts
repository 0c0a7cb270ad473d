/** A store that knows wikis and nothing else, for tests. */
import { wikiOperations } from './wiki-operations.ts'

export const operations = wikiOperations
export const blobSeries = {}
