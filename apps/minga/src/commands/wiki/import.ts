/** `minga wiki import`: dumps become histories; the same command again continues where one was killed. */
import { systemClock, type DumpImportView } from '@minga/protocol'
import { resolve } from 'node:path'
import type { Api } from '../../api.ts'
import { BadOption } from '../../errors.ts'
import { EXIT, exitCodeOf } from '../../exit-codes.ts'
import { Interrupts } from '../../interrupts.ts'
import { errorScreen, formatBytes, formatSeconds, ProgressLine } from '../../progress.ts'
import { sizeOf } from '../archive/folder.ts'
import { throughWikis, type WikiOptions } from './folder.ts'

export interface ImportOptions extends WikiOptions {
  wiki?: string
  roundBytes?: number
}

const POLL_MS = 100

export async function importDumps(files: string[], options: ImportOptions): Promise<number> {
  // Before the folder is made: a mistyped name leaves nothing behind.
  for (const file of files) requireFile(file)
  const interrupts = new Interrupts(() => {}, null)
  const startedMs = systemClock.monotonicMs()
  try {
    const work = (api: Api): Promise<DumpImportView[]> =>
      importAll(api, { files, options, signal: interrupts.signal })
    const done = await throughWikis(options, work, { isWriting: true })
    const seconds = (systemClock.monotonicMs() - startedMs) / 1_000
    if (options.json) process.stdout.write(`${JSON.stringify(summaryOf(done, seconds))}\n`)
    return interrupts.signal.aborted ? EXIT.interrupted : exitOf(done)
  } finally {
    interrupts.end()
  }
}

function requireFile(file: string): void {
  if (sizeOf(file) === null) throw new BadOption('import', 'files that are there', file)
}

interface Importing {
  files: readonly string[]
  options: ImportOptions
  signal: AbortSignal
}

async function importAll(
  api: Api,
  { files, options: { wiki, roundBytes }, signal }: Importing,
): Promise<DumpImportView[]> {
  const done: DumpImportView[] = []
  for (const file of files) {
    if (signal.aborted) break
    const asked = { file: resolve(file), wiki: wiki ?? null, roundBytes }
    const started = await api.post<DumpImportView>('/wikis/imports', asked)
    const ended = await follow(api, started, signal)
    if (signal.aborted && ended.state === 'running') break
    report(file, ended)
    done.push(ended)
  }
  return done
}

async function follow(
  api: Api,
  started: DumpImportView,
  signal: AbortSignal,
): Promise<DumpImportView> {
  const beganMs = systemClock.monotonicMs()
  const progress = new ProgressLine(errorScreen(), beganMs)
  let view = started
  let base: number | null = null
  while (view.state === 'waiting' || view.state === 'running') {
    await systemClock.sleep(POLL_MS, signal)
    if (signal.aborted) break
    view = await api.get<DumpImportView>(`/wikis/imports/${view.id}`)
    // An import that continues begins in the middle of its file.
    if (view.position > 0) base ??= view.position
    const nowMs = systemClock.monotonicMs()
    progress.show(lineOf(view, { base: base ?? 0, seconds: (nowMs - beganMs) / 1_000 }), nowMs)
  }
  progress.end()
  return view
}

function lineOf(
  view: DumpImportView,
  { base, seconds }: { base: number; seconds: number },
): string {
  const { position, size, pages, revisions, revisionsPerSecond } = view
  const rate = seconds > 0 ? (position - base) / seconds : 0
  const eta = rate > 0 ? formatSeconds((size - position) / rate) : '–'
  const share = size > 0 ? Math.floor((position / size) * 100) : 0
  return (
    `${share} % · ${formatBytes(position)} of ${formatBytes(size)} · ${pages} pages · ` +
    `${revisions} revisions · ${revisionsPerSecond.toFixed(0)}/s · ETA ${eta}`
  )
}

function report(file: string, view: DumpImportView): void {
  const { pages, revisions, gaps, rejects, examples, error } = view
  const say = (line: string): void => void process.stderr.write(`${line}\n`)
  if (view.already) return say(`minga: ${file} was imported before, into ${view.wiki}`)
  if (error !== null) say(`minga: ${file}: ${error.message} (${error.code})`)
  say(
    `minga: ${file}: ${pages} pages and ${revisions} revisions of ${view.wiki ?? 'no wiki'}, ${gaps} gaps`,
  )
  const kinds = Object.entries(rejects)
  for (const [code, count] of kinds) say(`  ${String(count).padStart(7)}  ${code}`)
  for (const { code, line, message } of examples) say(`  line ${line}: ${code}: ${message}`)
}

function exitOf(done: readonly DumpImportView[]): number {
  const failed = done.find(({ error }) => error !== null)?.error ?? null
  if (failed !== null) return exitCodeOf(failed)
  return done.some(({ rejects }) => (rejects['truncated'] ?? 0) > 0) ? EXIT.error : EXIT.ok
}

function summaryOf(done: readonly DumpImportView[], seconds: number): Record<string, unknown> {
  const sum = (of: (view: DumpImportView) => number): number =>
    done.reduce((total, view) => total + of(view), 0)
  const rejects: Record<string, number> = {}
  for (const view of done) {
    for (const [code, count] of Object.entries(view.rejects)) {
      rejects[code] = (rejects[code] ?? 0) + count
    }
  }
  return {
    files: done.map(({ file, wiki, already, pages, revisions, error }) => ({
      file,
      wiki,
      already,
      pages,
      revisions,
      error,
    })),
    pages: sum(({ pages }) => pages),
    revisions: sum(({ revisions }) => revisions),
    gaps: sum(({ gaps }) => gaps),
    rejects,
    seconds: Number(seconds.toFixed(3)),
  }
}
