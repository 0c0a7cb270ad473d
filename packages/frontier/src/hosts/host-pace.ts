/** The collection's part of a host's delay, from and to the rows (the rules are in politeness.ts). */
import type { CollectionSpec } from '@minga/protocol'
import type { Sql } from '@minga/store'
import type { HostLease } from '../settle/accept.ts'
import type { HostMood } from './host-clock.ts'
import { paceAfter, politeDelayMs, type Pace, type PacedAnswer } from './politeness.ts'

export interface PaceRow {
  found: number
  last_ms: number
  pace_ms: number
  first_byte_ms: number
  good_answers: number
  backoff_ms: number
}

export function collectionDelayMs(
  { spec, mostFound }: { spec: CollectionSpec; mostFound: number },
  row: PaceRow,
): number {
  return politeDelayMs(spec.politeness, {
    ...paceIn(row),
    delayMs: spec.delayMs,
    delayMinMs: spec.delayMinMs,
    pages: row.found,
    pagesMax: mostFound,
    goodAnswers: row.good_answers,
    backoffMs: row.backoff_ms,
  })
}

function paceIn(row: Pick<PaceRow, 'last_ms' | 'pace_ms' | 'first_byte_ms'>): Pace {
  return { lastMs: row.last_ms, paceMs: row.pace_ms, firstByteMs: row.first_byte_ms }
}

/**
 * Notes what answers teach, and says how long the host must rest after them. A shorter delay comes with
 * the next lease alone; a longer one holds at once, so a site that complained never waits for it.
 */
export async function settlePace(
  sql: Sql,
  args: {
    lease: HostLease
    spec: CollectionSpec
    answers: readonly PacedAnswer[]
    mood: HostMood
  },
): Promise<number> {
  const { lease, spec, mood } = args
  if (spec.politeness === 'constant') return lease.delay_ms
  const row = await sql.get<PaceRow & { most_found: number }>(
    `SELECT h.found, h.last_ms, h.pace_ms, h.first_byte_ms, c.most_found
     FROM collection_hosts h JOIN collections c ON c.id = h.collection_id
     WHERE h.collection_id = ? AND h.host_id = ?`,
    [lease.collection_id, lease.host_id],
  )
  if (!row) return Math.max(lease.delay_ms, spec.delayMs)
  let pace = paceIn(row)
  for (const answer of args.answers) pace = paceAfter(pace, answer, spec)
  if (spec.politeness === 'density') await noteFound(sql, lease, row)
  else await savePace(sql, lease, pace)
  const after: PaceRow = {
    found: row.found,
    last_ms: pace.lastMs,
    pace_ms: pace.paceMs,
    first_byte_ms: pace.firstByteMs,
    good_answers: mood.goodAnswers,
    backoff_ms: mood.backoffMs,
  }
  return Math.max(lease.delay_ms, collectionDelayMs({ spec, mostFound: row.most_found }, after))
}

/** Here and not where URLs are found, which every collection would pay for: who is large is soon asked. */
async function noteFound(
  sql: Sql,
  lease: HostLease,
  { found, most_found: most }: { found: number; most_found: number },
): Promise<void> {
  if (found <= most) return
  await sql.run('UPDATE collections SET most_found = ? WHERE id = ? AND most_found < ?', [
    found,
    lease.collection_id,
    found,
  ])
}

async function savePace(sql: Sql, lease: HostLease, pace: Pace): Promise<void> {
  await sql.run(
    `UPDATE collection_hosts SET last_ms = ?, pace_ms = ?, first_byte_ms = ?
     WHERE collection_id = ? AND host_id = ?`,
    [pace.lastMs, pace.paceMs, pace.firstByteMs, lease.collection_id, lease.host_id],
  )
}
