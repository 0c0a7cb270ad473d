/**
 * What may be removed from the disk. Files go first and the row says so afterwards: after a crash
 * in between they are removed once more, and nothing is forgotten while its files are there.
 *
 * A query that was done keeps its results for a while; what stages handed to each other goes at
 * once. All others keep nothing, from the moment at which the last lease is over. A worker that
 * slept through all of that may still write: its folder is then one of a query that has nothing any
 * more, which `strayQueries` finds.
 */
import type { Sql } from '@minga/store'
import type { Binding, Plan } from '../model.ts'
import { keptUntil } from './end-query.ts'
import { outputFiles, type QueryState } from './query-rows.ts'
import { queryFolder } from './resolve-task.ts'

export interface Garbage {
  id: string
  /** Below the lake's: everything in it may go … */
  folder: string
  /** … but these, by their names below the lake's folder. */
  keep: string[]
}

interface EndedRow {
  number: number
  id: string
  state: QueryState
  files: 'all' | 'results' | 'nothing'
  terms: string
  ended_at: number
}

export async function garbageOf(
  sql: Sql,
  { now, most }: { now: number; most: number },
): Promise<Garbage[]> {
  const due = await sql.all<EndedRow>(
    `SELECT number, id, state, files, terms, ended_at FROM lake_queries
     WHERE collect_at <= ? ORDER BY collect_at LIMIT ?`,
    [now, most],
  )
  const garbage: Garbage[] = []
  for (const row of due) {
    const keep = keepsResults(row) ? await filesToKeep(sql, row.number) : []
    garbage.push({ id: row.id, folder: queryFolder(row.id), keep })
  }
  return garbage
}

function keepsResults({ state, files }: EndedRow): boolean {
  return state === 'done' && files === 'all'
}

/** Results, and the unsorted rows that a slow client may still be reading. */
async function filesToKeep(sql: Sql, number: number): Promise<string[]> {
  const { results } = await readPlan(sql, number)
  const kept = results.flatMap(({ rows, file }) => [rows, file])
  const files: string[] = []
  for (const output of kept) {
    files.push(...(await outputFiles(sql, number, output)).map(({ file }) => file))
  }
  return [...new Set(files)]
}

async function readPlan(sql: Sql, number: number): Promise<Plan> {
  const row = await sql.get<{ plan: string }>('SELECT plan FROM lake_plans WHERE query = ?', [
    number,
  ])
  return JSON.parse(row!.plan) as Plan
}

/** What was asked and how it was done is remembered; every range and segment that was read is not. */
function withoutParts(plan: Plan): Plan {
  const inputs = Object.entries(plan.inputs).map(([name, { rules, binding }]) => {
    const slim: Binding =
      binding.kind === 'file'
        ? { ...binding, units: [] }
        : { ...binding, manifest: { ...binding.manifest, segments: [] } }
    return [name, { rules, binding: slim }]
  })
  return { ...plan, inputs: Object.fromEntries(inputs) as Plan['inputs'] }
}

/** The files that `garbageOf` named are gone. */
export async function noteCollected(
  sql: Sql,
  { id, now }: { id: string; now: number },
): Promise<void> {
  const row = await sql.get<EndedRow>(
    `SELECT number, id, state, files, terms, ended_at FROM lake_queries
     WHERE id = ? AND collect_at <= ?`,
    [id, now],
  )
  if (!row) return
  if (keepsResults(row)) {
    await sql.run(`UPDATE lake_queries SET files = 'results', collect_at = ? WHERE number = ?`, [
      keptUntil(row),
      row.number,
    ])
    return
  }
  await sql.run('DELETE FROM lake_outputs WHERE query = ?', [row.number])
  // The one that failed stays as long as its query is listed, so that the reason can be found
  // there.
  await sql.run(
    `DELETE FROM lake_tasks WHERE query = ? AND NOT (state = 'void' AND ended_at IS NOT NULL)`,
    [row.number],
  )
  await sql.run('UPDATE lake_plans SET plan = ? WHERE query = ?', [
    JSON.stringify(withoutParts(await readPlan(sql, row.number))),
    row.number,
  ])
  await sql.run(`UPDATE lake_queries SET files = 'nothing', collect_at = NULL WHERE number = ?`, [
    row.number,
  ])
}

/** Of folders that were found: those of queries that need nothing of them. */
export async function strayQueries(
  sql: Sql,
  { ids }: { ids: readonly string[] },
): Promise<string[]> {
  const rows = await sql.selectMany<{ files: string }>({
    table: 'lake_queries',
    keys: ['id'],
    rows: ids.map((id) => [id]),
    columns: ['files'],
  })
  return ids.filter((_, index) => (rows[index]?.files ?? 'nothing') === 'nothing')
}

/** Queries whose tasks may still commit. */
export async function livingQueries(sql: Sql): Promise<string[]> {
  const rows = await sql.all<{ id: string }>(`SELECT id FROM lake_queries WHERE state = 'running'`)
  return rows.map(({ id }) => id)
}

/** What was asked long ago, whose files are gone, is not listed any more. */
export async function forgetQueries(
  sql: Sql,
  { endedBefore, most }: { endedBefore: number; most: number },
): Promise<number> {
  const old = await sql.all<{ number: number }>(
    `SELECT number FROM lake_queries WHERE ended_at < ? AND files = 'nothing' LIMIT ?`,
    [endedBefore, most],
  )
  for (const { number } of old) {
    for (const table of ['lake_plans', 'lake_stages', 'lake_tasks', 'lake_rejects']) {
      await sql.run(`DELETE FROM ${table} WHERE query = ?`, [number])
    }
    await sql.run('DELETE FROM lake_queries WHERE number = ?', [number])
  }
  return old.length
}
