/** Reading the versions of watched sites. */
import type { VersionState, VersionView } from '@minga/protocol'
import type { Sql } from '@minga/store'

export interface VersionRow {
  collection_id: number
  number: number
  state: VersionState
  reason: string | null
  cause: string
  started_at: number
  ended_at: number | null
  after_id: number
  last_id: number | null
  documents: number
  bytes: number
  failed: number
  files: string
  agents: string
}

/** The newest first. */
export function versionRows(sql: Sql, collectionId: number): Promise<VersionRow[]> {
  return sql.all<VersionRow>(
    'SELECT * FROM versions WHERE collection_id = ? ORDER BY number DESC',
    [collectionId],
  )
}

export async function watchVersions(
  sql: Sql,
  args: { collectionId: number },
): Promise<VersionView[]> {
  const rows = await versionRows(sql, args.collectionId)
  return rows.map((row) => ({
    watchId: row.collection_id,
    number: row.number,
    state: row.state,
    reason: row.reason,
    cause: row.cause,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    documents: row.documents,
    bytes: row.bytes,
    failed: row.failed,
    files: JSON.parse(row.files) as string[],
    agents: JSON.parse(row.agents) as string[],
  }))
}
