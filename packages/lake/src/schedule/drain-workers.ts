/**
 * Workers that finish what they have and take no more. Recorded for the process, not for its name:
 * the next process of that name was not asked to drain. In the store, so that every coordinator
 * obeys.
 */
import type { Sql } from '@minga/store'

const DAY_MS = 86_400_000
/** No process is that old; its row would stay for ever. */
const FORGOTTEN_MS = 90 * DAY_MS

export async function drainWorker(
  sql: Sql,
  { boot, now }: { boot: string; now: number },
): Promise<void> {
  await sql.run('DELETE FROM lake_drained WHERE at < ?', [now - FORGOTTEN_MS])
  await sql.run('INSERT INTO lake_drained (boot, at) VALUES (?, ?) ON CONFLICT (boot) DO NOTHING', [
    boot,
    now,
  ])
}

export async function resumeWorker(sql: Sql, { boot }: { boot: string }): Promise<void> {
  await sql.run('DELETE FROM lake_drained WHERE boot = ?', [boot])
}

export async function drainedWorkers(sql: Sql): Promise<string[]> {
  return (await sql.all<{ boot: string }>('SELECT boot FROM lake_drained')).map(({ boot }) => boot)
}

export async function isDrained(sql: Sql, boot: string): Promise<boolean> {
  return (await sql.get('SELECT 1 FROM lake_drained WHERE boot = ?', [boot])) !== undefined
}
