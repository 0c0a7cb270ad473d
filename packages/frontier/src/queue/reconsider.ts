/** What ended without a capture is queued again: it may come to something else now. */
import type { Sql } from '@minga/store'

export interface Reconsidered {
  id: number
  outcome: 'denied' | 'failed'
  /** Only what ended by this code; null: whatever the code is. */
  code: string | null
}

export async function reconsider(sql: Sql, { id, outcome, code }: Reconsidered): Promise<void> {
  const ofCode = code === null ? '' : 'AND code = ?'
  const where = `collection_id = ? AND outcome = ? ${ofCode}`
  const params = [id, outcome, ...(code === null ? [] : [code])]
  const ended = await sql.all<{ host_id: number; code: string | null; count: number }>(
    `SELECT host_id, code, COUNT(*) AS count FROM urls WHERE ${where} GROUP BY host_id, code`,
    params,
  )
  if (ended.length === 0) return
  await sql.run(
    `UPDATE urls SET outcome = NULL, code = NULL, status = NULL, attempts = 0, not_before = 0
     WHERE ${where}`,
    params,
  )
  let total = 0
  for (const { host_id, count } of ended) {
    total += count
    await sql.run(
      'UPDATE collection_hosts SET queued = queued + ? WHERE collection_id = ? AND host_id = ?',
      [count, id, host_id],
    )
  }
  await sql.run(
    `UPDATE collections SET queued = queued + ?, ${outcome} = ${outcome} - ? WHERE id = ?`,
    [total, total, id],
  )
  for (const met of new Set(ended.map((row) => row.code))) {
    await sql.run('DELETE FROM collection_errors WHERE collection_id = ? AND code = ?', [id, met])
  }
}
