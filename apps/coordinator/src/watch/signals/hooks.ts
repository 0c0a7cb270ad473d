/** The secret by which a site's own program may say that a watched page has changed. */
import type { WebsubView } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { watchToChange } from '../watch-rows.ts'

/** A new secret ends the former one. */
export async function setWatchHook(
  sql: Sql,
  args: { id: number; owner: string | null; by: string; hash: string; now: number },
): Promise<void> {
  const { id } = await watchToChange(sql, args)
  await sql.insertMany({
    table: 'watch_hooks',
    columns: ['collection_id', 'hash', 'made_at', 'made_by'],
    rows: [[id, args.hash, args.now, args.by]],
    onConflict: { keys: ['collection_id'], update: ['hash', 'made_at', 'made_by'] },
  })
}

export async function dropWatchHook(
  sql: Sql,
  args: { id: number; owner: string | null },
): Promise<void> {
  const { id } = await watchToChange(sql, args)
  await sql.run('DELETE FROM watch_hooks WHERE collection_id = ?', [id])
}

export async function isWatchHook(sql: Sql, args: { id: number; hash: string }): Promise<boolean> {
  const row = await sql.get(
    'SELECT 1 AS one FROM watch_hooks WHERE collection_id = ? AND hash = ?',
    [args.id, args.hash],
  )
  return row !== undefined
}

export function watchHubs(sql: Sql, args: { id: number }): Promise<WebsubView[]> {
  return sql.all<WebsubView>(
    `SELECT topic, hub, state, lease_until AS "leaseUntil", problem FROM websub_subscriptions
     WHERE collection_id = ? ORDER BY topic`,
    [args.id],
  )
}
