/** The wiki of the demo in the station: its dump first, then what is written there from now on. */
import type { DemoStage } from './demo-stage.ts'
import { demoWikiDump } from './demo-wiki-dump.ts'

export async function importWiki({ api, web, folder }: DemoStage): Promise<void> {
  if (web.wiki === null || folder.begunAt === null) return
  const dump = demoWikiDump(web.wiki, { origin: web.at('wiki', ''), until: folder.begunAt })
  const file = await folder.put('valleywiki.xml', dump)
  await api.post('/wikis/imports', { file })
}

const PAGES_READ = 6
const DELAY_MS = 250

/**
 * Some pages whole, as a user without a dump would request them: a task that can be watched. From then on
 * the station follows the wiki's recent changes by itself.
 */
export async function readWiki({ api, web }: DemoStage): Promise<void> {
  if (web.wiki === null) return
  const pages = web.wiki.pages.slice(0, PAGES_READ).map(({ title }) => title)
  await api.post('/wikis', { address: web.at('wiki', '/w/api.php'), pages, delayMs: DELAY_MS })
}
