/** Wikis that the station reads with a secret of its own are not for all its readers. */
import { originOf } from '@minga/net'
import type { Sql } from '@minga/store'
import { hasLogIn } from '../wiki-log-ins.ts'
import { hasToken } from '../wiki-tokens.ts'

/** Whether the station shows this wiki a token or a password. */
export async function isClosed(sql: Sql, url: string): Promise<boolean> {
  return (await hasToken(sql, url)) || hasLogIn(sql, url)
}

/** After a secret came for it: whatever was known before is private from now on, too. */
export async function closeWikisOf(sql: Sql, { api }: { api: string }): Promise<void> {
  const rows = await sql.all<{ id: number; api_url: string }>(
    'SELECT id, api_url FROM wikis WHERE api_url IS NOT NULL',
  )
  const same = rows.filter(({ api_url: url }) => originOf(url) === originOf(api))
  for (const { id, api_url: url } of same) {
    if (await isClosed(sql, url)) await closeWiki(sql, id)
  }
}

/** Its owner is the account that first had it extracted. */
export async function closeWiki(
  sql: Sql,
  wikiId: number,
  first: string | null = null,
): Promise<void> {
  await sql.run(
    `UPDATE wikis SET visibility = 'private', owner = COALESCE(owner, ?, (SELECT c.owner
       FROM wiki_tasks t JOIN collections c ON c.id = t.collection_id
       WHERE t.wiki_id = wikis.id AND c.owner IS NOT NULL ORDER BY t.id LIMIT 1)) WHERE id = ?`,
    [first, wikiId],
  )
  await sql.run(
    `UPDATE collections SET visibility = 'private' WHERE identity = ? OR id IN (
       SELECT collection_id FROM wiki_tasks WHERE wiki_id = ? AND collection_id IS NOT NULL)`,
    [`wiki feed ${wikiId}`, wikiId],
  )
}

/** A task may begin with the address of a page: which wiki that is of, and whether it is closed, is known later. */
export async function closeTask(
  sql: Sql,
  task: { wikiId: number; collectionId: number; owner: string | null },
): Promise<void> {
  const isPrivate = `SELECT 1 FROM wikis WHERE id = ? AND visibility = 'private'`
  if ((await sql.get(isPrivate, [task.wikiId])) === undefined) return
  await sql.run(`UPDATE collections SET visibility = 'private', owner = ? WHERE id = ?`, [
    await ownerOfClosed(sql, task),
    task.collectionId,
  ])
}

/** What a task brings from a closed wiki belongs to its owner only if the wiki is theirs to read. */
export async function ownerOfClosed(
  sql: Sql,
  { wikiId, owner }: { wikiId: number | null; owner: string | null },
): Promise<string | null> {
  if (wikiId === null || owner === null) return owner
  const row = await sql.get(
    `SELECT 1 FROM wikis w WHERE w.id = ? AND (w.visibility <> 'private' OR w.owner = ?
       OR EXISTS (SELECT 1 FROM readers r WHERE r.kind = 'wiki'
         AND r.subject = CAST(w.id AS TEXT) AND r.account = ?))`,
    [wikiId, owner, owner],
  )
  return row === undefined ? null : owner
}
