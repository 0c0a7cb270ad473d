/** Questions that people keep, in the store: what they wrote, whether it is right or not. */
import type { SavedMessage, SavedView } from '@minga/protocol'
import type { Sql, OperationTable } from '@minga/store'
import { isSharedWith } from '../../accounts/visibility/shared-things.ts'
import { accountOf, type Viewer } from '../../accounts/visibility/viewer.ts'
import { TooManySaved } from '../lake-errors.ts'
import { NoSuchSaved } from '../../station/errors.ts'

const COLUMNS = `id, owner, kind, name, text, made_at AS "madeAt", edited_at AS "editedAt",
  removed_at AS "removedAt"`
/** A page of them is read at once; a longer list would be unusable. */
const SAVED_MOST = 500
const DAY_MS = 86_400_000
/** How long what was removed can be brought back. */
const REMOVED_KEPT_MS = DAY_MS

/** `owner`: null for callers who may see everyone's. */
interface Whose {
  owner: string | null
}

/** Newest first. */
async function listSaved(sql: Sql, { owner }: Whose): Promise<SavedView[]> {
  const [whose, params] = owner === null ? ['', []] : [' AND owner = ?', [owner]]
  return sql.all(
    `SELECT ${COLUMNS} FROM saved_queries WHERE removed_at IS NULL${whose}
     ORDER BY edited_at DESC, id DESC LIMIT ?`,
    [...params, SAVED_MOST],
  )
}

/** Those of others that a viewer may read, newest first. */
async function listSharedSaved(sql: Sql, { viewer }: { viewer: Viewer }): Promise<SavedView[]> {
  const shared = isSharedWith('query', viewer)
  return sql.all(
    `SELECT ${COLUMNS} FROM saved_queries t WHERE t.removed_at IS NULL AND t.owner <> ?
       AND ${shared.sql} ORDER BY t.edited_at DESC, t.id DESC LIMIT ?`,
    [accountOf(viewer), ...shared.params, SAVED_MOST],
  )
}

/** With a viewer also one of another's that they may read. */
async function findSaved(
  sql: Sql,
  { id, owner, viewer }: Whose & { id: number; viewer?: Viewer | null },
): Promise<SavedView> {
  const row = await sql.get<SavedView>(`SELECT ${COLUMNS} FROM saved_queries WHERE id = ?`, [id])
  if (row === undefined) throw new NoSuchSaved(id)
  const isTheirs = owner === null || row.owner === owner
  if (isTheirs) return row
  if (viewer == null || row.removedAt !== null) throw new NoSuchSaved(id)
  const shared = isSharedWith('query', viewer)
  const text = `SELECT 1 FROM saved_queries t WHERE t.id = ? AND ${shared.sql}`
  if ((await sql.get(text, [id, ...shared.params])) === undefined) throw new NoSuchSaved(id)
  return row
}

async function addSaved(
  sql: Sql,
  { owner, saved, now }: { owner: string; saved: SavedMessage; now: number },
): Promise<SavedView> {
  await sql.run('DELETE FROM saved_queries WHERE removed_at < ?', [now - REMOVED_KEPT_MS])
  const { count } = (await sql.get<{ count: number }>(
    'SELECT count(*) AS count FROM saved_queries WHERE owner = ? AND removed_at IS NULL',
    [owner],
  ))!
  if (count >= SAVED_MOST) throw new TooManySaved(SAVED_MOST)
  const { kind, name, text } = saved
  const { id } = (await sql.get<{ id: number }>(
    `INSERT INTO saved_queries (owner, kind, name, text, made_at, edited_at)
     VALUES (?, ?, ?, ?, ?, ?) RETURNING id`,
    [owner, kind, name, text, now, now],
  ))!
  return findSaved(sql, { id, owner })
}

/** What is left out stays as it is. */
type Change = { [K in keyof SavedMessage]?: SavedMessage[K] | undefined }

async function changeSaved(
  sql: Sql,
  { saved, now, ...which }: Whose & { id: number; saved: Change; now: number },
): Promise<SavedView> {
  const { id, ...former } = await findSaved(sql, which)
  const { kind = former.kind, name = former.name, text = former.text } = saved
  await sql.run(
    'UPDATE saved_queries SET kind = ?, name = ?, text = ?, edited_at = ? WHERE id = ?',
    [kind, name, text, now, id],
  )
  return findSaved(sql, which)
}

/** Null brings it back. */
async function removeSaved(
  sql: Sql,
  { removedAt, ...which }: Whose & { id: number; removedAt: number | null },
): Promise<SavedView> {
  const { id } = await findSaved(sql, which)
  await sql.run('UPDATE saved_queries SET removed_at = ? WHERE id = ?', [removedAt, id])
  return findSaved(sql, which)
}

export const savedOperations = {
  listSaved,
  listSharedSaved,
  findSaved,
  addSaved,
  changeSaved,
  removeSaved,
} satisfies OperationTable
