/**
 * What is known of an upload on its way through the pipeline. Its parts read and record what is theirs: they declare
 * the fields that they need and know nothing of this file; the compiler checks that what they are given has them.
 */
import type { PageFacts } from '@minga/fleet'
import type { Accepted, EndedRequest, Verdict } from '@minga/frontier'
import type { GuardPolicy } from '@minga/net'
import type { Result } from '@minga/protocol'
import type { Sender } from '../agents/trust/deliveries.ts'
import type { Prices } from '../clients/paid-requests.ts'
import type { FoundLinks } from '../collect/found-links.ts'
import type { UploadNotes } from '../lake/feed/note-upload.ts'
import type { Reading } from '../watch/visits/read-visits.ts'
import type { WikiReading } from '../wiki/read/read-wiki-answers.ts'

/** A result with everything known about it. */
export interface UploadItem {
  result: Result
  /** The WARC records of a capture, its own first. */
  members: readonly Uint8Array[]
  /** What its page points at. */
  found?: FoundLinks
  /** What a second fetch is compared with, if it may be audited or is an audit. */
  page?: PageFacts
  /** What the visit of a watched page saw. */
  visit?: Reading
  /** What a wiki answered. */
  wiki?: WikiReading
  /** What its request comes to by its body. */
  verdict?: Verdict
  /** A filter does not want the page, by what it says. */
  isUnwanted?: boolean
  /** Names its links among the notes of the upload. */
  linksKey?: number
}

/** What holds for all results of an upload. */
export interface UploadFrame {
  /** New for every upload: names what is paid for it. */
  id: string
  /** The run of an agent's program that sent them. */
  boot: string | null
  /** Of the whole upload, as it was received. */
  uploadBytes?: number
  now: number
  /** Found URLs that the address guard refuses, with the code of the refusal. */
  refusals: Record<string, string>
  guard: GuardPolicy
  /** Known to this station only: by it results are drawn for audits. */
  secret: string
  prices: Prices
  /** The share of a proven device's results that is audited. */
  auditFloor?: number
  /** The share of agreements that the station's own devices check. */
  recheckShare?: number
  /** JSON of the station's filter, if it has one. */
  filter?: string
  /** What goes into the lake's tables, packed. */
  notes?: UploadNotes
}

/** An upload whose results are settled. */
export interface IngestBatch extends UploadFrame {
  accepted: readonly (Accepted & UploadItem)[]
  sender: Sender | null
  /** Those that are in the archive now. */
  stored: ReadonlySet<Result>
  /** Requests of clients that it answered. */
  ended: readonly EndedRequest[]
}
