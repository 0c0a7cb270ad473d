/**
 * What a user wants of a wiki, and its progress, as the command line, the API and the page write
 * it.
 */
import { z } from 'zod'

/** A title has at most 255 bytes; with the name of its namespace and escapes it is longer. */
const title = z.string().trim().min(1).max(2_000)

const TITLES_MAX = 100_000
/** As the etiquette of wikis allows. */
const IN_FLIGHT_MAX = 3
const DEPTH_MAX = 10

const limits = z.object({
  maxRequests: z.number().int().positive().nullable(),
  /** Bytes of all answers together. */
  maxBytes: z.number().int().positive().nullable(),
  maxTimeS: z.number().positive().nullable(),
  delayMs: z.number().int().min(0).max(86_400_000),
  /** More than one only where there is no delay. */
  inFlight: z.number().int().min(1).max(IN_FLIGHT_MAX),
})

export const wikiLimits = z.object({
  maxRequests: limits.shape.maxRequests.default(null),
  maxBytes: limits.shape.maxBytes.default(null),
  maxTimeS: limits.shape.maxTimeS.default(null),
  delayMs: limits.shape.delayMs.default(1_000),
  inFlight: limits.shape.inFlight.default(1),
})
export type WikiLimits = z.infer<typeof wikiLimits>

/** What is not named stays as it is; `wikiLimits.partial()` would put defaults there. */
export const wikiLimitChanges = limits.partial()

export const wikiRequest = wikiLimits.extend({
  /** An api.php, a page in any form, or a title; empty: the station's default wiki. */
  address: z.string().max(8_192).default(''),
  pages: z.array(title).max(TITLES_MAX).default([]),
  pageIds: z.array(z.number().int().positive()).max(TITLES_MAX).default([]),
  categories: z
    .array(z.object({ title, depth: z.number().int().min(0).max(DEPTH_MAX).default(0) }))
    .max(1_000)
    .default([]),
  namespaces: z.array(z.number().int().min(0)).max(1_000).default([]),
  /** Every page of every namespace. */
  all: z.boolean().default(false),
  /** The language of a title that comes without an address; null: the station's. */
  locale: z
    .string()
    .regex(/^[a-z]{2,}(-[a-z0-9]+)*$/i)
    .nullable()
    .default(null),
  keepWarc: z.boolean().default(false),
  robots: z.enum(['etiquette', 'obey']).default('etiquette'),
  volunteers: z.boolean().default(false),
})
export type WikiRequest = z.input<typeof wikiRequest>

export type WikiTaskState = 'waiting' | 'running' | 'done' | 'failed' | 'cancelled'

export interface WikiProgress {
  /** Answers that were read. */
  requests: number
  revisions: number
  /** Pages that were found to have something new, and those of them that are done. */
  pages: number
  pagesDone: number
  /** Pages that were found to have nothing new. */
  upToDate: number
  /** Titles that were asked for and that the wiki does not have; the first of them. */
  missing: string[]
  warnings: string[]
}

/** A request of a task that came to nothing. */
export interface WikiFailure {
  /** A title, or the number of a page, or the address that was asked. */
  page: string
  code: string
}

export interface WikiTaskView {
  id: number
  wiki: string | null
  kind: string
  state: WikiTaskState
  arguments: Record<string, unknown>
  priority: number
  attempts: number
  limits: Record<string, unknown>
  progress: WikiProgress
  error: string | null
  createdAt: number
  startedAt: number | null
  endedAt: number | null
  /** Requests that wait or are out. */
  queued: number
  failed: number
  /** The first of them. */
  failures: WikiFailure[]
}

/** How far the import of a dump is. */
export interface DumpImportView {
  id: number
  file: string
  state: 'waiting' | 'running' | 'done' | 'failed'
  /** The key of its wiki, once it is known. */
  wiki: string | null
  /** It was imported before: nothing was done. */
  already: boolean
  /** Bytes of the file. */
  position: number
  size: number
  /** Bytes of XML in it, unpacked; once it is read. */
  xmlBytes?: number
  pages: number
  revisions: number
  revisionsPerSecond: number
  /** What histories should have and have not. */
  gaps: number
  /** What could not be taken as it stands in the dump, by kind. */
  rejects: Record<string, number>
  /** The first of them. */
  examples: { code: string; line: number; message: string }[]
  error: { code: string; message: string } | null
}
