/** A collection as a WACZ: its records copied into a WARC of their own, with what they refer to. */
import {
  exportWacz,
  warcinfoMember,
  writeCdxjFile,
  type CdxjEntry,
  type WaczPage,
} from '@minga/archive'
import type { CaptureRow } from '@minga/protocol'
import { join } from 'node:path'
import { playerEntryOf } from './captures/archive-index.ts'
import { SOFTWARE } from '../station/identity.ts'
import { runExclusive } from '@minga/protocol/run-exclusive'
import { readMember } from './repair/read-member.ts'
import type { ArchiveContext } from './archive-context.ts'
import { appendBytes, makeExportFolder } from './replay/replay-files.ts'
import { collectionSource, sourceRows } from './replay/replay-sources.ts'

const WARC = 'selection.warc.gz'

/** The file lies in a folder of its own, which its reader removes. */
export function writeCollectionWacz(context: ArchiveContext, id: number): Promise<string> {
  return runExclusive(context.store, () => write(context, id))
}

async function write(context: ArchiveContext, id: number): Promise<string> {
  const folder = await makeExportFolder(context.data)
  const pages: WaczPage[] = []
  const cdxjPath = join(folder, 'index.cdxj')
  await writeCdxjFile(cdxjPath, copied(context, { id, warc: join(folder, WARC), pages }))
  const out = join(folder, 'collection.wacz')
  const [main] = pages
  await exportWacz({
    warcFiles: [join(folder, WARC)],
    cdxjPath,
    pages: inOrder(pages),
    title: `Collection ${id}, collected by ${SOFTWARE}`,
    ...(main === undefined ? {} : { mainPageUrl: main.url }),
    software: SOFTWARE,
    createdAt: context.clock.now(),
    out,
  })
  return out
}

interface Copying {
  id: number
  warc: string
  /** Grows while records are copied. */
  pages: WaczPage[]
}

async function* copied(
  context: ArchiveContext,
  { id, warc, pages }: Copying,
): AsyncGenerator<CdxjEntry> {
  const info = { id: crypto.randomUUID(), createdAt: context.clock.now(), fileName: WARC }
  let offset = await appendBytes(warc, warcinfoMember({ ...info, software: SOFTWARE }))
  for await (const { row, payload } of sourceRows(context, collectionSource(id))) {
    if (isPage(row)) pages.push(pageOf(row))
    const bytes = await readMember(context.data, row, payload)
    yield { ...playerEntryOf(row), filename: WARC, offset, length: bytes.length }
    offset += await appendBytes(warc, bytes)
  }
}

const isPage = ({ status, mime }: CaptureRow): boolean =>
  status === 200 && /^(text\/html|application\/xhtml\+xml)$/.test(mime)

const pageOf = ({ url, capturedAt, title }: CaptureRow): WaczPage => ({
  url,
  ts: capturedAt,
  ...(title === null ? {} : { title }),
})

async function* inOrder<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values
}
