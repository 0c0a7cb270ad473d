/** Which wiki a collection is about. */
import { parseSpec } from '@minga/frontier'
import type { Sql } from '@minga/store'
import { readTask, wikiById, type SiteInfo } from '@minga/wiki'

export interface WikiOfCollection {
  wikiId: number
  key: string
  site: SiteInfo
}

export async function wikiOfId(sql: Sql, wikiId: number): Promise<WikiOfCollection | null> {
  const row = await wikiById(sql, { wikiId })
  return row && { wikiId, key: row.key, site: row.site }
}

/** Those of them that are known; a task's wiki is not until its siteinfo was read. */
export async function wikisOfCollections(
  sql: Sql,
  args: { ids: readonly number[] },
): Promise<[number, WikiOfCollection][]> {
  const found: [number, WikiOfCollection][] = []
  for (const id of args.ids) {
    const row = await sql.get<{ spec: string }>('SELECT spec FROM collections WHERE id = ?', [id])
    const about = row ? parseSpec(row.spec).wiki : null
    if (!about) continue
    const task = about.task === null ? null : await readTask(sql, { id: about.task })
    const wikiId = about.id ?? task?.wikiId ?? null
    const wiki = wikiId === null ? null : await wikiOfId(sql, wikiId)
    if (wiki !== null) found.push([id, wiki])
  }
  return found
}
