/**
 * The files by which owners prove a host, fetched by the station's own devices like second opinions:
 * through the frontier, with the host's clock. They are asked for as a robots.txt is (alone, whole,
 * whatever robots.txt says): the owner wants it.
 */
import { claimFiles, noteFile, PROOF_PATH, PROOF_SCHEMES } from '@minga/fleet'
import { reserveDocuments, tagsOf, type Accepted } from '@minga/frontier'
import type { Result } from '@minga/protocol'
import type { Sql } from '@minga/store'

/** What a site's owner closes with; a proof is fetched despite it. */
export const OPTED_OUT = 'MINGA_SITE_OPTED_OUT'
export const PROOF_PREFIX = 'proof_'

/** Not back by then, another of our devices is asked. */
const FILE_OUT_MS = 60_000
const FILES_PER_ASK = 4

/** Puts wanted files among what this device can lease, if it is one of our own. */
export async function assignProofFiles(
  sql: Sql,
  args: { device: string; delayMs: number; now: number },
): Promise<void> {
  const { now } = args
  const wanted = await sql.get(
    'SELECT 1 AS one FROM site_proofs WHERE file_wanted_at IS NOT NULL LIMIT 1',
  )
  if (!wanted || !(await isOurs(sql, args.device))) return
  const files = await claimFiles(sql, { now, outMs: FILE_OUT_MS, limit: FILES_PER_ASK })
  const documents = files.flatMap(({ id, host }) =>
    PROOF_SCHEMES.map((scheme) => ({
      url: `${scheme}://${host}${PROOF_PATH}`,
      kind: 'robots' as const,
      tag: id,
    })),
  )
  const expiresAt = now + FILE_OUT_MS
  await reserveDocuments(sql, { ...args, documents, expiresAt, despite: OPTED_OUT })
}

async function isOurs(sql: Sql, device: string): Promise<boolean> {
  const row = await sql.get<{ is_trusted: number }>('SELECT is_trusted FROM devices WHERE id = ?', [
    device,
  ])
  // A device that is not enrolled is part of the station itself.
  return row === undefined || row.is_trusted === 1
}

/** Files among an upload. */
export async function recordProofFiles(
  sql: Sql,
  args: { accepted: readonly Accepted[]; now: number },
): Promise<void> {
  const items = args.accepted.filter(
    ({ spec, url, decision }) =>
      spec.kind === 'audits' &&
      url?.kind === 'robots' &&
      (decision.type === 'captured' || decision.type === 'failed'),
  )
  if (items.length === 0) return
  const tags = await tagsOf(
    sql,
    items.map(({ lease, result }) => ({
      collectionId: lease.collection_id,
      hostId: lease.host_id,
      hash: result.hash,
    })),
  )
  for (const [i, { result }] of items.entries()) {
    const id = tags[i]
    if (!id?.startsWith(PROOF_PREFIX)) continue
    const { text, note } = readFile(result)
    const scheme = result.type !== 'returned' && result.url.startsWith('https:') ? 'https' : 'http'
    await noteFile(sql, { id, text, note: `${scheme}: ${note}`, now: args.now })
  }
}

/** A redirect says nothing, wherever it leads: the file must lie on the host itself. */
function readFile(result: Result): { text: string | null; note: string } {
  if (result.type !== 'captured') {
    return { text: null, note: result.type === 'failed' ? result.code : 'returned' }
  }
  if (result.status !== 200) return { text: null, note: `HTTP ${result.status}` }
  const text = Buffer.from(result.body ?? '', 'base64').toString('utf8')
  return { text, note: 'HTTP 200, without the token' }
}
