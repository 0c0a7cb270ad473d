/**
 * Export and import of watches. Problems of a line are reported with its number; the rest counts.
 */
import { canonicalUrl } from '@minga/net'
import { isMingaError, watchRequest, type Clock, type WatchCategoryView } from '@minga/protocol'
import type { Store } from '@minga/store'
import { z } from 'zod'
import { LoopTurns } from '../../station/loop-turns.ts'
import type { WatchQuery } from '../watch-rows.ts'
import type { WatchService, Watcher } from '../watch-service.ts'
import type { Operations } from '../../station/station-operations.ts'
import { csvOf, readCsv } from './csv-file.ts'
import { opmlOf, readOpml } from './opml-file.ts'
import type { EntriesPage } from './watch-entries.ts'
import type { FileFormat, FileProblem, ReadEntry, ReadFile, WatchEntry } from './watch-entry.ts'

const WRITERS: Record<FileFormat, (entries: readonly WatchEntry[]) => string> = {
  opml: opmlOf,
  csv: csvOf,
  json: jsonOf,
}
const READERS: Record<FileFormat, (text: string) => ReadFile> = {
  opml: readOpml,
  csv: readCsv,
  json: readJson,
}

const PAGE_WATCHES = 200
/** A longer list would not be read. */
const PROBLEMS_MAX = 1_000
/** Ten thousand feeds are a large list; each entry is judged and looked up. */
const ENTRIES_MAX = 20_000

export interface ImportedWatches {
  added: number[]
  /** Entries that are watched already. */
  skipped: number
  problems: FileProblem[]
}

export async function exportWatches(
  store: Store<Operations>,
  asked: Omit<WatchQuery, 'before' | 'limit'>,
  as: FileFormat,
): Promise<string> {
  const entries: WatchEntry[] = []
  for (let before: number | null = Number.MAX_SAFE_INTEGER; before !== null;) {
    const page: EntriesPage = await store.call('watchEntries', {
      ...asked,
      before,
      limit: PAGE_WATCHES,
    })
    entries.push(...page.entries)
    before = page.before
  }
  return WRITERS[as](entries.toReversed())
}

export async function importWatches(
  { store, watches, clock }: { store: Store<Operations>; watches: WatchService; clock: Clock },
  by: Watcher,
  file: { as: FileFormat; text: string },
): Promise<ImportedWatches> {
  const { entries: all, problems } = READERS[file.as](file.text)
  const entries = all.slice(0, ENTRIES_MAX)
  if (all.length > entries.length) problems.push(tooMany(all[entries.length]!.line))
  const imported: ImportedWatches = { added: [], skipped: 0, problems }
  const categories = await store.call('watchCategories', {})
  const twins = new Twins(store, by.accountId)
  const turns = new LoopTurns(clock)
  for (const entry of entries) {
    // Entries that are wrong wait for nothing else.
    await turns.offer()
    try {
      const request = watchRequest.parse(withCategory(entry, categories).request)
      if (await twins.hasOneFor(request)) imported.skipped++
      else imported.added.push((await watches.create(by, request)).id)
    } catch (error) {
      problems.push(problemOf(entry.line, error))
    }
  }
  problems.sort((a, b) => a.line - b.line)
  problems.splice(PROBLEMS_MAX)
  return imported
}

function tooMany(line: number): FileProblem {
  const message = `Only the first ${ENTRIES_MAX} entries are read; import the others from a file of their own.`
  return { line, code: 'MINGA_BAD_WATCH_FILE', message }
}

/**
 * Which entries were watched before the import, each watch standing for one of them: a page may be watched twice, for
 * different parts of it, and so it comes back.
 */
class Twins {
  readonly #store: Store<Operations>
  readonly #owner: string
  readonly #left = new Map<string, number>()

  constructor(store: Store<Operations>, owner: string) {
    this.#store = store
    this.#owner = owner
  }

  async hasOneFor({ name, subject, urls }: z.output<typeof watchRequest>): Promise<boolean> {
    const url = canonicalUrl(urls[0]!)
    if (name === undefined || url === null) return false
    const asked = { owner: this.#owner, name, subject, url }
    const key = JSON.stringify(asked)
    const left = this.#left.get(key) ?? (await this.#store.call('timesWatched', asked))
    this.#left.set(key, Math.max(0, left - 1))
    return left > 0
  }
}

/** A folder that is called like a category is one. */
function withCategory(entry: ReadEntry, categories: readonly WatchCategoryView[]): ReadEntry {
  if (entry.request.category !== undefined) return entry
  const names = entry.folders.map((folder) => folder.trim().toLowerCase())
  const found = categories.findLast(({ name }) => names.includes(name.toLowerCase()))
  if (found === undefined) return entry
  return { ...entry, request: { ...entry.request, category: found.code } }
}

/** An error that is not caused by the line is not reported with it: it ends the import. */
function problemOf(line: number, error: unknown): FileProblem {
  if (isMingaError(error) && error.retry === 'never') {
    return { line, code: error.code, message: error.message }
  }
  if (!(error instanceof z.ZodError)) throw error
  const [issue] = error.issues
  const where = issue!.path.join('.')
  const message = where === '' ? issue!.message : `${where}: ${issue!.message}`
  return { line, code: 'MINGA_BAD_WATCH_FILE', message }
}

const KIND = 'minga-watches'
const CODE = 'MINGA_BAD_WATCH_FILE'

/** Watches as JSON: `{"kind":"minga-watches","version":1,"watches":[…]}`, or the list alone. */
export function jsonOf(entries: readonly WatchEntry[]): string {
  return `${JSON.stringify({ kind: KIND, version: 1, watches: entries }, null, 2)}\n`
}

export function readJson(text: string): ReadFile {
  let parsed: unknown
  try {
    parsed = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    return failed(`This is no JSON: ${(error as Error).message}`)
  }
  const watches = Array.isArray(parsed) ? parsed : (parsed as { watches?: unknown } | null)?.watches
  if (!Array.isArray(watches)) return failed('There is no list of watches in it.')
  const read: ReadFile = { entries: [], problems: [] }
  for (const [i, request] of watches.entries()) {
    const line = i + 1
    if (typeof request === 'object' && request !== null) {
      read.entries.push({ line, request, folders: [] })
    } else read.problems.push({ line, code: CODE, message: 'The entry is no object.' })
  }
  return read
}

function failed(message: string): ReadFile {
  return { entries: [], problems: [{ line: 1, code: CODE, message }] }
}
