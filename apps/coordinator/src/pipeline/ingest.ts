/**
 * Steps 6 to 9 inside one transaction: check fences, append bytes, index them, end the
 * requests, move the clocks, queue what was found, learn from visits. Either all of it is durable or none.
 */
import { noteAnswers } from '@minga/fleet'
import {
  acceptResults,
  announceDone,
  answerRequests,
  noteOutcomes,
  settle,
  type Accepted,
  type EndedRequest,
  type Verdict,
} from '@minga/frontier'
import { BAD_RECORD, faultPoint, UnknownAgent, type Result } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { recordDeviceStatistics } from '../agents/request-items.ts'
import { recordAuditResults } from '../agents/trust/audits.ts'
import {
  chooseDeliveries,
  paySender,
  type Deliveries,
  type Sender,
} from '../agents/trust/deliveries.ts'
import { archiveOfClient } from '../clients/pseudonyms.ts'
import { extract, type Extracted } from '../collect/extract.ts'
import { noteUpload } from '../lake/feed/note-upload.ts'
import { recordMonitorResults } from '../site-services/neutrality/monitor-requests.ts'
import { recordProofFiles } from '../site-services/proof-files.ts'
import { noteVisits } from '../watch/visits/note-visits.ts'
import { noteWiki } from '../wiki/read/note-wiki.ts'
import type { IngestBatch, UploadFrame, UploadItem } from './ingest-batch.ts'
import {
  findOriginals,
  isRevisit,
  storeCaptures,
  type StoredCaptures,
  type StorableItem,
} from './store-captures.ts'

export interface IngestArgs extends UploadFrame {
  items: UploadItem[]
}

/** Threads do not share objects: results are named by their positions in the upload, here alone. */
export interface IngestAnswer {
  accepted: number
  stale: number
  /** Results all of whose links the seen-set knows now; a stale one's are lost. */
  learnt: number[]
  /** Collections whose scope grew because a seed was redirected. */
  grown: number[]
  /** Results that were fetched for a lease of the sender. */
  fetched: number[]
  /** Those that are pages of a crawl: each once in it. */
  pages: number[]
}

/** Who records what of a settled upload. Their order is part of the contract: rows are locked in it. */
const LISTENERS: readonly ((sql: Sql, batch: IngestBatch) => Promise<void>)[] = [
  recordAuditResults,
  recordProofFiles,
  recordMonitorResults,
  noteVisits,
  noteWiki,
  recordDeviceStatistics,
  paySender,
  noteUpload,
]

export async function ingest(sql: Sql, args: IngestArgs): Promise<IngestAnswer> {
  const { items: sent, ...frame } = args
  const { boot, now } = frame
  const items = (await findOriginals(sql, sent)).map(askAgainIfLost)
  const { accepted, stale } = await acceptResults(sql, { items, boot, now })
  const sender = await senderOf(sql, boot)
  const upload = { ...frame, accepted, sender }
  const { duplicates, results: stored } = await storeAccepted(sql, upload)
  await settle(sql, { accepted, now, duplicates })
  const deliveries = await chooseDeliveries(sql, upload)
  const extracted = await extract(sql, { ...upload, ...deliveries })
  // After its links are queued: a listener that receives a finished page has received its links before.
  await announceDone(sql, accepted)
  const ended = await answerClients(sql, { ...upload, ...deliveries })
  const batch: IngestBatch = { ...upload, stored, ended }
  for (const listener of LISTENERS) await listener(sql, batch)
  // Last: load rows are locked after all others.
  await noteOutcomes(sql, { device: sender?.device ?? null, accepted })
  faultPoint('ingest:before-commit')
  return { ...toAnswer(items, accepted, extracted), stale }
}

async function storeAccepted(
  sql: Sql,
  { accepted, sender }: { accepted: readonly StorableItem[]; sender: Sender | null },
): Promise<StoredCaptures> {
  faultPoint('ingest:before-append')
  const stored = await storeCaptures(sql, {
    accepted: accepted.filter((item) => isKept(item, sender)),
    by: { device: sender?.device ?? null, isVerified: sender?.isTrusted ?? true },
  })
  faultPoint('ingest:after-append')
  return stored
}

type AnswerArgs = Pick<IngestBatch, 'accepted' | 'sender' | 'refusals' | 'now'> & Deliveries

async function answerClients(
  sql: Sql,
  { sender, ...answering }: AnswerArgs,
): Promise<EndedRequest[]> {
  const device = sender?.device ?? null
  const archiveOf = (client: string): Promise<Sql> => archiveOfClient(sql, client)
  const ended = await answerRequests(sql, { ...answering, device, archiveOf })
  await noteAnswers(sql, { answers: ended, now: answering.now })
  return ended
}

/** Of a revisit whose payload was taken down since it was sent for nothing could be shown: it is asked for again, whole. */
const LOST: Verdict = { type: 'again', pauseMs: 0, code: BAD_RECORD }

function askAgainIfLost<T extends RevisitItem>(item: T): T {
  const isLost = isRevisit(item.result) && item.original === undefined
  return isLost && item.verdict === undefined ? { ...item, verdict: LOST } : item
}

type RevisitItem = UploadItem & Pick<StorableItem, 'original'>

/** What the graph of the crawl learns from. Visits and clients' requests are of no page found by a link. */
function toAnswer(
  items: readonly UploadItem[],
  accepted: readonly Accepted[],
  { learnt, grown }: Extracted,
): Omit<IngestAnswer, 'stale'> {
  const positions = new Map(items.map(({ result }, i) => [result, i]))
  const positionsOf = (results: readonly Result[]): number[] =>
    results.map((result) => positions.get(result)!)
  const fetched = accepted.filter(({ result }) => result.type === 'captured')
  const pages = fetched.filter(
    ({ decision, url, spec }) =>
      decision.type === 'captured' &&
      decision.isPage &&
      url?.kind === 'page' &&
      spec.kind !== 'audits',
  )
  return {
    accepted: accepted.length,
    learnt: positionsOf(learnt),
    grown,
    fetched: positionsOf(fetched.map(({ result }) => result)),
    pages: positionsOf(pages.map(({ result }) => result)),
  }
}

/** An untrusted device's second opinion is compared, not stored: the newest capture of a page in the archive would
 * otherwise be that of the device under test. */
function isKept({ spec, url }: Accepted, sender: Sender | null): boolean {
  return spec.kind !== 'audits' || url === null || (sender?.isTrusted ?? true)
}

/** Null when the boot is gone; nothing of it is accepted then. */
async function senderOf(sql: Sql, boot: string | null): Promise<Sender | null> {
  const row = await sql.get<{ device: string; owner: string | null; is_trusted: number | null }>(
    `SELECT a.device, d.owner, d.is_trusted FROM agents a LEFT JOIN devices d ON d.id = a.device
     WHERE a.boot = ?`,
    [boot],
  )
  // Revoked or swept a moment ago: it must say hello, and what it held has gone to others.
  if (!row && boot !== null) throw new UnknownAgent(boot)
  if (!row) return null
  const { device, owner, is_trusted: trusted } = row
  return { device, owner, isTrusted: trusted === 1 }
}
