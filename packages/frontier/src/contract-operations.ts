/**
 * The coordinator's own operations, loaded into the store's thread of a test, and raw SQL beside
 * them so that a test can recount what the operations keep. By address rather than by name: this
 * room does not know the coordinator, only its tests do.
 */
import type { Operation, Row, Sql } from '@minga/store'
import { growScope } from './federation/shared-changes.ts'

const coordinator = new URL('../../../apps/coordinator/src/operations.ts', import.meta.url)
const loaded = (await import(coordinator.href)) as {
  operations: Record<string, Operation>
  blobSeries: unknown
}

export const operations = {
  ...loaded.operations,
  growScope,
  query: (sql: Sql, args: { text: string; params: Row }) => sql.all(args.text, args.params),
  change: (sql: Sql, args: { text: string; params: Row }) => sql.run(args.text, args.params),
}

export const blobSeries = loaded.blobSeries
