/** Small facts about the station that must outlive a restart. */
import type { Sql } from '@minga/store'

export async function readFact(sql: Sql, args: { name: string }): Promise<string | null> {
  const row = await sql.get<{ value: string }>('SELECT value FROM station_facts WHERE name = ?', [
    args.name,
  ])
  return row?.value ?? null
}

export async function writeFact(sql: Sql, args: { name: string; value: string }): Promise<void> {
  await sql.insertMany({
    table: 'station_facts',
    columns: ['name', 'value'],
    rows: [[args.name, args.value]],
    onConflict: { keys: ['name'], update: ['value'] },
  })
}
