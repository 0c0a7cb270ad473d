/** What a user wants gathered, as the command line, the API and the page all write it. */
import { z } from 'zod'
import { VISIBILITIES } from './sharing.ts'
import { POLITENESS, SCOPES, SEEDS_MAX } from './crawl-choices.ts'
import { extractSpec } from './extract-rules.ts'

/** What a collection of a wiki's requests is about. */
const wikiSpec = z.object({
  /** The wiki; null until its siteinfo was read. */
  id: z.number().int().nullable().default(null),
  /** The task it works for; null: it keeps a wiki fresh, and rests until a question is due. */
  task: z.number().int().nullable().default(null),
  /** Whether the answers are archived besides what is read from them. */
  keepWarc: z.boolean().default(false),
  /** Programs that use api.php follow its etiquette; robots.txt speaks to those that follow links. */
  robots: z.enum(['etiquette', 'obey']).default('etiquette'),
  /** Whether volunteers' proven devices may ask, too. */
  volunteers: z.boolean().default(false),
})

export const collectionSpec = z.object({
  /** Clients' requests and second opinions are collections of the station's own: no seeds, no
   * links, no end. A watch rests until a visit is due. A wiki's requests follow from one another. */
  kind: z.enum(['crawl', 'watch', 'requests', 'audits', 'wiki']).default('crawl'),
  seeds: z.array(z.string().min(1).max(8_192)).max(SEEDS_MAX),
  scope: z.enum(SCOPES).default('host'),
  include: z.array(z.string().max(1_000)).default([]),
  exclude: z.array(z.string().max(1_000)).default([]),
  maxPages: z.number().int().positive().nullable().default(null),
  maxDepth: z.number().int().min(0).nullable().default(null),
  maxBytes: z.number().int().positive().nullable().default(null),
  maxTimeS: z.number().positive().nullable().default(null),
  maxPagesPerHost: z.number().int().positive().nullable().default(null),
  maxBytesPerHost: z.number().int().positive().nullable().default(null),
  maxTimePerHostS: z.number().positive().nullable().default(null),
  /** Bandwidth on average: of the whole collection, and of any one host. */
  bytesPerSecondPerHost: z.number().int().positive().nullable().default(null),
  bytesPerSecond: z.number().int().positive().nullable().default(null),
  /** Politeness: by default one second between requests to a host. */
  delayMs: z.number().int().min(0).max(86_400_000).default(1_000),
  /** All but the first may shorten the delay of hosts that cope, never below `delayMinMs`. */
  politeness: z.enum(POLITENESS).default('constant'),
  delayMinMs: z.number().int().min(250).max(86_400_000).default(1_000),
  /** Requests in flight to one host at once; only hosts without a delay are asked so. */
  inFlightPerHost: z.number().int().min(1).max(16).default(1),
  /** Ask again this many times when an attempt fails in a way that may pass. */
  retries: z.number().int().min(0).max(20).default(2),
  sitemaps: z.boolean().default(true),
  embeds: z.boolean().default(true),
  obeyNofollow: z.boolean().default(false),
  trapBudget: z.boolean().default(true),
  /** What of it is wanted at all, as docs/routing.md describes; null: everything. */
  filter: z.record(z.string(), z.unknown()).nullable().default(null),
  /** What each capture tells, as a row of a table (docs/tables.md). */
  extract: extractSpec.optional(),
  /** Of the kind `wiki` only. */
  wiki: wikiSpec.nullable().default(null),
})
export type CollectionSpec = z.infer<typeof collectionSpec>

/**
 * A collection as the store has it. Limits of seeds are for requests: a row with more seeds, from before unions of
 * seeds had a limit, must not stop everything that reads it.
 */
export const storedCollectionSpec = collectionSpec.extend({ seeds: z.array(z.string()) })

/** What a user may request: a collection with seeds. */
export const collectionRequest = collectionSpec
  .omit({ kind: true, wiki: true })
  .extend({ seeds: collectionSpec.shape.seeds.min(1) })
export type CollectionRequest = z.input<typeof collectionRequest>

