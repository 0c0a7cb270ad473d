/** What a coordinator asks of the frontier about filters, and around their changes. */
import { SILENCE_MS } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { factsAt, type WhereFacts } from './host-facts.ts'
import { filterIn } from './read-filter.ts'
import { lockFilters, recallUnwanted } from './recall.ts'

/** When a station starts: it may have been given another filter than agents got their work by. */
export async function recallFiltered(
  sql: Sql,
  args: { filter: string | null; now: number },
): Promise<string[]> {
  await lockFilters(sql)
  const station = filterIn(args.filter)
  return recallUnwanted(sql, { station, collectionId: null, now: args.now })
}

/** Whether all of these boots were heard after an instant, and so know what they lost, or are gone:
 * a silent one stops dialling by itself. */
export async function heardSince(
  sql: Sql,
  args: { boots: readonly string[]; since: number; now: number },
): Promise<boolean> {
  for (const boot of args.boots) {
    const agent = await sql.get<{ last_beat_at: number }>(
      'SELECT last_beat_at FROM agents WHERE boot = ?',
      [boot],
    )
    if (!agent || agent.last_beat_at > args.since) continue
    if (agent.last_beat_at > args.now - SILENCE_MS) return false
  }
  return true
}

/** Where a host is, if a filter asked recently. */
export async function factsOfHost(
  sql: Sql,
  args: { host: string; now: number },
): Promise<WhereFacts | null> {
  const row = await sql.get<{ id: number }>('SELECT id FROM hosts WHERE name = ?', [args.host])
  return row ? factsAt(sql, { hostId: row.id, now: args.now }) : null
}
