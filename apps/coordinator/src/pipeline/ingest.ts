/**
 * Steps 6 to 9 inside one transaction: check fences, append bytes, index them, end the
 * requests, move the clocks, queue what was found, learn from visits. Either all of it is durable or none.
 */
import { noteAnswers, noteResults, type PageFacts } from '@minga/fleet'
import {
  acceptResults,
  announceDone,
  answerRequests,
  noteOutcomes,
  settle,
  type Accepted,
  type Verdict,
} from '@minga/frontier'
import type { GuardPolicy } from '@minga/net'
import { faultPoint, UnknownAgent, type Result } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { requestItems } from '../agents/request-items.ts'
import { extract } from '../collect/extract.ts'
import { findOriginals, isRevisit, keepCaptures, type Originals } from './keep-captures.ts'
import { noteUpload, type UploadNotes } from '../lake/feed/note-upload.ts'
import { archiveOfClient } from '../clients/archive-of-client.ts'
import { payFetched, type Prices } from '../clients/paid-requests.ts'
import { hearProofFiles } from '../site-services/proof-files.ts'
import { hearLooks } from '../site-services/neutrality/looks.ts'
import { hearAudits } from '../agents/trust/audits.ts'
import { chooseDeliveries, paidDevice, type Sender } from '../agents/trust/deliveries.ts'
import type { FoundLinks, Positions } from '../collect/found-links.ts'
import { noteVisits } from '../watch/visits/note-visits.ts'
import type { Reading } from '../watch/visits/read-visits.ts'
import { noteWiki } from '../wiki/read/note-wiki.ts'
import type { WikiReading } from '../wiki/read/read-wiki-answers.ts'

export interface IngestArgs {
  /** New for every upload: names what is paid for it. */
  id: string
  /** The run of an agent's program that sent them. */
  boot: string | null
  results: Result[]
  found: FoundLinks[]
  members: Uint8Array
  /** Of the whole upload, as it was received. */
  uploadBytes?: number
  now: number
  /** Found URLs that the address guard refuses, with the code of the refusal. */
  refusals: Record<string, string>
  guard: GuardPolicy
  /** Facts of results that may be audited or are an audit's, with their positions. */
  pages: [number, PageFacts][]
  /** What visits of watched pages saw, by position. */
  readings?: [number, Reading][]
  /** Known to this station only: by it results are drawn for audits. */
  secret: string
  prices: Prices
  /** The share of a proven device's results that is audited. */
  auditFloor?: number
  /** The share of agreements that the station's own devices check. */
  recheckShare?: number
  /** JSON of the station's filter, if it has one. */
  filter?: string
  /** Positions of the pages that a filter does not want, by what they say. */
  unwanted?: number[]
  /** What wikis answered, and what their requests come to by it, by position. */
  wikiReadings?: [number, WikiReading][]
  verdicts?: [number, Verdict][]
  /** What goes into the lake's tables, packed. */
  notes?: UploadNotes
}

export interface IngestAnswer {
  accepted: number
  stale: number
  /** Positions of the results all of whose links the seen-set knows now; a stale one's are lost. */
  learnt: number[]
  /** Collections whose scope grew because a seed was redirected. */
  grown: number[]
  /** Positions of the results that were fetched for a lease of the sender. */
  fetched: number[]
  /** Positions of those that are pages of a crawl: each once in it. */
  pages: number[]
}

export async function ingest(sql: Sql, sent: IngestArgs): Promise<IngestAnswer> {
  const { results, originals } = await findOriginals(sql, sent.results)
  const args = { ...sent, results }
  const unwanted = new Set(args.unwanted?.map((position) => args.results[position]!))
  const verdicts = verdictsOf(args, originals)
  const { accepted, stale } = await acceptResults(sql, { ...args, unwanted, verdicts })
  const { id, refusals, now } = args
  const sender = await senderOf(sql, args.boot)
  const positions = positionsOf(args.results)
  const judging = { ...args, accepted, positions, sender, pages: new Map(args.pages) }
  faultPoint('ingest:before-append')
  const { duplicates, results: kept } = await keepCaptures(sql, {
    accepted: accepted.filter((item) => isKept(item, sender)),
    results: args.results,
    members: args.members,
    originals,
    by: { device: sender?.device ?? null, isVerified: sender?.isTrusted ?? true },
  })
  faultPoint('ingest:after-append')
  await settle(sql, { accepted, now, duplicates })
  const deliveries = await chooseDeliveries(sql, judging)
  const { learnt, grown } = await extract(sql, { ...args, ...deliveries, accepted, positions })
  // After what they led to: whoever hears that a page is done has heard of its links.
  await announceDone(sql, accepted)
  const device = sender?.device ?? null
  const archiveOf = (client: string): Promise<Sql> => archiveOfClient(sql, client)
  const answering = { accepted, device, ...deliveries, refusals, archiveOf, now }
  const ended = await answerRequests(sql, answering)
  await noteAnswers(sql, { answers: ended, now })
  await hearAudits(sql, judging)
  await hearProofFiles(sql, judging)
  await hearLooks(sql, judging)
  await noteVisits(sql, { ...judging, readings: args.readings ?? [] })
  await noteWiki(sql, { ...args, accepted, positions })
  if (device !== null) {
    const { uploadBytes = 0 } = args
    await noteResults(sql, { device, items: requestItems(accepted), uploadBytes, now })
  }
  await payFetched(sql, { id, at: now, ended, device: await paidDevice(sql, sender) })
  if (args.notes)
    await noteUpload(sql, { accepted, positions, notes: args.notes, kept, device, now })
  // Last: load rows are locked after all others.
  await noteOutcomes(sql, { device, accepted })
  faultPoint('ingest:before-commit')
  return { accepted: accepted.length, stale, learnt, grown, ...placesOf(accepted, positions) }
}

/** Of a revisit whose payload was taken down since it was sent for nothing could be shown: it is asked for again, whole. */
const LOST: Verdict = { type: 'again', pauseMs: 0, code: 'MINGA_BAD_RECORD' }

function verdictsOf(args: IngestArgs, originals: Originals): Map<Result, Verdict> {
  const lost = args.results.filter((result) => isRevisit(result) && !originals.has(result))
  const given = args.verdicts?.map(([i, verdict]) => [args.results[i]!, verdict] as const) ?? []
  return new Map([...lost.map((result) => [result, LOST] as const), ...given])
}

/** What the graph of the crawl learns from. Visits and clients' requests are of no page found by a link. */
function placesOf(
  accepted: readonly Accepted[],
  positions: Positions,
): Pick<IngestAnswer, 'fetched' | 'pages'> {
  const fetched = accepted.filter(({ result }) => result.type === 'captured')
  const pages = fetched.filter(
    ({ decision, url, spec }) =>
      decision.type === 'captured' &&
      decision.isPage &&
      url?.kind === 'page' &&
      spec.kind !== 'audits',
  )
  const positionOf = ({ result }: Accepted): number => positions.get(result)!
  return { fetched: fetched.map(positionOf), pages: pages.map(positionOf) }
}

/** A stranger's second opinion is heard, not kept: of a page that is known already, the newest
 * capture in the archive would be that of whoever is being tested. */
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

function positionsOf(results: readonly Result[]): Positions {
  return new Map(results.map((result, i) => [result, i]))
}
