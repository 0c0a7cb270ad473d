/** What the player of archived pages reads: its own files, the index of its collection and the records of that. */
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { cdxjTimestamp, writableDate } from '@minga/archive'
import type { CaptureRow } from '@minga/protocol'
import { may } from '../../accounts/access.ts'
import { NoSuchSource } from '../errors.ts'
import { collectionOfHost } from '../../http/replay-names.ts'
import { Html, html } from '../../http/html.ts'
import { QUIET_HEADERS, REPLAY_POLICY, WORKER_POLICY, WORKER_PRELUDE } from './player-policies.ts'
import { ReplayIndexes, openPart, readBehind, spanOf } from './replay-files.ts'
import {
  INDEX,
  captureOfRecord,
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

interface PlayerPage {
  capture: CaptureRow
  /** The address of its index. */
  source: string
  /** Null: the collection as a whole. */
  version: { collectionId: number; number: number } | null
}

/**
 * On a busy machine the player's worker sometimes misses the page's first call and waits for ever;
 * loading the page again helps. The player notifies its window as soon as it shows something; the
 * station's page around it is notified as well, and treats the message as untrusted, because an
 * archived page can send it. A browser that blocks storage of other sites in frames shows nothing
 * there: the page around it says so, and offers a tab.
 */
const TRY_AGAIN = new Html(`<script>
const announce = (message) => { if (parent !== window) parent.postMessage(message, '*') }
try { sessionStorage } catch { announce({ type: 'minga:blocked' }) }
const tries = Number(sessionStorage.getItem(location.href) ?? 0)
const again = setTimeout(() => {
  if (tries >= 2) return
  sessionStorage.setItem(location.href, String(tries + 1))
  location.reload()
}, 10_000)
addEventListener('message', ({ data }) => {
  if (data?.type !== 'urlchange') return
  clearTimeout(again)
  const { url, ts } = data
  announce({ type: 'minga:shown', url, ts })
})
</script>`)

/** The page around an archived page: what it is, of when, and the player that shows it. */
export function playerPage({ capture, source, version }: PlayerPage): string {
  const { url, capturedAt, title } = capture
  const moment = writableDate(capturedAt).toISOString()
  const timestamp = cdxjTimestamp(capturedAt)
  const name = title ?? url
  const of = version === null ? '' : ` · version ${version.number} of ${version.collectionId}`
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${name} · ${moment.slice(0, 10)}</title>
        ${TRY_AGAIN}
        <script src="/replay/ui.js"></script>
        <style>
          html,
          body {
            height: 100%;
            margin: 0;
          }
          body {
            display: flex;
            flex-direction: column;
            font:
              14px/1.5 system-ui,
              sans-serif;
            color: #1c1c1c;
            background: #fff;
          }
          header {
            padding: 6px 14px;
            border-bottom: 2px solid #7a4a00;
            background: #fff8ec;
            overflow-wrap: anywhere;
          }
          header a {
            color: #5b3500;
          }
          main {
            flex: 1;
            min-height: 0;
          }
          replay-web-page {
            display: block;
            width: 100%;
            height: 100%;
          }
        </style>
      </head>
      <body>
        <header role="banner">
          <span role="heading" aria-level="1">Archived page: <strong>${url}</strong></span
          >, <time datetime="${moment}">${moment.slice(0, 19).replace('T', ' ')} UTC</time>${of} ·
          <a href="/raw/${timestamp}/${url}">raw</a>
        </header>
        <main aria-label="Archived page">
          <replay-web-page
            source="${source}"
            url="${url}"
            ts="${timestamp}"
            replayBase="/replay/"
            embed="replayonly"
            config="${JSON.stringify({ csp: REPLAY_POLICY })}"
          ></replay-web-page>
        </main>
      </body>
    </html> `.text
}
