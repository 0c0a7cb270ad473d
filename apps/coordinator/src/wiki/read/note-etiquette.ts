/** Says once of each wiki that its robots.txt would have forbidden what the etiquette of wikis allows. */
import { isAllowedBy, readRobots, type Accepted } from '@minga/frontier'
import { hostKeyOf } from '@minga/net'
import type { Sql } from '@minga/store'
import { noteEvents } from '@minga/wiki'
import type { WikiOfCollection } from '../wiki-of-collection.ts'

interface Noting {
  wiki: WikiOfCollection
  item: Accepted
  now: number
}

const KIND = 'robots-passed-over'

/** Returns what the collector has to be notified of. */
export async function noteEtiquette(sql: Sql, { wiki, item, now }: Noting): Promise<string[]> {
  if (item.spec.wiki?.robots !== 'etiquette' || item.result.type === 'returned') return []
  const { url } = item.result
  const scheme = url.startsWith('https:') ? 'https' : 'http'
  const robots = await readRobots(sql, item.lease.host_id, scheme)
  if (robots === null || isAllowedBy(robots, url)) return []
  const { wikiId } = wiki
  const title = hostKeyOf(url)
  const known = await sql.get(
    'SELECT 1 AS one FROM wiki_events WHERE wiki_id = ? AND kind = ? AND title = ?',
    [wikiId, KIND, title],
  )
  if (known === undefined) {
    const event = { kind: KIND, at: now, logId: 0, pageId: null, title, details: { url } }
    await noteEvents(sql, { wikiId, events: [event], now })
  }
  return [`robots.txt of ${title} forbids api.php; the etiquette of wikis is followed instead.`]
}
