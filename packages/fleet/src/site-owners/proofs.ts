/**
 * Proofs that a user controls a host. A proof is opened with a token to publish; it is proven when
 * the token is found, and holds for a time. A published token is visible to everyone, so a user of
 * the proof also presents the secret that only its opener received.
 *
 * The file is fetched by one of the station's own devices, as any request: `claimFiles` hands it
 * out, `noteFile` receives its result. DNS is queried by the coordinator.
 */
import type { Sql } from '@minga/store'
import { NoSuchProof, ProofMissing } from './proof-errors.ts'
import { isInFile, isInRecords, PROOF_SCHEMES } from './proof-text.ts'

export type ProofPurpose = 'owner' | 'load-test'
export type ProofMethod = 'file' | 'dns'

const DAY_MS = 86_400_000
/** Enough time to reach the person who can change the site's DNS. */
const OPEN_MS = 7 * DAY_MS
/** Domains change hands; certificates are given for as long. */
const HOLDS_MS = 90 * DAY_MS
/** Lifetime of a request to check the file, when no device comes for it. */
const WANTED_MS = 10 * 60_000

export interface ProofView {
  id: string
  host: string
  purpose: ProofPurpose
  token: string
  openedAt: number
  /** Unproven: until when it may be proven; proven: until when it holds. */
  expiresAt: number
  provenAt: number | null
  provenBy: ProofMethod | null
  checkedAt: number | null
  /** The file is wanted or out: its answer will come. */
  isFileWanted: boolean
  /** What was found last, when it was not the token. */
  fileNote: string | null
  dnsNote: string | null
}

export interface OpenProofArgs {
  id: string
  /** A host's key as in `hosts.name`. */
  host: string
  purpose: ProofPurpose
  token: string
  secretHash: string
  now: number
}

