/**
 * The table `revisions`. The wiki room keeps histories in its own files, but titles are in the
 * store, rows of a file may be superseded, and the latest revisions are in no file yet: the lake
 * has a separate segment for each wiki, written when a user requests the table and the wiki has
 * changed.
 */
import { applySegments } from '@minga/lake/operations'
import type { LakeFiles, Segment, Tables } from '@minga/lake'
import { faultPoint, type Clock } from '@minga/protocol'
import type { Sql, Calls } from '@minga/store'
import type { Revisions } from '@minga/wiki'
import { rawState, takeTurn, writeCursor } from '../../archive/feed-state.ts'
import { systemChange } from './feed-operations.ts'
import { FEED_TABLES } from './feed-tables.ts'
import type { Operations } from '../../station/station-operations.ts'

/** What the lake has of a wiki. */
interface Written {
  state: string
  /** How many tombstones its rows honour; -1: some were not finished. */
  entombed: number
  file: string | null
}

type WrittenWikis = Record<string, Written>

interface WikiState {
  wikiId: number
  key: string
  state: string
  entombed: number
}

export interface RevisionsRead {
  turn: number
  written: WrittenWikis
  wikis: WikiState[]
}

const FEED = 'revisions'

export async function readRevisions(sql: Sql): Promise<RevisionsRead> {
  const { turn, cursor: written } = await rawState<WrittenWikis>(sql, FEED, {})
  const rows = await sql.all<
    Omit<WikiState, 'state'> & { version: number; changes: number; open: number }
  >(
    `SELECT id AS "wikiId", key, version, changes, entombed,
       (SELECT COUNT(*) FROM wiki_purges p WHERE p.wiki_id = wikis.id AND p.done_at IS NULL) AS "open"
     FROM wikis ORDER BY id`,
  )
  const wikis = rows.map(({ wikiId, key, version, changes, entombed, open }) => ({
    wikiId,
    key,
    state: `${version}.${changes}`,
    entombed: open > 0 ? -1 : entombed,
  }))
  return { turn, written, wikis }
}

export interface CommitRevisions {
  turn: number
  written: WrittenWikis
  add: Segment | null
  replaces: string[]
  writer: string
  now: number
}

export async function commitRevisions(sql: Sql, args: CommitRevisions): Promise<void> {
  const { turn, written, add, replaces, writer, now } = args
  await takeTurn(sql, FEED, turn)
  await writeCursor(sql, FEED, JSON.stringify(written))
  const change = systemChange(FEED, FEED_TABLES.revisions, add === null ? [] : [add])
  await applySegments(sql, { now, changes: [{ ...change, replaces, writer }] })
}

const SELECT = `SELECT wiki, page_id, ns, title, rev_id, parent_id, epoch_ms("at") AS "at", "user", user_id, editor,
  is_minor, size, lower(hex(sha1)) AS sha1, comment, tags, has_text, text_bytes
  FROM revisions ORDER BY page_id, rev_id`

interface Parts {
  store: Calls<Operations>
  clock: Pick<Clock, 'now'>
  tables: Tables
  files: LakeFiles
  revisions: Pick<Revisions, 'writeRows'>
}

/** Brings the table up to now. `hidden`: only the wikis that have hidden something since. */
export async function bringRevisions(parts: Parts, which: 'all' | 'hidden'): Promise<void> {
  for (;;) {
    const read = await parts.store.call('lakeReadRevisions', {})
    const due = read.wikis.find((wiki) => isDue(wiki, read.written[wiki.wikiId], which))
    if (due === undefined) return
    await bring(parts, read, due)
  }
}

function isDue(wiki: WikiState, written: Written | undefined, which: 'all' | 'hidden'): boolean {
  if (written === undefined) return which === 'all'
  return isHiding(wiki, written) || (which === 'all' && written.state !== wiki.state)
}

const isHiding = (wiki: WikiState, written: Written): boolean =>
  wiki.entombed >= 0 && wiki.entombed !== written.entombed

async function bring(parts: Parts, read: RevisionsRead, wiki: WikiState): Promise<void> {
  const { store, clock, tables } = parts
  const before = read.written[wiki.wikiId]
  const writing = await tables.beginWriting(FEED)
  try {
    const add = await write(parts, wiki, writing.folder)
    const { state, entombed } = wiki
    const file = add?.file ?? null
    await store.call('lakeCommitRevisions', {
      turn: read.turn,
      written: { ...read.written, [wiki.wikiId]: { state, entombed, file } },
      add,
      replaces: before?.file ? [before.file] : [],
      writer: writing.writer,
      now: clock.now(),
    } satisfies CommitRevisions)
  } finally {
    await writing.end()
  }
  if (before !== undefined && isHiding(wiki, before)) await tables.forgetOldVersions(FEED)
}

/** Null when there is none. */
async function write(
  { files, revisions }: Parts,
  { key }: WikiState,
  folder: string,
): Promise<Segment | null> {
  const name = '0.parquet'
  const [file, partial] = [`${folder}/${name}`, `${folder}/${name}.partial`]
  const target = { folder: files.at(folder), name: `${name}.partial` }
  const rows = await revisions.writeRows(key, { select: SELECT, ...target })
  if (rows === 0) {
    await files.remove(partial)
    return null
  }
  await files.settle(partial, file)
  faultPoint('lake:feed:after-write')
  return { file, rows, bytes: (await files.size(file))! }
}
