/**
 * Is everything still there, and is it what it was? Reads every file of a wiki: packs frame by frame, each text
 * against the SHA-1 and size that the wiki stated, each history along its parents, and the counts.
 */
import { checkHistory, historyRowOf, type HistoryRow } from '../api/completeness.ts'
import { sentenceOf, type Gap } from '../api/gap.ts'
import type { WikiEventKind } from '../api/wiki-news.ts'
import { PackReader } from '../packs/pack-reader.ts'
import { verifyPack } from '../packs/verify-pack.ts'
import { base36OfSha1, sha1OfBase36 } from '../sha1-base36.ts'
import type { StoredRevision } from './batch.ts'
import type { RevisionStore } from './revision-store.ts'
import type { Revisions } from './revisions.ts'
import type { SegmentRow } from './segment-operations.ts'
import type { WikiRow } from './wiki-identity.ts'

export interface Verified {
  wiki: string
  pages: number
  revisions: number
  /** What histories should have and have not; explained ones are no fault. */
  gaps: (Gap & { sentence: string })[]
  /** What was here and is lost or changed: each a sentence. */
  damages: string[]
}

export async function verifyWiki(
  store: RevisionStore,
  revisions: Revisions,
  wiki: WikiRow,
): Promise<Verified> {
  const { wikiId, key } = wiki
  const manifest = await store.call('wikiManifest', { wikiId })
  const damages: string[] = []
  for (const segment of manifest.segments) damages.push(...(await damagesOf(store, segment)))
  const verified: Verified = { wiki: key, pages: 0, revisions: 0, gaps: [], damages }
  const { rows } = await revisions.sql(
    [key],
    'SELECT page_id FROM revisions GROUP BY page_id ORDER BY page_id',
    [],
    { rowsMax: Number.MAX_SAFE_INTEGER, timeMs: PATIENCE_MS },
  )
  for (const [pageId] of rows)
    await verifyPage(store, revisions, wiki, { pageId, verified } as Checked)
  return verified
}

const PATIENCE_MS = 600_000

interface Checked {
  pageId: number
  verified: Verified
}

async function verifyPage(
  store: RevisionStore,
  revisions: Revisions,
  { wikiId, key }: WikiRow,
  { pageId, verified }: Checked,
): Promise<void> {
  const rows: HistoryRow[] = []
  const lost = new Set<number>()
  const onLost = (revId: number, reason: string): void => {
    lost.add(revId)
    verified.damages.push(`The text of revision ${revId} cannot be read: ${reason}`)
  }
  for await (const revision of revisions.history(key, { pageId }, { withText: true, onLost })) {
    const row = historyRowOf(revision)
    // Lost here is a damage; a gap is what the wiki never gave.
    rows.push(lost.has(revision.revId) ? { ...row, hasText: true, textGaps: [] } : row)
    const digest = brokenDigest(revision)
    if (digest !== null) verified.damages.push(digest)
  }
  const events = await store.call('wikiListEvents', { wikiId, pageId })
  const found = checkHistory(rows, { pageId, events: events as { kind: WikiEventKind }[] })
  const gaps = await explained(store, found, { wikiId, pageId })
  verified.gaps.push(...gaps.map((gap) => ({ ...gap, sentence: sentenceOf(gap) })))
  verified.pages++
  verified.revisions += rows.length
  await verifyCount(store, verified, { wikiId, pageId, found: rows.length })
}

/** A merge is written down under the page that was merged away: who noted the gap knew of it. */
async function explained(
  store: RevisionStore,
  gaps: readonly Gap[],
  of: { wikiId: number; pageId: number },
): Promise<Gap[]> {
  if (gaps.length === 0) return []
  const noted = await store.call('wikiListGaps', of)
  return gaps.map((gap) => {
    const same = noted.find(({ kind, revId }) => kind === gap.kind && revId === gap.revId)
    const why = same?.explainedBy ?? null
    return { ...gap, explainedBy: gap.explainedBy ?? why }
  })
}

/** The two ways of writing a SHA-1 must lead to each other. */
function brokenDigest({ revId, sha1 }: StoredRevision): string | null {
  if (sha1 === null || sha1OfBase36(base36OfSha1(sha1)) === sha1) return null
  return `Revision ${revId} has a SHA-1 that is none: ${sha1}.`
}

/** Where nothing is pending, the page's own count must be that of its rows. */
async function verifyCount(
  store: RevisionStore,
  { damages }: Verified,
  { wikiId, pageId, found }: { wikiId: number; pageId: number; found: number },
): Promise<void> {
  const pending = await store.call('wikiPendingTotals', undefined)
  if (pending.some((one) => one.wikiId === wikiId)) return
  const [page] = await store.call('wikiPageRows', { wikiId, pageIds: [pageId] })
  if (page?.revisions === found) return
  damages.push(
    `Page ${pageId} should have ${page?.revisions ?? 0} revisions, and ${found} are here.`,
  )
}

async function damagesOf(store: RevisionStore, segment: SegmentRow): Promise<string[]> {
  const { wikiId, pack, rows, packBytes, rowsBytes } = segment
  const damages: string[] = []
  for (const [name, bytes] of [
    [pack, packBytes],
    [rows, rowsBytes],
  ] as const) {
    const size = await store.files.size(wikiId, name)
    if (size === null) damages.push(`The file ${name} is missing.`)
    else if (size !== bytes) damages.push(`The file ${name} has ${size} bytes, not ${bytes}.`)
  }
  if (damages.length > 0) return damages
  return packDamages(store.files.at(wikiId, pack), pack)
}

async function packDamages(path: string, name: string): Promise<string[]> {
  try {
    const reader = await PackReader.open(path)
    try {
      return (await verifyPack(reader)).map(({ message }) => `${name}: ${message}`)
    } finally {
      await reader.close()
    }
  } catch (error) {
    return [`${name}: ${error instanceof Error ? error.message : String(error)}`]
  }
}
