/** What the store does for histories alone: a folder is read without all the rest of a station. */
import type { Operation } from '@minga/store'
import { wikiOperations } from '@minga/wiki'

export const operations = wikiOperations as unknown as Record<string, Operation>
