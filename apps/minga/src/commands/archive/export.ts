/** `minga archive export --wacz`: the whole archive as it is, or chosen captures in a new WARC. */
import { dirname, join, resolve } from 'node:path'
import { createHash, randomUUID } from 'node:crypto'
import {
  exportWacz,
  warcinfoMember,
  writeCdxjFile,
  type CdxjEntry,
  type WaczPage,
  type WaczSummary,
} from '@minga/archive'
import {
  SOFTWARE,
  playerEntryOf,
  readMember,
  type ArchiveFacts,
  type CaptureRow,
} from '@minga/coordinator'
import { giveUserMode, systemClock, type SupersededRecord } from '@minga/protocol'
import { openApi, type Api } from '../../api.ts'
import { BadOption } from '../../errors.ts'
import { isDevice, requireFile } from '../../output-place.ts'
import { formatBytes } from '../../progress.ts'
import { withApi } from '../reach-api.ts'
import {
  appendTo,
  copyStart,
  readBytes,
  requireArchive,
  sizeOf,
  withTemporaryFolder,
} from './folder.ts'
import { capturesOf, pagesOf } from './captures.ts'
import { repairSteps } from './repair.ts'

export async function exportArchive(options: ExportOptions): Promise<number> {
  const data = requireArchive(options.data)
  await requireFile('--wacz', options.wacz)
  if (await isDevice(options.wacz)) throw new BadOption('--wacz', 'a file', options.wacz)
  const folder = dirname(resolve(options.wacz))
  return withApi(openApi(data), async (api) => {
    process.stderr.write(`minga: writing ${options.wacz}…\n`)
    const { summary, pages } = await withTemporaryFolder(folder, (temporary) =>
      pack({ api, data, options, temporary }),
    )
    const { wacz: file } = options
    await giveUserMode(file)
    const { bytes } = summary
    if (options.json) process.stdout.write(`${JSON.stringify({ file, bytes, pages })}\n`)
    process.stderr.write(`minga: ${file}: ${formatBytes(bytes)}, ${pages} pages\n`)
  })
}

async function pack(job: ExportJob): Promise<{ summary: WaczSummary; pages: number }> {
  const { options } = job
  const isPart = options.urlPrefix !== undefined || options.collection !== undefined
  const source = isPart ? await writeSelection(job) : await wholeArchive(job)
  const main = await firstPage(job, source.lastId)
  let pages = 0
  const counted = async function* (): AsyncGenerator<WaczPage> {
    for await (const page of htmlPagesOf(job, source.lastId)) {
      pages++
      yield page
    }
  }
  const summary = await exportWacz({
    warcFiles: source.warcFiles,
    cdxjPath: source.cdxjPath,
    pages: counted(),
    title: options.title ?? `Collected by ${SOFTWARE}`,
    ...(main === null ? {} : { mainPageUrl: main.url }),
    software: SOFTWARE,
    createdAt: systemClock.now(),
    out: options.wacz,
  })
  return { summary, pages }
}

/** What a reader of the archive would call a page. */
async function* htmlPagesOf(job: ExportJob, lastId: number): AsyncGenerator<WaczPage> {
  for await (const { url, capturedAt, status, mime, title } of wantedCaptures(job, lastId)) {
    if (status !== 200 || !/^(text\/html|application\/xhtml\+xml)$/.test(mime)) continue
    yield { url, ts: capturedAt, ...(title === null ? {} : { title }) }
  }
}

async function firstPage(job: ExportJob, lastId: number): Promise<WaczPage | null> {
  for await (const page of htmlPagesOf(job, lastId)) return page
  return null
}

const FILE = 'selection.warc.gz'

/**
 * A part of the archive as a WARC of its own: the chosen captures and, for those that only refer
 * to an earlier payload, the captures they refer to, without which they could not be shown.
 */
async function writeSelection(job: ExportJob): Promise<ExportSource> {
  const { lastId } = await job.api.get<ArchiveFacts>('/archive/facts')
  const warc = join(job.temporary, FILE)
  const cdxjPath = join(job.temporary, 'index.cdxj')
  const captures = await writeCdxjFile(cdxjPath, copiedEntries(job, warc, lastId))
  if (captures === 0) {
    const { urlPrefix, collection } = job.options
    const option = urlPrefix === undefined ? '--collection' : '--url-prefix'
    throw new BadOption(option, 'one that has captures', urlPrefix ?? String(collection))
  }
  return { warcFiles: [warc], cdxjPath, lastId }
}

/** Copies each record, revisits with the reference that they should have, and says where it is now. */
async function* copiedEntries(
  job: ExportJob,
  warc: string,
  lastId: number,
): AsyncGenerator<CdxjEntry> {
  const createdAt = systemClock.now()
  const info = { id: randomUUID(), createdAt, fileName: FILE, software: SOFTWARE }
  let offset = await appendTo(warc, warcinfoMember(info))
  const copied = new Set<string>()
  for await (const wanted of wantedCaptures(job, lastId)) {
    const payload = await payloadOf(job, wanted)
    for (const row of payload === wanted || payload === null ? [wanted] : [payload, wanted]) {
      const place = placeOf(row)
      if (copied.has(place)) continue
      copied.add(place)
      const bytes = await readMember(job.data, row, payload)
      yield { ...playerEntryOf(row), filename: FILE, offset, length: bytes.length }
      offset += await appendTo(warc, bytes)
    }
  }
}

