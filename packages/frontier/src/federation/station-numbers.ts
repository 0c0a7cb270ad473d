/** Stations by small numbers, as rows of URLs that were sent to them name them. */
import type { Sql } from '@minga/store'

/** Those that have none yet get one, for ever. */
export async function numbersOf(
  sql: Sql,
  stations: readonly string[],
): Promise<Map<string, number>> {
  const numbers = await readNumbers(sql)
  for (const station of stations) {
    if (numbers.has(station)) continue
    // Another operation may take the number, or number the station, in this moment: then once more.
    await sql.run(
      `INSERT INTO station_numbers (station, number)
       SELECT ?, COALESCE(MAX(number), 0) + 1 FROM station_numbers WHERE true ON CONFLICT DO NOTHING`,
      [station],
    )
    return numbersOf(sql, stations)
  }
  return numbers
}

async function readNumbers(sql: Sql): Promise<Map<string, number>> {
  const rows = await sql.all<{ station: string; number: number }>(
    'SELECT station, number FROM station_numbers',
  )
  return new Map(rows.map(({ station, number }) => [station, number]))
}
