/** What people keep for themselves of the archive: favourites, and what they searched for. */
import type { Favourite, PastSearch } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { TooManyFavourites } from './errors.ts'

const FAVOURITES_MOST = 1_000
/** Older ones are forgotten. */
const SEARCHES_MOST = 200

export async function listFavourites(sql: Sql, args: { account: string }): Promise<Favourite[]> {
  return sql.all<Favourite>(
    `SELECT url, note, added_at AS "addedAt" FROM favourites WHERE account = ?
     ORDER BY added_at DESC, url`,
    [args.account],
  )
}

export async function putFavourite(
  sql: Sql,
  args: { account: string; url: string; note: string; now: number },
): Promise<void> {
  const held = await sql.get<{ n: number }>(
    'SELECT COUNT(*) AS n FROM favourites WHERE account = ? AND url <> ?',
    [args.account, args.url],
  )
  if ((held?.n ?? 0) >= FAVOURITES_MOST) throw new TooManyFavourites(FAVOURITES_MOST)
  await sql.insertMany({
    table: 'favourites',
    columns: ['account', 'url', 'note', 'added_at'],
    rows: [[args.account, args.url, args.note, args.now]],
    onConflict: { keys: ['account', 'url'], update: ['note'] },
  })
}

export async function dropFavourite(
  sql: Sql,
  args: { account: string; url: string },
): Promise<void> {
  await sql.run('DELETE FROM favourites WHERE account = ? AND url = ?', [args.account, args.url])
}

export async function listSearches(sql: Sql, args: { account: string }): Promise<PastSearch[]> {
  const rows = await sql.all<{ id: number; query: string; searchedAt: number }>(
    `SELECT id, query, searched_at AS "searchedAt" FROM searches WHERE account = ?
     ORDER BY searched_at DESC, id DESC LIMIT ?`,
    [args.account, SEARCHES_MOST],
  )
  return rows.map(({ id, query, searchedAt }) => {
    const { text, by } = JSON.parse(query) as { text: string; by: string }
    return { id, text, by, searchedAt }
  })
}

/** The same search again moves to the top. */
export async function noteSearch(
  sql: Sql,
  args: { account: string; text: string; by: string; now: number },
): Promise<void> {
  const { account, text, by, now } = args
  const query = JSON.stringify({ text, by })
  await sql.run('DELETE FROM searches WHERE account = ? AND query = ?', [account, query])
  await sql.insertMany({
    table: 'searches',
    columns: ['account', 'query', 'searched_at'],
    rows: [[account, query, now]],
  })
  await sql.run(
    `DELETE FROM searches WHERE account = ? AND id NOT IN (
       SELECT id FROM searches WHERE account = ? ORDER BY searched_at DESC, id DESC LIMIT ?)`,
    [account, account, SEARCHES_MOST],
  )
}

/** One of them, or all. */
export async function dropSearches(
  sql: Sql,
  args: { account: string; id: number | null },
): Promise<void> {
  if (args.id === null) await sql.run('DELETE FROM searches WHERE account = ?', [args.account])
  else await sql.run('DELETE FROM searches WHERE account = ? AND id = ?', [args.account, args.id])
}
