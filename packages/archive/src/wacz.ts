/**
 * WACZ 1.1.1: an archive in one ZIP file that ReplayWeb.page opens by byte ranges. The index is cut
 * into small gzip blocks next to a sparse index of their first keys, so that a reader of a terabyte
 * archive downloads a few kilobytes per page.
 */

import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import type { Instant } from '@minga/protocol'
import { fileBytes, readChunks, readLines, writeWhole } from './archive-files.ts'
import { cdxjLine, parseCdxjLine } from './cdxj.ts'
import { sha256Label } from './digest.ts'
import { ImpossibleExport } from './errors.ts'
import { gzipMember } from './warc-record.ts'
import { ZipWriter, type WrittenEntry } from './zip-writer.ts'
import { writableDate } from './writable-time.ts'

export interface WaczPage {
  url: string
  ts: Instant
  title?: string
}

export interface WaczExport {
  warcFiles: readonly string[]
  /** Sorted; its file names are taken without folders. */
  cdxjPath: string
  pages: AsyncIterable<WaczPage>
  title: string
  description?: string
  /** Where replay starts. */
  mainPageUrl?: string
  software: string
  createdAt: Instant
  out: string
  zip64FromBytes?: number
}

export interface WaczSummary {
  bytes: number
  resources: WrittenEntry[]
}

export async function exportWacz(wanted: WaczExport): Promise<WaczSummary> {
  requireDistinctNames(wanted.warcFiles)
  const resources = await writeWhole(wanted.out, async (file) => {
    const zip = new ZipWriter(file, {
      modifiedAt: wanted.createdAt,
      ...(wanted.zip64FromBytes === undefined ? {} : { zip64FromBytes: wanted.zip64FromBytes }),
    })
    const written = await writeResources(zip, wanted)
    const datapackage = Buffer.from(`${JSON.stringify(describe(wanted, written), null, 2)}\n`)
    const digest = { path: 'datapackage.json', hash: sha256Label([datapackage]) }
    await addBytes(zip, 'datapackage.json', datapackage)
    await addBytes(zip, 'datapackage-digest.json', Buffer.from(`${JSON.stringify(digest)}\n`))
    await zip.finish()
    return written
  })
  return { bytes: await fileBytes(wanted.out), resources }
}

function requireDistinctNames(files: readonly string[]): void {
  const seen = new Set<string>()
  for (const file of files) {
    const name = basename(file)
    if (seen.has(name)) throw new ImpossibleExport(`two WARC files are called ${name}; rename one.`)
    seen.add(name)
  }
}

async function writeResources(zip: ZipWriter, wanted: WaczExport): Promise<WrittenEntry[]> {
  const written: WrittenEntry[] = []
  for (const path of wanted.warcFiles) {
    // The size is read once: a file that is still growing is packed as it was at this moment.
    const bytes = await fileBytes(path)
    written.push(
      await zip.add(`archive/${basename(path)}`, readChunks(path, { start: 0, end: bytes }), bytes),
    )
  }
  const sparse: string[] = ['!meta 0 {"format":"cdxj-gzip-1.0","filename":"index.cdx.gz"}\n']
  const index = indexBlocks(wanted.cdxjPath, (line) => sparse.push(line))
  written.push(await zip.add('indexes/index.cdx.gz', index, null))
  written.push(await addBytes(zip, 'indexes/index.idx', Buffer.from(sparse.join(''))))
  written.push(await zip.add('pages/pages.jsonl', pageLines(wanted.pages), null))
  return written
}

function addBytes(zip: ZipWriter, name: string, bytes: Buffer): Promise<WrittenEntry> {
  return zip.add(name, once(bytes), bytes.length)
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

/** Lines per block: py-wacz's choice; a block is about 30 KB compressed. */
const BLOCK_LINES = 1024

async function* indexBlocks(
  cdxjPath: string,
  onBlock: (sparseLine: string) => void,
): AsyncGenerator<Buffer> {
  let offset = 0
  for await (const lines of batches(archiveLines(cdxjPath), BLOCK_LINES)) {
    const block = gzipMember(Buffer.from(`${lines.join('\n')}\n`), 6)
    const [key, timestamp] = lines[0]!.split(' ', 2)
    const place = {
      offset,
      length: block.length,
      digest: sha256Label([block]),
      filename: 'index.cdx.gz',
    }
    onBlock(`${key} ${timestamp} ${JSON.stringify(place)}\n`)
    offset += block.length
    yield block
  }
}

/** Inside a WACZ every WARC lies in `archive/`, whatever folder the index knows it by. */
async function* archiveLines(cdxjPath: string): AsyncGenerator<string> {
  for await (const line of readLines(cdxjPath)) {
    const entry = parseCdxjLine(line)
    if (entry) yield cdxjLine({ ...entry, filename: basename(entry.filename) }, entry.key)
  }
}

async function* batches<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let batch: T[] = []
  for await (const item of items) {
    if (batch.push(item) < size) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

async function* pageLines(pages: AsyncIterable<WaczPage>): AsyncGenerator<Buffer> {
  yield Buffer.from('{"format":"json-pages-1.0","id":"pages","title":"All Pages"}\n')
  for await (const batch of batches(pages, BLOCK_LINES)) {
    yield Buffer.from(batch.map((page) => `${JSON.stringify(pageEntry(page))}\n`).join(''))
  }
}

function pageEntry(page: WaczPage): Record<string, string> {
  const ts = writableDate(page.ts).toISOString()
  // Derived, so that two exports of the same captures are the same bytes.
  const id = createHash('sha256').update(`${ts} ${page.url}`).digest('hex').slice(0, 20)
  return { id, url: page.url, ts, ...(page.title === undefined ? {} : { title: page.title }) }
}

function describe(wanted: WaczExport, resources: readonly WrittenEntry[]): Record<string, unknown> {
  const created = new Date(wanted.createdAt).toISOString()
  return {
    profile: 'data-package',
    wacz_version: '1.1.1',
    title: wanted.title,
    ...(wanted.description === undefined ? {} : { description: wanted.description }),
    ...(wanted.mainPageUrl === undefined ? {} : { mainPageUrl: wanted.mainPageUrl }),
    software: wanted.software,
    created,
    modified: created,
    resources: resources.map(({ name, bytes, hash }) => ({
      name: basename(name),
      path: name,
      hash,
      bytes,
    })),
  }
}