/** Short, because millions of them are kept in memory. */
function placeOf(row: CaptureRow): string {
  return createHash('md5').update(`${row.file}@${row.offset}`).digest('base64')
}

/** Null when it is not in the archive. */
async function payloadOf({ api }: ExportJob, row: CaptureRow): Promise<CaptureRow | null> {
  if (row.kind === 'response') return row
  const asked = new URLSearchParams({ url: row.url, at: String(row.capturedAt) })
  const place = await api
    .get<{ payload: CaptureRow }>(`/captures/place?${asked.toString()}`)
    .catch(() => null)
  return place?.payload ?? null
}

type Cuts = ReadonlyMap<string, readonly Cut[]>

/**
 * All of the archive for an export: its WARC files as they are, but for the former records of repaired
 * captures, and an index of the places where things are afterwards.
 */
async function wholeArchive(job: ExportJob): Promise<ExportSource> {
  const { api, data, temporary } = job
  for await (const _ of repairSteps(api, { onlyUnresolved: true, dryRun: false }));
  const { lastId, captures } = await api.get<ArchiveFacts>('/archive/facts')
  if (captures === 0) throw new BadOption('--data', 'a folder with captures', data)
  const cuts = cutsOf(await api.get<SupersededRecord[]>('/archive/superseded'))
  const files = new Set<string>()
  const cdxjPath = join(temporary, 'index.cdxj')
  await writeCdxjFile(cdxjPath, entriesOf(job, { lastId, cuts, files }))
  // After the index: everything it names is committed by the time they are read.
  const facts = await api.get<ArchiveFacts>('/archive/facts')
  const committed = new Map(facts.files.map(({ file, committedBytes }) => [file, committedBytes]))
  const warcFiles: string[] = []
  for (const name of [...files].toSorted()) {
    const path = join(data, 'archive', name)
    const bytes = committed.get(name) ?? null
    const cut = cuts.get(name)
    const isGrowing = bytes !== null && (sizeOf(path) ?? 0) > bytes
    if (cut) warcFiles.push(await copyWithout(path, join(temporary, name), { cut, bytes }))
    else warcFiles.push(isGrowing ? await copyStart(path, temporary, bytes) : path)
  }
  return { warcFiles, cdxjPath, lastId }
}

interface Indexing {
  lastId: number
  cuts: Cuts
  /** Grows: the files that hold captures. */
  files: Set<string>
}

async function* entriesOf(
  { api }: ExportJob,
  { lastId, cuts, files }: Indexing,
): AsyncGenerator<CdxjEntry> {
  for await (const row of capturesOf(pagesOf(api), {})) {
    if (row.id > lastId) return
    files.add(row.file)
    const offset = row.offset - cutBefore(cuts.get(row.file) ?? [], row.offset)
    yield { ...playerEntryOf(row), offset }
  }
}

interface Cut extends SupersededRecord {
  /** Bytes that are left out up to its end. */
  total: number
}

function cutsOf(superseded: readonly SupersededRecord[]): Cuts {
  const cuts = new Map<string, Cut[]>()
  for (const record of superseded) {
    const before = cuts.get(record.file) ?? []
    cuts.set(record.file, before)
    before.push({ ...record, total: (before.at(-1)?.total ?? 0) + record.length })
  }
  return cuts
}

/** Bytes that are left out before a place, found by halving. */
function cutBefore(cut: readonly Cut[], offset: number): number {
  let [low, high] = [0, cut.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (cut[middle]!.offset < offset) low = middle + 1
    else high = middle
  }
  return cut[low - 1]?.total ?? 0
}

async function copyWithout(
  path: string,
  copy: string,
  { cut, bytes }: { cut: readonly SupersededRecord[]; bytes: number | null },
): Promise<string> {
  const end = bytes ?? sizeOf(path) ?? 0
  let start = 0
  for (const record of [...cut, { offset: end, length: 0 }]) {
    if (record.offset > start) {
      const part = readBytes(path, { start, end: record.offset - 1 })
      for await (const chunk of part) await appendTo(copy, chunk)
    }
    start = record.offset + record.length
  }
  return copy
}

interface ExportOptions {
  data: string
  wacz: string
  urlPrefix?: string
  collection?: number
  title?: string
  json?: boolean
}

interface ExportJob {
  api: Api
  data: string
  options: ExportOptions
  /** On the disk of the result; gone when the export ends. */
  temporary: string
}

/** Files, their index and a last id: captures after it came too late for this export. */
interface ExportSource {
  warcFiles: string[]
  cdxjPath: string
  lastId: number
}

/** The captures that an export is about, up to a moment. */
async function* wantedCaptures(
  { api, options }: Pick<ExportJob, 'api' | 'options'>,
  lastId: number,
): AsyncGenerator<CaptureRow> {
  const { collection, urlPrefix = '' } = options
  const query = collection === undefined ? {} : { collectionId: collection }
  for await (const row of capturesOf(pagesOf(api), query)) {
    if (row.id > lastId) return
    if (row.url.startsWith(urlPrefix)) yield row
  }
}
