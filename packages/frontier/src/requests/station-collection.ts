/**
 * Collections of the station's own. All clients' requests are URLs of one (`requests`): agents
 * cannot tell clients apart, requests of several clients travel in one block, and two clients who
 * want the same URL cost one fetch. Second opinions are URLs of the other (`audits`).
 */
import { collectionSpec } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { nextIds } from '../sequences.ts'

/** Answers its id; opens it at the first use, and follows the station's delay. */
export async function stationCollection(
  sql: Sql,
  args: StationKind & { now: number },
): Promise<number> {
  const { kind } = args
  const spec = specOf(args)
  const known = await sql.get<{ id: number; spec: string }>(
    'SELECT id, spec FROM collections WHERE identity = ?',
    [kind],
  )
  if (known) {
    if (known.spec !== spec) {
      await sql.run('UPDATE collections SET spec = ? WHERE id = ?', [spec, known.id])
    }
    return known.id
  }
  const id = await nextIds(sql, 'collection')
  // Two coordinators may open it together: one of them does, both go on with what is there.
  await sql.insertMany({
    table: 'collections',
    columns: ['id', 'identity', 'visibility', 'spec', 'state', 'created_at'],
    // What one client asked for is none of the others' business.
    rows: [[id, kind, 'private', spec, 'running', args.now]],
    onConflict: 'ignore',
  })
  const opened = await sql.get<{ id: number }>('SELECT id FROM collections WHERE identity = ?', [
    kind,
  ])
  return opened!.id
}

interface StationKind {
  kind: 'requests' | 'audits'
  delayMs: number
}

function specOf({ kind, delayMs }: StationKind): string {
  return JSON.stringify(
    collectionSpec.parse({
      kind,
      seeds: [],
      scope: 'page',
      delayMs,
      sitemaps: false,
      embeds: false,
      trapBudget: false,
    }),
  )
}

/** What is queued already follows a new delay too, from its next lease on. */
export async function followDelay(sql: Sql, args: { delayMs: number }): Promise<void> {
  for (const kind of ['audits', 'requests'] as const) {
    await sql.run('UPDATE collections SET spec = ? WHERE identity = ?', [
      specOf({ kind, delayMs: args.delayMs }),
      kind,
    ])
  }
}
