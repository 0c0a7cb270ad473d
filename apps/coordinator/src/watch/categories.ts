/** Topics of watches: a unique code, and a name that operators may change. */
import type { WatchCategoryView } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { CategoryInUse, CategoryTaken, NoSuchCategory } from './watch-errors.ts'

export function watchCategories(sql: Sql): Promise<WatchCategoryView[]> {
  return sql.all<WatchCategoryView>(
    `SELECT code, name,
       (SELECT COUNT(*) FROM watches w WHERE w.category = watch_categories.code) AS watches
     FROM watch_categories ORDER BY code`,
  )
}

/** Null is no category, which is always there. */
export async function requireCategory(sql: Sql, code: number | null): Promise<void> {
  if (code !== null && (await nameOf(sql, code)) === null) throw new NoSuchCategory(code)
}

async function nameOf(sql: Sql, code: number): Promise<string | null> {
  const row = await sql.get<{ name: string }>('SELECT name FROM watch_categories WHERE code = ?', [
    code,
  ])
  return row?.name ?? null
}

interface Category {
  code: number
  name: string
}

export async function addWatchCategory(sql: Sql, { code, name }: Category): Promise<void> {
  if ((await nameOf(sql, code)) !== null) throw new CategoryTaken(`of the code ${code}`)
  await requireFreeName(sql, { code, name })
  await sql.run('INSERT INTO watch_categories (code, name) VALUES (?, ?)', [code, name])
}

export async function renameWatchCategory(sql: Sql, { code, name }: Category): Promise<void> {
  await requireCategory(sql, code)
  await requireFreeName(sql, { code, name })
  await sql.run('UPDATE watch_categories SET name = ? WHERE code = ?', [name, code])
}

async function requireFreeName(sql: Sql, { code, name }: Category): Promise<void> {
  const other = await sql.get(
    'SELECT 1 AS one FROM watch_categories WHERE LOWER(name) = LOWER(?) AND code <> ?',
    [name, code],
  )
  if (other) throw new CategoryTaken(`"${name}"`)
}

export async function removeWatchCategory(sql: Sql, { code }: { code: number }): Promise<void> {
  await requireCategory(sql, code)
  const used = await sql.get<{ count: number }>(
    'SELECT COUNT(*) AS count FROM watches WHERE category = ?',
    [code],
  )
  if (used!.count > 0) throw new CategoryInUse(code, used!.count)
  await sql.run('DELETE FROM watch_categories WHERE code = ?', [code])
}
