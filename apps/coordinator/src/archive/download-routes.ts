/** Taking things out of the archive: one record, the index of a collection, a collection as a whole. */
import { cdxjTimestamp, warcinfoMember } from '@minga/archive'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import { mayOrPublic } from '../accounts/access.ts'
import { findPlace } from './captures/capture-content.ts'
import { ExportTooLarge, NoSuchSource } from './errors.ts'
import { SOFTWARE } from '../station/identity.ts'
import { readMember } from './repair/read-member.ts'
import { freeBytesAt } from '../station/disk-room.ts'
import type { ArchiveContext } from './archive-context.ts'
import type { SizeTally } from './archive-sizes.ts'
import { writeCollectionWacz } from './collection-wacz.ts'
import { openOnce, openPart, ReplayIndexes, type FilePart } from './replay/replay-files.ts'
import { seenBy } from './seen-parts.ts'
import { collectionSource, sourceEntries, stateOf } from './replay/replay-sources.ts'

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
