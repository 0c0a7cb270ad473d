/** Histories as the export XML of MediaWiki. */
import { writeDump } from '@minga/wiki'
import { attributionOf } from './attribution.ts'
import { chosenHistories, type ExportAsked } from './chosen-histories.ts'
import type { PageParts } from './find-page.ts'

/** Fails before its first piece when the wiki or a page is not here. */
export async function exportXml(
  parts: PageParts,
  wiki: string,
  asked: ExportAsked & { now: number },
): Promise<AsyncGenerator<Uint8Array>> {
  const { key, site } = await parts.revisions.wiki(wiki)
  const pages = await chosenHistories(parts, { key, asked, withText: true })
  return writeDump({ site, pages, attribution: attributionOf(site, asked.now) })
}
