/** The public keys with which devices sign their requests to sites, of those who may work. */
import type { BotSigningKey } from '@minga/protocol'
import type { Sql } from '@minga/store'

/** More would make a directory of megabytes; the latest that came are those at work. */
const KEYS_MAX = 10_000
const SECOND_MS = 1_000

/** Null: the device does not sign, or no more. */
export async function saveSigningKey(
  sql: Sql,
  args: { device: string; signing: BotSigningKey | null },
): Promise<void> {
  const { device, signing } = args
  await sql.run('UPDATE devices SET signing_key = ?, signing_proof = ? WHERE id = ?', [
    signing?.publicKey ?? null,
    signing && JSON.stringify(signing),
    device,
  ])
}

/** Of devices that are enrolled and neither revoked nor blocked nor under suspicion. */
export async function signingKeys(sql: Sql, args: { now: number }): Promise<BotSigningKey[]> {
  const rows = await sql.all<{ signing_proof: string }>(
    `SELECT d.signing_proof FROM devices d LEFT JOIN device_trust t ON t.device = d.id
     WHERE d.signing_key IS NOT NULL AND d.state <> 'revoked'
       AND (t.state IS NULL OR t.state = 'active')
     ORDER BY d.seen_at DESC, d.id LIMIT ${KEYS_MAX}`,
  )
  return rows
    .map((row) => JSON.parse(row.signing_proof) as BotSigningKey)
    .filter(({ expiresS }) => expiresS * SECOND_MS > args.now)
}
