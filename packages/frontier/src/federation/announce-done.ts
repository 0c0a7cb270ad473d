/** What has ended here with an answer, or without one for good, is reported to the keeper. */
import type { Sql } from '@minga/store'
import type { Accepted } from '../settle/accept.ts'
import { Owners } from './owners.ts'
import { journalDone } from './send-urls.ts'

export async function announceDone(sql: Sql, accepted: readonly Accepted[]): Promise<void> {
  const ended = accepted.filter(
    ({ isFederated, url, decision }) =>
      isFederated && url !== null && url.kind !== 'robots' && ENDS.has(decision.type),
  )
  if (ended.length === 0) return
  const owners = await Owners.read(sql)
  if (owners === null) return
  for (const [collectionId, list] of Map.groupBy(ended, ({ lease }) => lease.collection_id)) {
    await journalDone(sql, { owners, collectionId, done: list.map(({ url }) => url!.url) })
  }
}

const ENDS: ReadonlySet<string> = new Set(['captured', 'failed', 'denied'])
