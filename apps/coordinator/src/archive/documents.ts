/** The documents of a version, and what became of them until another. */
import type { CaptureRow, DocumentChange, DocumentState, VersionCounts } from '@minga/protocol'
import type { Sql, Value } from '@minga/store'
import { CAPTURE_COLUMNS, capturesOf } from './captures/captures.ts'
import { IN_WINDOW, type VersionWindow } from './compare/versions.ts'

/** In the order they came, after an id. */
export async function listDocuments(
  sql: Sql,
  args: { window: VersionWindow; afterId: number; limit: number },
): Promise<CaptureRow[]> {
  const { collectionId, afterId, lastId } = args.window
  return sql.all<CaptureRow>(
    `SELECT ${CAPTURE_COLUMNS} FROM captures c WHERE ${IN_WINDOW} ORDER BY id LIMIT ?`,
    [collectionId, Math.max(afterId, args.afterId), lastId, args.limit],
  )
}

/** One of a window by its id; null when it is not there, or not any more. */
export async function captureInWindow(
  sql: Sql,
  args: { window: VersionWindow; id: number },
): Promise<CaptureRow | null> {
  const { collectionId, afterId, lastId } = args.window
  const found = await sql.get<CaptureRow>(
    `SELECT ${CAPTURE_COLUMNS} FROM captures c WHERE c.id = ? AND ${IN_WINDOW}`,
    [args.id, collectionId, afterId, lastId],
  )
  return found ?? null
}

/** Differs whenever a window holds other captures. */
export async function windowState(sql: Sql, args: { window: VersionWindow }): Promise<string> {
  const { collectionId, afterId, lastId } = args.window
  const row = await sql.get<{ last: number | null; n: number }>(
    `SELECT MAX(id) AS last, COUNT(*) AS n FROM captures WHERE ${IN_WINDOW}`,
    [collectionId, afterId, lastId],
  )
  // A repaired capture lies elsewhere.
  const moved = await sql.get<{ n: number }>('SELECT COUNT(*) AS n FROM superseded_records')
  return `${row?.last ?? 0}-${row?.n ?? 0}-${moved?.n ?? 0}`
}

/** The newest capture of a URL in a version; without a URL, of the first page that can be shown. */
export async function documentOf(
  sql: Sql,
  args: { window: VersionWindow; url: string | null },
): Promise<CaptureRow | null> {
  const { collectionId, afterId, lastId } = args.window
  const window = [collectionId, afterId, lastId]
  if (args.url === null) {
    const first = await sql.get<CaptureRow>(
      `SELECT ${CAPTURE_COLUMNS} FROM captures c
       WHERE ${IN_WINDOW} AND status = 200 AND mime = 'text/html' ORDER BY id LIMIT 1`,
      window,
    )
    return first ?? null
  }
  const of = await capturesOf(sql, args.url)
  if (!of) return null
  const found = await sql.get<CaptureRow>(
    `${of.select} AND ${IN_WINDOW} ORDER BY id DESC LIMIT 1`,
    [...of.params, ...window],
  )
  return found ?? null
}

/**
 * The last capture of every document in both versions, side by side. A document is the same when
 * its payload has the same digest, whatever its headers say. A host's robots.txt (hash 0) is asked
 * for once a day, not once a version, and says nothing about either.
 */
const COMPARED = `WITH
  first AS (SELECT host_id, hash, MAX(id) AS id FROM captures
    WHERE ${IN_WINDOW} AND hash <> 0 GROUP BY host_id, hash),
  second AS (SELECT host_id, hash, MAX(id) AS id FROM captures
    WHERE ${IN_WINDOW} AND hash <> 0 GROUP BY host_id, hash),
  places AS (SELECT host_id, hash FROM first UNION SELECT host_id, hash FROM second),
  compared AS (SELECT p.host_id, p.hash, a.id AS before_id, b.id AS after_id,
      COALESCE(b.url, a.url) AS url, COALESCE(b.title, a.title) AS title,
      CASE WHEN a.id IS NULL THEN 'added' WHEN b.id IS NULL THEN 'removed'
        WHEN a.digest = b.digest THEN 'unchanged' ELSE 'changed' END AS state,
      a.captured_at AS before_at, b.captured_at AS after_at
    FROM places p
    LEFT JOIN first f ON f.host_id = p.host_id AND f.hash = p.hash
    LEFT JOIN second s ON s.host_id = p.host_id AND s.hash = p.hash
    LEFT JOIN captures a ON a.id = f.id LEFT JOIN captures b ON b.id = s.id)`

export interface ComparedWindows {
  before: VersionWindow
  after: VersionWindow
}

function windowsOf({ before, after }: ComparedWindows): Value[] {
  return [before, after].flatMap(({ collectionId, afterId, lastId }) => [
    collectionId,
    afterId,
    lastId,
  ])
}

export async function countChanges(sql: Sql, args: ComparedWindows): Promise<VersionCounts> {
  const rows = await sql.all<{ state: DocumentState; n: number }>(
    `${COMPARED} SELECT state, COUNT(*) AS n FROM compared GROUP BY state`,
    windowsOf(args),
  )
  const counts: VersionCounts = { added: 0, removed: 0, changed: 0, unchanged: 0 }
  for (const { state, n } of rows) counts[state] = n
  return counts
}

export interface ChangesPage extends ComparedWindows {
  states: DocumentState[]
  /** Where the last page ended. */
  cursor: [hostId: number, hash: number] | null
  limit: number
}

export interface FoundChanges {
  documents: DocumentChange[]
  next: [hostId: number, hash: number] | null
}

export async function listChanges(sql: Sql, args: ChangesPage): Promise<FoundChanges> {
  const { states, cursor, limit } = args
  const marks = states.map(() => '?').join(', ')
  const rows = await sql.all<DocumentChange & { hostId: number; hash: number }>(
    `${COMPARED} SELECT host_id AS "hostId", hash, url, title, state, before_at AS "beforeAt",
       after_at AS "afterAt"
     FROM compared WHERE state IN (${marks}) AND (host_id, hash) > (?, ?)
     ORDER BY host_id, hash LIMIT ?`,
    [...windowsOf(args), ...states, ...(cursor ?? [-1, -1]), limit],
  )
  const last = rows.at(-1)
  return {
    documents: rows.map(({ hostId: _host, hash: _hash, ...document }) => document),
    next: last && rows.length === limit ? [last.hostId, last.hash] : null,
  }
}
