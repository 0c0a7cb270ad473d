/** Which revisions were hidden since the archive was last looked through for them, and where to look. */
import { parseSpec } from '@minga/frontier'
import type { CaptureRow } from '@minga/protocol'
import type { Sql } from '@minga/store'
import type { SiteInfo } from '@minga/wiki'
import { CAPTURE_COLUMNS } from '../archive/captures/captures.ts'
import { readFact } from '../station/station-facts.ts'
import { wikiOfId } from './wiki-of-collection.ts'

export interface HiddenRevisions {
  wikiId: number
  key: string
  site: SiteInfo
  /** To be written to `factOf` once the archive holds none of them. */
  upTo: number
  revisions: { revId: number; fields: string[] }[]
  /** Collections whose answers are kept as WARC. */
  collections: number[]
}

export const factOf = (wikiId: number): string => `wiki hidden ${wikiId}`

/** Of every wiki that has any. */
export async function hiddenRevisions(sql: Sql): Promise<HiddenRevisions[]> {
  const wikis = await sql.all<{ id: number; entombed: number }>(
    'SELECT id, entombed FROM wikis WHERE entombed > 0 ORDER BY id',
  )
  const found: HiddenRevisions[] = []
  for (const { id, entombed } of wikis) {
    const seen = Number((await readFact(sql, { name: factOf(id) })) ?? 0)
    const wiki = entombed > seen ? await wikiOfId(sql, id) : null
    if (wiki === null) continue
    const rows = await sql.all<{ rev_id: number; fields: string }>(
      'SELECT rev_id, fields FROM wiki_purges WHERE wiki_id = ? AND number > ?',
      [id, seen],
    )
    const revisions = rows.map((row) => ({ revId: row.rev_id, fields: row.fields.split(',') }))
    found.push({ ...wiki, upTo: entombed, revisions, collections: await keptOf(sql, id) })
  }
  return found
}

async function keptOf(sql: Sql, wikiId: number): Promise<number[]> {
  const rows = await sql.all<{ id: number; spec: string }>(
    `SELECT DISTINCT c.id, c.spec FROM wiki_tasks t JOIN collections c ON c.id = t.collection_id
     WHERE t.wiki_id = ? ORDER BY c.id`,
    [wikiId],
  )
  return rows.filter(({ spec }) => parseSpec(spec).wiki?.keepWarc).map(({ id }) => id)
}

export async function wikiCaptures(
  sql: Sql,
  args: { collectionId: number; afterId: number; limit: number },
): Promise<CaptureRow[]> {
  return sql.all<CaptureRow>(
    `SELECT ${CAPTURE_COLUMNS} FROM captures c WHERE collection_id = ? AND id > ? ORDER BY id LIMIT ?`,
    [args.collectionId, args.afterId, args.limit],
  )
}
