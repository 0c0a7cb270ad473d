/**
 * The index of texts in the store: one row for each different payload, the captures that have it, and its words, in
 * FTS5 on SQLite and as a `tsvector` on PostgreSQL. SQLite keeps no copy of what it indexed (`content=''`): the packed
 * text is kept once, for both databases, and is what excerpts are cut from.
 */
import type { OperationTable, Sql } from '@minga/store'
import { rawState, horizonOf, takeTurn, writeCursor } from '../feed-state.ts'
import { START, type Horizon, type IdCursor } from '../id-cursor.ts'
import { FEED, purgeTexts, renewForWords } from './forget-texts.ts'
import { isRead } from './page-words.ts'
import { countTexts, searchTexts } from './search-texts.ts'

export interface WaitingCapture {
  id: number
  url: string
  at: number
  title: string | null
  /** What is the same has the same. */
  digest: string
  /** Its text is in the index already. */
  isKnown: boolean
}

export interface ReadTexts {
  turn: number
  cursor: IdCursor
  horizon: Horizon | null
  /** All that were read, in order; most are not pages. */
  ids: number[]
  captures: WaitingCapture[]
  isCut: boolean
}

interface CaptureAt extends Omit<WaitingCapture, 'isKnown'> {
  hash: number
  status: number
  mime: string
}

async function readTexts(
  sql: Sql,
  { most, now }: { most: number; now: number },
): Promise<ReadTexts> {
  await renewForWords(sql)
  const { turn, cursor } = await rawState<IdCursor>(sql, FEED, START)
  // Before the rows: who had ended by then can be seen by what follows.
  const horizon = await horizonOf(sql, now)
  const holes = cursor.holes.map(() => ' OR id BETWEEN ? AND ?').join('')
  const found = await sql.all<CaptureAt>(
    `SELECT id, url, captured_at AS "at", title, digest, hash, status, mime FROM captures
     WHERE id > ?${holes} ORDER BY id LIMIT ?`,
    [cursor.last, ...cursor.holes.flatMap(({ from, to }) => [from, to]), most],
  )
  const pages = found.filter(isPage).map(({ id, url, at, title, digest }) => {
    return { id, url, at, title, digest: digest === '-' ? `-${id}` : digest }
  })
  const known = await idsOf(
    sql,
    pages.map(({ digest }) => digest),
  )
  const captures = pages.map((page, i) => ({ ...page, isKnown: known[i] !== undefined }))
  const ids = found.map(({ id }) => id)
  return { turn, cursor, horizon, ids, captures, isCut: found.length === most }
}

const NOT_MODIFIED = 304

/** What a visit found unchanged is the page again. A hash of 0 is a robots.txt. */
function isPage({ hash, status, mime }: CaptureAt): boolean {
  if (hash === 0) return false
  return status === NOT_MODIFIED || (status >= 200 && status < 300 && isRead(mime))
}

async function idsOf(sql: Sql, digests: readonly string[]): Promise<(number | undefined)[]> {
  const rows = await sql.selectMany<{ id: number }>({
    table: 'capture_texts',
    keys: ['digest'],
    rows: digests.map((digest) => [digest]),
    columns: ['id'],
  })
  return rows.map((row) => row?.id)
}

export interface NewText {
  digest: string
  bytes: Uint8Array
  words: string
}

export interface CommitTexts {
  turn: number
  cursor: IdCursor
  texts: readonly NewText[]
  /** Each capture with the digest of its text, which may be known or among the new ones. */
  captures: readonly (readonly [id: number, digest: string])[]
}

/** The texts are in the index, and their captures will not be read again: both, or neither. */
async function commitTexts(sql: Sql, args: CommitTexts): Promise<void> {
  await takeTurn(sql, FEED, args.turn)
  await writeCursor(sql, FEED, JSON.stringify(args.cursor))
  // FTS5 moves words about as it grows: what is taken down later must not be left in a page that is free.
  await sql.wipe({ keepsJournal: true })
  await putTexts(sql, args.texts)
  const ids = await idsOf(
    sql,
    args.captures.map(([, digest]) => digest),
  )
  await sql.insertMany({
    table: 'text_captures',
    columns: ['text_id', 'capture_id'],
    rows: args.captures.flatMap(([id], i) => (ids[i] === undefined ? [] : [[ids[i], id]])),
    onConflict: 'ignore',
  })
}

/** Numbered in the order in which their captures were kept: hits are shown by it. Who has the turn is alone here. */
async function putTexts(sql: Sql, texts: readonly NewText[]): Promise<void> {
  const known = await idsOf(sql, digestsOf(texts))
  const added = texts.filter((_, i) => known[i] === undefined)
  const isPostgres = sql.dialect === 'postgres'
  await sql.insertMany({
    table: 'capture_texts',
    columns: ['digest', 'bytes', ...(isPostgres ? ['words'] : [])],
    rows: added.map(({ digest, bytes, words }) => {
      return [digest, bytes, ...(isPostgres ? [vectorOf(words)] : [])]
    }),
  })
  if (isPostgres) return
  const ids = await idsOf(sql, digestsOf(added))
  await sql.insertMany({
    table: 'text_words',
    columns: ['rowid', 'words'],
    rows: added.map(({ words }, i) => [ids[i]!, words]),
  })
}

const digestsOf = (texts: readonly NewText[]): string[] => texts.map(({ digest }) => digest)

export interface TextsLeft {
  /** Captures that were read, and those that are pending. */
  indexed: number
  waiting: number
}

async function countWaiting(sql: Sql): Promise<TextsLeft> {
  const { cursor } = await rawState<IdCursor>(sql, FEED, START)
  const row = await sql.get<{ all: number; waiting: number }>(
    `SELECT COUNT(*) AS "all", COUNT(CASE WHEN id > ? THEN 1 END) AS waiting FROM captures`,
    [cursor.last],
  )
  return { indexed: row!.all - row!.waiting, waiting: row!.waiting }
}

export const textOperations = {
  readTexts,
  commitTexts,
  purgeTexts,
  searchTexts,
  countTexts,
  countWaiting,
} satisfies OperationTable

export type TextOperations = typeof textOperations

/** It notes no more places of one word. */
const PLACES_MOST = 255

/**
 * Words as PostgreSQL indexes them: `'casa':1,7 'verde':2`. Made here and not by `to_tsvector`,
 * whose division into words depends on the server's language.
 */
function vectorOf(words: string): string {
  const places = new Map<string, number[]>()
  words.split(' ').forEach((word, i) => {
    const known = places.get(word)
    if (known === undefined) places.set(word, [i + 1])
    else if (known.length < PLACES_MOST) known.push(i + 1)
  })
  return [...places].map(([word, at]) => `'${word}':${at.join(',')}`).join(' ')
}
