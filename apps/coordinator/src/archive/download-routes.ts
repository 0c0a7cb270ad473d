/** Taking things out of the archive: one record, the index of a collection, a collection as a whole. */
import { join } from 'node:path'
import {
  cdxjTimestamp,
  exportWacz,
  warcinfoMember,
  writeCdxjFile,
  type CdxjEntry,
  type WaczPage,
} from '@minga/archive'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import type { CaptureRow } from '@minga/protocol'
import { runExclusive } from '@minga/protocol/run-exclusive'
import { mayOrPublic } from '../accounts/access.ts'
import { SOFTWARE } from '../station/identity.ts'
import { freeBytesAt } from '../station/disk-room.ts'
import { findPlace } from './captures/capture-content.ts'
import { ExportTooLarge, NoSuchSource } from './errors.ts'
import { readMember } from './repair/read-member.ts'
import { seenBy, type ArchiveContext } from './archive-context.ts'
import type { SizeTally } from './archive-sizes.ts'
import {
  ReplayIndexes,
  appendBytes,
  makeExportFolder,
  openOnce,
  openPart,
  type FilePart,
} from './replay/replay-files.ts'
import { collectionSource, sourceEntries, sourceRows, stateOf } from './replay/replay-sources.ts'
import { playerEntryOf } from './captures/archive-index.ts'

const READ = mayOrPublic('captures:read')
const recordQuery = z.object({
  url: z.string().max(8_192),
  at: z.coerce.number().int().nullable().default(null),
})
const collectionParams = z.object({ id: z.coerce.number().int().min(0) })
/**
 * The records are copied into a WARC, and that into the WACZ; some room is left to those who gather
 * in the meantime.
 */
const COPIES = 2
const ROOM_LEFT_BYTES = 500_000_000

export function downloadRoutes(
  app: FastifyInstance,
  context: ArchiveContext & { sizes: SizeTally },
): void {
  let indexes: ReplayIndexes | null = null
  app.get('/captures/record', READ, async (request, reply) => {
    const asked = recordQuery.parse(request.query)
    const { capture, payload } = await findPlace(seenBy(context, request), asked)
    const name = `${cdxjTimestamp(capture.capturedAt)}.warc.gz`
    const info = { id: crypto.randomUUID(), createdAt: context.clock.now(), fileName: name }
    const rows = capture.id === payload.id ? [capture] : [payload, capture]
    const records = await Promise.all(rows.map((row) => readMember(context.data, row, payload)))
    const bytes = Buffer.concat([warcinfoMember({ ...info, software: SOFTWARE }), ...records])
    return asFile(reply, { name, type: 'application/warc' }).send(bytes)
  })
  app.get('/archive/collections/:id/cdxj', READ, async (request, reply) => {
    const source = collectionSource(collectionParams.parse(request.params).id)
    const { store } = context
    const state = await stateOf(store, source)
    indexes ??= new ReplayIndexes(context.data)
    const file = await indexes.of(source.name, state, () => sourceEntries(context, source))
    const name = `${source.name}.cdxj`
    return sendWhole(reply, await openPart(file, undefined), { name, type: 'text/x-cdxj' })
  })
  app.get('/archive/collections/:id/wacz', READ, async (request, reply) => {
    const { id } = collectionParams.parse(request.params)
    const { captures, storedBytes } = await context.sizes.sizes(id)
    const name = `collection-${id}.wacz`
    if (captures === 0) throw new NoSuchSource(name)
    const free = await freeBytesAt(context.data)
    if (free !== null && storedBytes * COPIES + ROOM_LEFT_BYTES > free) throw new ExportTooLarge(id)
    const file = await writeCollectionWacz(context, id)
    return sendWhole(reply, await openOnce(file), { name, type: 'application/wacz' })
  })
}

interface NamedFile {
  name: string
  type: string
}

function asFile(reply: FastifyReply, { name, type }: NamedFile): FastifyReply {
  return reply.headers({
    'content-type': type,
    'content-disposition': `attachment; filename="${name}"`,
    'x-content-type-options': 'nosniff',
  })
}

function sendWhole(reply: FastifyReply, part: FilePart | null, file: NamedFile): FastifyReply {
  if (part === null) throw new NoSuchSource(file.name)
  return asFile(reply, file).header('content-length', part.size).send(part.bytes)
}

const WARC = 'selection.warc.gz'

/** The file lies in a folder of its own, which its reader removes. */
function writeCollectionWacz(context: ArchiveContext, id: number): Promise<string> {
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
