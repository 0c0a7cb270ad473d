/** Where on a site nothing can be verified, because no two fetches agree. */
import type { Sql } from '@minga/store'
import { urlPattern } from './fingerprint.ts'

export interface PatternKey {
  readonly hostId: number
  readonly url: string
}

/** One such page may be an accident of its shape; two are a habit of the site. */
const UNFIT_MIN = 2
/** Unless most pages of the shape do hold still. */
const UNFIT_SHARE = 0.25
/** Sites are rebuilt: after this a place gets another chance. */
const FORGET_MS = 30 * 86_400_000

/** Aligned with `places`. */
export async function unfitPatterns(
  sql: Sql,
  keys: readonly PatternKey[],
  now: number,
): Promise<boolean[]> {
  if (keys.length === 0) return []
  const rows = await sql.selectMany<{ agreed: number; dynamic: number; noted_at: number }>({
    table: 'audit_patterns',
    keys: ['host_id', 'pattern'],
    rows: keys.map(({ hostId, url }) => [hostId, urlPattern(url)]),
    columns: ['agreed', 'dynamic', 'noted_at'],
  })
  return rows.map(
    (row) =>
      row !== undefined &&
      row.noted_at >= now - FORGET_MS &&
      row.dynamic >= UNFIT_MIN &&
      row.dynamic >= UNFIT_SHARE * (row.agreed + row.dynamic),
  )
}

export async function noteDynamic(
  sql: Sql,
  { hostId, url }: PatternKey,
  now: number,
): Promise<void> {
  await sql.run(
    `INSERT INTO audit_patterns (host_id, pattern, agreed, dynamic, noted_at) VALUES (?, ?, 0, 1, ?)
     ON CONFLICT (host_id, pattern)
     DO UPDATE SET dynamic = audit_patterns.dynamic + 1, noted_at = excluded.noted_at`,
    [hostId, urlPattern(url), now],
  )
}

/** Only where doubt was noted before: most places never need a row. */
export async function noteSteady(sql: Sql, { hostId, url }: PatternKey): Promise<void> {
  await sql.run('UPDATE audit_patterns SET agreed = agreed + 1 WHERE host_id = ? AND pattern = ?', [
    hostId,
    urlPattern(url),
  ])
}
