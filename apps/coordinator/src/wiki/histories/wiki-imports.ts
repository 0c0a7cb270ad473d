/** Imports of dumps: one at a time, each to be asked how far it is. */
import { createHash } from 'node:crypto'
import { open, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { isMingaError, type Clock, type DumpImportView } from '@minga/protocol'
import type { Calls } from '@minga/store'
import {
  importDump,
  openDumpFile,
  type DumpSummary,
  type DumpTrouble,
  type Revisions,
  type SiteInfo,
  type WikiOperations,
} from '@minga/wiki'
import { ImportStopped, NoSuchDump, NoSuchImport } from '../errors.ts'

export interface ImportParts {
  revisions: Revisions
  store: Calls<WikiOperations>
  clock: Clock
  /** Before the first of them. */
  open: () => Promise<void>
}

export interface ImportAsked {
  file: string
  /** Of which wiki it is, for a dump that does not say; null: it is named after the file. */
  wiki: string | null
  /** Text that is written at a time; null: as much as packs well. */
  roundBytes: number | null
}

/** So many of what was rejected are shown one by one; all are counted. */
const SHOWN_MOST = 20

export class WikiImports {
  readonly #parts: ImportParts
  readonly #views = new Map<number, DumpImportView>()
  readonly #closing = new AbortController()
  #last: Promise<void> = Promise.resolve()

  constructor(parts: ImportParts) {
    this.#parts = parts
  }

  /** The same file again, while it is being imported, is the same import. */
  start(asked: ImportAsked): DumpImportView {
    const unfinished = [...this.#views.values()].find(
      ({ file, state }) => file === asked.file && (state === 'waiting' || state === 'running'),
    )
    if (unfinished !== undefined) return unfinished
    const view = newView(this.#views.size + 1, asked.file)
    this.#views.set(view.id, view)
    this.#last = this.#last.then(() => this.#run(view, asked))
    return view
  }

  /** Since this station was started, the newest first. */
  list(): DumpImportView[] {
    return [...this.#views.values()].toReversed()
  }

  view(id: number): DumpImportView {
    const view = this.#views.get(id)
    if (view === undefined) throw new NoSuchImport(id)
    return view
  }

  /** What was not committed is read again by the next import of the same file. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#last
  }

  async #run(view: DumpImportView, asked: ImportAsked): Promise<void> {
    view.state = 'running'
    try {
      await this.#import(view, asked)
      view.state = 'done'
    } catch (error) {
      view.state = 'failed'
      const { aborted } = this.#closing.signal
      view.error = reportOf(aborted ? new ImportStopped(asked.file) : error)
    }
  }

  async #import(view: DumpImportView, { file, wiki, roundBytes }: ImportAsked): Promise<void> {
    const { revisions, store, clock } = this.#parts
    this.#closing.signal.throwIfAborted()
    await this.#parts.open()
    const { identity, madeAt } = await identifyDump(file)
    const source = await openDumpFile(file)
    view.size = source.size
    const known = await store.call('wikiReadCheckpoint', { dump: identity })
    if (known?.isDone) {
      Object.assign(view, { already: true, position: source.size, wiki: await this.#keyOf(known) })
      return
    }
    const onTrouble = (trouble: DumpTrouble): void => noteTrouble(view, trouble)
    const round = roundBytes === null ? {} : { roundBytes }
    const sink = revisions.importSink({ dump: identity, seenAt: madeAt, onTrouble, ...round })
    try {
      const summary = await importDump(source, sink, {
        clock: () => clock.monotonicMs(),
        from: known?.position ?? null,
        site: await this.#siteNamed(wiki ?? nameIn(file)),
        signal: this.#closing.signal,
        onProgress: (progress) => void Object.assign(view, progress),
      })
      await sink.finish({ isWhole: !isTruncated(summary) })
      noteSummary(view, summary)
    } catch (error) {
      // What came before a damage was read and counts; after anything else the last commit does.
      if (isMingaError(error) && error.code === 'MINGA_DUMP_DAMAGED') {
        await sink.finish({ isWhole: false })
      } else await sink.abandon()
      throw error
    } finally {
      if (sink.wikiId !== null) view.wiki = await this.#keyOf({ wikiId: sink.wikiId })
    }
  }

  async #keyOf({ wikiId }: { wikiId: number }): Promise<string | null> {
    const row = await this.#parts.store.call('wikiById', { wikiId })
    return row?.key ?? null
  }

  /** One that is here, or a new one of this name. */
  async #siteNamed(wiki: string): Promise<SiteInfo> {
    try {
      return (await this.#parts.revisions.wiki(wiki)).site
    } catch (error) {
      if (!isMingaError(error) || error.code !== 'MINGA_NO_SUCH_WIKI') throw error
      return nameless(wiki)
    }
  }
}

/** `eswiki-20260101-pages-meta-history.xml.bz2` → `eswiki`. */
function nameIn(file: string): string {
  const name = basename(file).replace(/(\.xml)?(\.(gz|bz2|zst|7z))?$/i, '')
  return (name.replace(/[-_.](19|20)\d{6}\b.*$/, '') || name || 'dump').slice(0, NAME_MOST)
}

const NAME_MOST = 100

function newView(id: number, file: string): DumpImportView {
  return {
    id,
    file,
    state: 'waiting',
    wiki: null,
    already: false,
    position: 0,
    size: 0,
    pages: 0,
    revisions: 0,
    revisionsPerSecond: 0,
    gaps: 0,
    rejects: {},
    examples: [],
    error: null,
  }
}

function noteTrouble(view: DumpImportView, { code, line, message }: DumpTrouble): void {
  view.rejects[code] = (view.rejects[code] ?? 0) + 1
  if (view.examples.length < SHOWN_MOST) view.examples.push({ code, line, message })
}

function noteSummary(view: DumpImportView, summary: DumpSummary): void {
  const { pages, revisions, gaps, troubles } = summary
  Object.assign(view, { pages, revisions, gaps, rejects: { ...troubles } })
}

/** Its end is missing: it is no whole import, and a whole file of the same name is another. */
const isTruncated = ({ troubles }: DumpSummary): boolean => (troubles.truncated ?? 0) > 0

function nameless(name: string): SiteInfo {
  return {
    name,
    dbName: name,
    base: '',
    generator: null,
    language: null,
    case: 'first-letter',
    namespaces: [],
    apiUrl: null,
    articlePath: null,
    rvLimit: 50,
    rights: { text: null, url: null },
  }
}

function reportOf(error: unknown): { code: string; message: string } {
  if (isMingaError(error)) return { code: error.code, message: error.message }
  return { code: 'MINGA_INTERNAL', message: error instanceof Error ? error.message : String(error) }
}

/** The identity of a dump when it is imported again: the same file resumes where its import ended. */
interface DumpIdentity {
  identity: string
  /** When the dump was made, as far as its name says; null when it does not. */
  madeAt: number | null
}

/** A head of this size has the wiki's name and its first pages. */
const HEAD_BYTES = 1024 * 1024

async function identifyDump(path: string): Promise<DumpIdentity> {
  try {
    const { size, mtimeMs } = await stat(path)
    const head = await headOf(path)
    const digest = createHash('sha256').update(head).digest('hex').slice(0, 32)
    const name = basename(path)
    return {
      identity: `${name} ${size} ${Math.trunc(mtimeMs)} ${digest}`,
      madeAt: dateIn(name),
    }
  } catch (cause) {
    throw new NoSuchDump(path, { cause })
  }
}

async function headOf(path: string): Promise<Buffer> {
  const handle = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

/** Dumps of Wikimedia carry their day: `eswiki-20240101-pages-meta-history.xml.bz2`. */
function dateIn(name: string): number | null {
  const found = /(?:^|[-_.])((?:19|20)\d\d)(\d\d)(\d\d)(?=[-_.]|$)/.exec(name)
  if (found === null) return null
  const [, year, month, day] = found
  const at = Date.parse(`${year}-${month}-${day}T00:00:00Z`)
  return Number.isNaN(at) ? null : at
}
