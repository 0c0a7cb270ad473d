/** The station's operations and raw SQL beside them, loaded into the store's thread of a test. */
import type { Row, Sql } from '@minga/store'
import { blobSeries, operations as ofStation } from '../operations.ts'

export { blobSeries }

export const operations = {
  ...ofStation,
  query: (sql: Sql, args: { text: string; params: Row }) => sql.all(args.text, args.params),
  change: (sql: Sql, args: { text: string; params: Row }) => sql.run(args.text, args.params),
}
