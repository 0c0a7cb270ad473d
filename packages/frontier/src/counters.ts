import type { Sql } from '@minga/store'

/** Adds to a collection's errors by kind, the figures behind the summary and the page. */
export async function countErrors(
  sql: Sql,
  collectionId: number,
  counts: ReadonlyMap<string, number>,
): Promise<void> {
  for (const [code, count] of counts) {
    await sql.run(
      `INSERT INTO collection_errors (collection_id, code, count) VALUES (?, ?, ?)
       ON CONFLICT (collection_id, code) DO UPDATE SET count = collection_errors.count + excluded.count`,
      [collectionId, code, count],
    )
  }
}