export async function openProof(sql: Sql, args: OpenProofArgs): Promise<ProofView> {
  const { id, host, purpose, token, secretHash, now } = args
  await sql.run(
    `INSERT INTO site_proofs (id, host, purpose, token, secret_hash, opened_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    [id, host, purpose, token, secretHash, now, now + OPEN_MS],
  )
  return proofOf(sql, { id, secretHash, now })
}

interface ProofRow extends Omit<ProofView, 'isFileWanted'> {
  secret_hash: string
  file_wanted_at: number | null
}

const COLUMNS = `id, host, purpose, token, opened_at AS "openedAt", expires_at AS "expiresAt",
  proven_at AS "provenAt", proven_by AS "provenBy", checked_at AS "checkedAt",
  file_note AS "fileNote", dns_note AS "dnsNote", secret_hash, file_wanted_at`

interface ProofKey {
  id: string
  secretHash: string
  now: number
}

export async function proofOf(sql: Sql, args: ProofKey): Promise<ProofView> {
  const row = await sql.get<ProofRow>(`SELECT ${COLUMNS} FROM site_proofs WHERE id = ?`, [args.id])
  // Both are hashes of random secrets, so the time of comparing them reveals nothing.
  if (!row || row.secret_hash !== args.secretHash || row.expiresAt <= args.now) {
    throw new NoSuchProof()
  }
  const { secret_hash: _hash, file_wanted_at: wantedAt, ...view } = row
  return { ...view, isFileWanted: wantedAt !== null && wantedAt > args.now - WANTED_MS }
}

/** Like `proofOf`, but the proof must be complete and of that purpose. */
export async function provenProof(
  sql: Sql,
  args: ProofKey & { purpose: ProofPurpose },
): Promise<ProofView & { provenBy: ProofMethod }> {
  const proof = await proofOf(sql, args)
  if (proof.purpose !== args.purpose) throw new NoSuchProof()
  const { provenBy } = proof
  if (provenBy === null) throw new ProofMissing(proof.host)
  return { ...proof, provenBy }
}

/** A user reports that the token is published: its file is to be checked. */
export async function wantFile(sql: Sql, args: ProofKey): Promise<ProofView> {
  await proofOf(sql, args)
  await sql.run(
    `UPDATE site_proofs SET file_wanted_at = ?, file_out_until = 0, file_note = NULL, checked_at = ?
     WHERE id = ?`,
    [args.now, args.now, args.id],
  )
  return proofOf(sql, args)
}

export interface ProofFile {
  id: string
  host: string
}

/** Takes files that are to be fetched; they come back by `noteFile` or by time. */
export async function claimFiles(
  sql: Sql,
  args: { now: number; outMs: number; limit: number },
): Promise<ProofFile[]> {
  const { now } = args
  const files = await sql.all<ProofFile>(
    `SELECT id, host FROM site_proofs
     WHERE file_wanted_at IS NOT NULL AND file_wanted_at > ? AND file_out_until <= ?
     ORDER BY file_wanted_at LIMIT ?${sql.forUpdateSkipLocked}`,
    [now - WANTED_MS, now, args.limit],
  )
  for (const { id } of files) {
    await sql.run(
      'UPDATE site_proofs SET file_out_until = ?, file_left = ?, file_note = NULL WHERE id = ?',
      [now + args.outMs, PROOF_SCHEMES.length, id],
    )
  }
  return files
}

/** A file came back from one of the schemes: its text, or why there is none. */
export async function noteFile(
  sql: Sql,
  args: { id: string; text: string | null; note: string; now: number },
): Promise<void> {
  const { id, text, now } = args
  const row = await sql.get<{ token: string }>('SELECT token FROM site_proofs WHERE id = ?', [id])
  if (!row) return
  if (text !== null && isInFile(row.token, text)) return markProven(sql, { id, by: 'file', now })
  await sql.run(
    `UPDATE site_proofs SET file_left = file_left - 1, checked_at = ?,
       file_wanted_at = CASE WHEN file_left > 1 THEN file_wanted_at ELSE NULL END,
       file_note = CASE WHEN file_note IS NULL THEN ? ELSE file_note || '; ' || ? END
     WHERE id = ?`,
    [now, args.note, args.note, id],
  )
}

/** What DNS said, asked by the caller; `note` says what is missing when it is not there. */
export async function noteRecords(
  sql: Sql,
  args: { id: string; records: readonly string[]; note: string; now: number },
): Promise<void> {
  const { id, records, now } = args
  const row = await sql.get<{ token: string }>('SELECT token FROM site_proofs WHERE id = ?', [id])
  if (!row) return
  if (isInRecords(row.token, records)) return markProven(sql, { id, by: 'dns', now })
  await sql.run('UPDATE site_proofs SET dns_note = ?, checked_at = ? WHERE id = ?', [
    args.note,
    now,
    id,
  ])
}

/** DNS speaks for more than a file does and is not replaced by one, but not for load tests. */
async function markProven(
  sql: Sql,
  { id, by, now }: { id: string; by: ProofMethod; now: number },
): Promise<void> {
  await sql.run(
    `UPDATE site_proofs SET proven_at = ?, expires_at = ?, checked_at = ?,
       proven_by = CASE WHEN proven_by = 'dns' AND purpose <> 'load-test' THEN proven_by ELSE ? END,
       file_wanted_at = CASE WHEN ? = 'file' THEN NULL ELSE file_wanted_at END
     WHERE id = ?`,
    [now, now + HOLDS_MS, now, by, by, id],
  )
}

/** Whether anyone's proof for this host holds now. */
export async function isHostProven(
  sql: Sql,
  args: { host: string; purpose: ProofPurpose; now: number },
): Promise<boolean> {
  const row = await sql.get(
    `SELECT 1 AS one FROM site_proofs
     WHERE host = ? AND purpose = ? AND proven_at IS NOT NULL AND expires_at > ?`,
    [args.host, args.purpose, args.now],
  )
  return row !== undefined
}

/** Forgets what has expired; answers how many. */
export function sweepProofs(sql: Sql, args: { now: number }): Promise<number> {
  return sql.run('DELETE FROM site_proofs WHERE expires_at <= ?', [args.now])
}
