/** What a collection captured by type, status and depth, and where its errors were met last. */
import type { CollectionFacets, ErrorView, FacetBar } from '@minga/protocol'
import type { Sql } from '@minga/store'

export async function collectionFacets(sql: Sql, args: { id: number }): Promise<CollectionFacets> {
  const rows = await sql.all<FacetBar & { facet: string }>(
    `SELECT facet, value, count, bytes FROM collection_facets WHERE collection_id = ?
     ORDER BY count DESC, value`,
    [args.id],
  )
  const of = (facet: string): FacetBar[] =>
    rows
      .filter((row) => row.facet === facet)
      .map(({ value, count, bytes }) => ({ value, count, bytes }))
  const byNumber = (a: FacetBar, b: FacetBar): number => Number(a.value) - Number(b.value)
  return {
    types: of('type'),
    statuses: of('status').toSorted(byNumber),
    depths: of('depth').toSorted(byNumber),
    errors: await errorsOf(sql, args.id),
  }
}

function errorsOf(sql: Sql, id: number): Promise<ErrorView[]> {
  return sql.all<ErrorView>(
    `SELECT code, count, last_url AS "lastUrl", last_at AS "lastAt" FROM collection_errors
     WHERE collection_id = ? ORDER BY count DESC, code`,
    [id],
  )
}
