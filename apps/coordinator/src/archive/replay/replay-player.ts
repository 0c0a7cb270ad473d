/** What the player of archived pages reads: its own files, the index of its collection and the records of that. */
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { may } from '../../accounts/access.ts'
import { NoSuchSource } from '../errors.ts'
import { QUIET_HEADERS, WORKER_POLICY, WORKER_PRELUDE } from './player-policies.ts'
import { openPart, readBehind, ReplayIndexes, spanOf } from './replay-files.ts'
import { collectionOfHost } from '../../http/replay-names.ts'
import {
  captureOfRecord,
  INDEX,
  playerEntries,
  sourceNamed,
  stateOf,
  type ReplaySource,
} from './replay-sources.ts'
import type { Call, ReplayContext } from './replay-server.ts'

const READ = may('captures:read')
const sourceParams = z.object({ name: z.string(), state: z.string(), file: z.string() })
const SCRIPT = 'text/javascript; charset=utf-8'

export const NO_PLAYER = `The player of archived pages is not installed here.

Run \`npm install\` in the folder of Minga and start the station again. Raw views work without it.
`

export function playerRoutes(
  app: FastifyInstance,
  context: ReplayContext,
  onlyOf: (request: FastifyRequest) => number | null,
): void {
  const indexes = new ReplayIndexes(context.data)
  app.get('/replay/sources/:name/:state/:file', READ, async (request, reply) => {
    const { name, file } = sourceParams.parse(request.params)
    const source = await sourceNamed(context.store, name)
    const only = onlyOf(request)
    if (only !== null && only !== source.window.collectionId) throw new NoSuchSource(name)
    return file === INDEX
      ? sendIndex(context, indexes, { request, reply, source })
      : sendRecord(context, { request, reply, source, name: file })
  })
  // The player itself is the same for everyone, but runs on no origin that collections share.
  for (const [name, send] of [
    ['ui.js', sendScript],
    ['sw.js', sendWorker],
  ] as const) {
    app.get(`/replay/${name}`, { config: { isPublic: true } }, (request, reply) => {
      if (typeof collectionOfHost(request) !== 'number') throw new NoSuchSource(name)
      if (context.playerFolder === null) return reply.status(503).type('text/plain').send(NO_PLAYER)
      return send(join(context.playerFolder, name), { request, reply })
    })
  }
}

interface SourceCall extends Call {
  source: ReplaySource
}

async function sendIndex(
  context: ReplayContext,
  indexes: ReplayIndexes,
  { source, ...call }: SourceCall,
): Promise<FastifyReply> {
  // What is there now, even when the address is of yesterday.
  const state = await stateOf(context.store, source)
  // Another name than that of former versions, whose indexes named the files of the archive.
  const name = `${source.name}-records`
  const file = await indexes.of(name, state, () => playerEntries(context, source))
  return sendPart(file, call, {
    type: 'text/x-cdxj; charset=utf-8',
    range: call.request.headers.range,
  })
}

/**
 * A file holds records of many collections, and of captures that were discarded: only the bytes of the named one are
 * sent, at the place in the file where the index says it is.
 */
async function sendRecord(
  context: ReplayContext,
  { source, name, ...call }: SourceCall & { name: string },
): Promise<FastifyReply> {
  const capture = await captureOfRecord(context, source, name)
  if (capture === null) throw new NoSuchSource(name)
  const { range } = call.request.headers
  const { offset, length, file } = capture
  const span = range === undefined ? null : spanOf(range, offset + length)
  if (span === null || span.start < offset) return call.reply.status(416).send()
  const part = `bytes=${span.start}-${span.end - 1}`
  const path = join(context.data, 'archive', file)
  return sendPart(path, call, { type: 'application/warc', range: part })
}

function sendScript(path: string, call: Call): Promise<FastifyReply> {
  return sendPart(path, call, { type: SCRIPT, range: call.request.headers.range })
}

async function sendWorker(path: string, { reply }: Call): Promise<FastifyReply> {
  const worker = await readBehind(WORKER_PRELUDE, path)
  return reply
    .headers({
      ...QUIET_HEADERS,
      'content-security-policy': WORKER_POLICY,
      'content-type': SCRIPT,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
    })
    .send(worker)
}

async function sendPart(
  path: string,
  { reply }: Call,
  { type, range }: { type: string; range: string | undefined },
): Promise<FastifyReply> {
  const part = await openPart(path, range)
  if (part === null) {
    if (range === undefined) throw new NoSuchSource(path.split(/[\\/]/).at(-1)!)
    return reply.status(416).send()
  }
  const { start, end, size } = part
  const isPart = end - start < size
  void reply.headers({
    'content-type': type,
    'content-length': end - start,
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache',
    ...(isPart ? { 'content-range': `bytes ${start}-${end - 1}/${size}` } : {}),
  })
  return reply.status(isPart ? 206 : 200).send(part.bytes)
}
