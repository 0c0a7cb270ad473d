/** What the store does for histories alone: a folder is read without all the rest of a station. */
import { wikiOperations } from '@minga/wiki'

export const operations = wikiOperations
