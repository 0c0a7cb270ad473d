/** Second factors of accounts as they are stored; what a code proves is decided in one statement each. */
import type { SecondFactorView } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { SecondFactorOn } from './account-errors.ts'
import { readAccount } from './account-rows.ts'

export interface StoredTotp {
  /** Encrypted with the station's key. */
  secret: string
  /** Since when log-ins need a code; null: it is being set up. */
  confirmedAt: number | null
}

/** Until a code of it is shown, another one replaces it. */
export async function saveTotp(
  sql: Sql,
  args: { accountId: string; secret: string },
): Promise<void> {
  await readAccount(sql, args.accountId)
  const stored = await readTotp(sql, args)
  if (stored !== null && stored.confirmedAt !== null) throw new SecondFactorOn()
  await sql.run('DELETE FROM account_totp WHERE account_id = ?', [args.accountId])
  await sql.insertMany({
    table: 'account_totp',
    columns: ['account_id', 'secret', 'last_step'],
    rows: [[args.accountId, args.secret, 0]],
  })
}

export async function readTotp(sql: Sql, args: { accountId: string }): Promise<StoredTotp | null> {
  const row = await sql.get<StoredTotp>(
    'SELECT secret, confirmed_at AS "confirmedAt" FROM account_totp WHERE account_id = ?',
    [args.accountId],
  )
  return row ?? null
}

export interface ConfirmTotpArgs {
  accountId: string
  /** The secret that the code was checked with: of two that set it up together, one counts. */
  secret: string
  step: number
  /** Digests of the recovery codes. */
  hashes: readonly string[]
  now: number
}

/** False when it was confirmed or replaced in the meantime. */
export async function confirmTotp(sql: Sql, args: ConfirmTotpArgs): Promise<boolean> {
  const { accountId, now } = args
  const confirmed = await sql.run(
    `UPDATE account_totp SET confirmed_at = ?, last_step = ?
     WHERE account_id = ? AND secret = ? AND confirmed_at IS NULL`,
    [now, args.step, accountId, args.secret],
  )
  if (confirmed === 0) return false
  await sql.run('DELETE FROM account_recovery_codes WHERE account_id = ?', [accountId])
  await sql.insertMany({
    table: 'account_recovery_codes',
    columns: ['hash', 'account_id'],
    rows: args.hashes.map((hash) => [hash, accountId]),
  })
  return true
}

/** The update is the claim: a code that was shown once, or an older one, changes no row. */
export async function spendTotpStep(
  sql: Sql,
  args: { accountId: string; step: number },
): Promise<boolean> {
  const spent = await sql.run(
    'UPDATE account_totp SET last_step = ? WHERE account_id = ? AND last_step < ?',
    [args.step, args.accountId, args.step],
  )
  return spent > 0
}

export async function spendRecoveryCode(
  sql: Sql,
  args: { accountId: string; hash: string; now: number },
): Promise<boolean> {
  const spent = await sql.run(
    `UPDATE account_recovery_codes SET used_at = ?
     WHERE hash = ? AND account_id = ? AND used_at IS NULL`,
    [args.now, args.hash, args.accountId],
  )
  return spent > 0
}

/** False when there was none. */
export async function removeSecondFactor(sql: Sql, args: { accountId: string }): Promise<boolean> {
  await sql.run('DELETE FROM account_recovery_codes WHERE account_id = ?', [args.accountId])
  return (await sql.run('DELETE FROM account_totp WHERE account_id = ?', [args.accountId])) > 0
}

export async function readSecondFactor(
  sql: Sql,
  args: { accountId: string },
): Promise<SecondFactorView> {
  const stored = await readTotp(sql, args)
  const codes = await sql.get<{ count: number }>(
    'SELECT COUNT(*) AS count FROM account_recovery_codes WHERE account_id = ? AND used_at IS NULL',
    [args.accountId],
  )
  return { since: stored?.confirmedAt ?? null, recoveryCodes: codes?.count ?? 0 }
}
