import type { Sql } from '@minga/store'

/** Takes `count` consecutive ids and answers the first. Durable, so a fence grows over restarts. */
export async function nextIds(
  sql: Sql,
  name: 'collection' | 'host' | 'fence' | 'request' | 'outbox',
  count = 1,
): Promise<number> {
  const row = await sql.get<{ value: number }>(
    'UPDATE sequences SET value = value + ? WHERE name = ? RETURNING value',
    [count, name],
  )
  return row!.value - count + 1
}
