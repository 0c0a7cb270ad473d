/** What the store does for questions in SQL alone: a folder is asked without all the rest of a station. */
import { storedSettings } from '@minga/frontier/stored-settings'
import { tableOperations } from '@minga/lake/table-operations'
import type { OperationTable } from '@minga/store'

export const operations = { ...tableOperations, storedSettings } satisfies OperationTable

export type SqlFolderOperations = typeof operations