/** What to do when the same seeds and scope are a collection already. */
const EXISTING_CHOICES = ['continue', 'change', 'separate'] as const
export type ExistingChoice = (typeof EXISTING_CHOICES)[number]

/** A request to start collecting. Without a choice, one that would change an existing collection is refused. */
export const collectionStart = collectionRequest.extend({
  existing: z.enum(EXISTING_CHOICES).optional(),
  /** Who reads a new collection; one that is continued keeps what it has. */
  visibility: z.enum(VISIBILITIES).optional(),
})
export type CollectionStart = z.input<typeof collectionStart>

/** Settings by name, as they are and as they would be. */
export interface SettingsDifference {
  before: Record<string, unknown>
  after: Record<string, unknown>
}

/** The collection that a request would continue, and what that would change of it. */
export interface ExistingCollection {
  collection: CollectionStatus | null
  changes: SettingsDifference
}

const { shape } = collectionSpec

/** What may be changed of a collection while it runs; what is not named stays, so nothing has a default. */
export const collectionChange = z.strictObject({
  scope: shape.scope.unwrap().optional(),
  include: shape.include.unwrap().optional(),
  exclude: shape.exclude.unwrap().optional(),
  maxPages: shape.maxPages.unwrap().optional(),
  maxDepth: shape.maxDepth.unwrap().optional(),
  maxBytes: shape.maxBytes.unwrap().optional(),
  maxTimeS: shape.maxTimeS.unwrap().optional(),
  maxPagesPerHost: shape.maxPagesPerHost.unwrap().optional(),
  delayMs: shape.delayMs.unwrap().optional(),
  /** Added to the existing ones, even if another user changes them in the meantime. */
  addExclude: z.array(z.string().min(1).max(1_000)).max(100).optional(),
})
export type CollectionChange = z.infer<typeof collectionChange>

/** A change by a user, by the names of what was changed. */
export interface CollectionTrailView extends SettingsDifference {
  id: number
  at: number
  by: string
  undoneAt: number | null
  undoneBy: string | null
}

export type CollectionState = 'running' | 'paused' | 'finished' | 'cancelled'

/** Every accepted request ends in exactly one of these. */
export type Outcome = 'captured' | 'failed' | 'denied' | 'cancelled'

/** How a collection ended. `stopped`: a user ended it, or paused its watch, before all was done. */
export const COLLECTION_OUTCOMES = [
  'complete',
  'with-errors',
  'at-limit',
  'failed',
  'stopped',
] as const
export type CollectionOutcome = (typeof COLLECTION_OUTCOMES)[number]

/** What helps against a problem, by name, so that it can be said in other languages. */
export type ProblemAdvice =
  | 'allow-private'
  | 'other-address'
  | 'check-address'
  | 'check-server'
  | 'check-filter'
  | 'later'
  | 'robots'

/** The most frequent cause of what could not be captured, and what helps. */
export interface CollectionProblem {
  code: string
  /** The address that it was met at last; null when none was recorded. */
  url: string | null
  message: string
  remedy: string
  advice: ProblemAdvice
}

/** Kept by the store, row by row, and shown as they are. */
export interface CollectionCounts {
  found: number
  /** URLs without an outcome, those out with agents included. */
  queued: number
  leased: number
  pages: number
  captures: number
  bytes: number
  failed: number
  denied: number
  cancelled: number
  duplicates: number
  /** Links that a filter of the station or of the collection left out; they are not found. */
  filtered: number
  /** Links of pages that have more than are read of one page (10,000); they are not found. */
  linksDropped: number
}

export interface CollectionStatus extends CollectionCounts {
  id: number
  /** The account that started it; null for the station's own and for those from before owners. */
  owner: string | null
  state: CollectionState
  reason: string | null
  /** Null until it is finished. */
  outcome: CollectionOutcome | null
  /** Null unless it failed or finished with errors. */
  problem: CollectionProblem | null
  createdAt: number
  endedAt: number | null
  spec: CollectionSpec
  errors: Record<string, number>
}
