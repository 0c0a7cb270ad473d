import type { Sql } from '@minga/store'

/** An address that ended so, and when; the time is not known of what was refused as it was found. */
interface ErrorExample {
  url: string
  at: number | null
}

/** How often a code was met, and where last. */
export type ErrorCounts = Map<string, { count: number; last: ErrorExample | null }>

export function addError(errors: ErrorCounts, code: string, last: ErrorExample | null): void {
  const former = errors.get(code)
  errors.set(code, { count: (former?.count ?? 0) + 1, last: last ?? former?.last ?? null })
}

/** Adds to a collection's errors by kind, the figures behind the summary and the page. */
export async function countErrors(
  sql: Sql,
  collectionId: number,
  errors: ErrorCounts,
): Promise<void> {
  for (const [code, { count, last }] of errors) {
    await sql.run(
      `INSERT INTO collection_errors (collection_id, code, count, last_url, last_at)
       VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (collection_id, code) DO UPDATE SET
         count = collection_errors.count + excluded.count,
         last_url = COALESCE(excluded.last_url, collection_errors.last_url),
         last_at = COALESCE(excluded.last_at, collection_errors.last_at)`,
      [collectionId, code, count, last?.url ?? null, last?.at ?? null],
    )
  }
}
