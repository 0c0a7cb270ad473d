/** Raw SQL next to the operations of a room, so that a test can recount and change what they keep. */
import type { Calls, OperationTable, Row, Sql } from '../src/sql.ts'

interface Statement {
  text: string
  params: Row
}

export const rawSqlOperations = {
  query: (sql: Sql, { text, params }: Statement): Promise<unknown[]> => sql.all(text, params),
  change: (sql: Sql, { text, params }: Statement): Promise<number> => sql.run(text, params),
} satisfies OperationTable

/** As `Sql.all`: the author of the statement knows what its rows are. */
export async function queryRows<R>(
  store: Calls<Pick<typeof rawSqlOperations, 'query'>>,
  text: string,
  params: Row = [],
): Promise<R[]> {
  return (await store.call('query', { text, params })) as R[]
}
