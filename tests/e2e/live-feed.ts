/**
 * An hour of a busy station in a minute: everything is asked of the real station, but its two streams of
 * events come from here, made of its own snapshot and as quick as the page can take them.
 */
import { once } from 'node:events'
import {
  createServer,
  request as ask,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Sample, Snapshot } from '@minga/protocol'
import { askStation, type Station } from './page-station.ts'

const SECOND_MS = 1_000
const SNAPSHOTS = '/api/events'
const LOG = '/api/event-log/stream'

export class LiveFeed {
  readonly #station: Station
  readonly #server: Server
  /** The streams that are open, by their path. */
  readonly #open = new Map<ServerResponse, string>()
  #snapshot: Snapshot
  #sent = 0

  private constructor(station: Station, snapshot: Snapshot) {
    this.#station = station
    this.#snapshot = snapshot
    this.#server = createServer((request, response) => this.#answer(request, response))
  }

  static async start(station: Station): Promise<LiveFeed> {
    const feed = new LiveFeed(station, await askStation<Snapshot>(station, '/snapshot'))
    feed.#server.listen(0, '127.0.0.1')
    await once(feed.#server, 'listening')
    return feed
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get isHeard(): boolean {
    return [...this.#open.values()].includes(SNAPSHOTS)
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { pathname } = new URL(request.url ?? '/', this.url)
    if (pathname === SNAPSHOTS || pathname === LOG) {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':open\n\n')
      this.#open.set(response, pathname)
      response.on('close', () => this.#open.delete(response))
      return
    }
    const target = new URL(request.url ?? '/', this.#station.url)
    // The station answers its own page alone; to it this is that page.
    const origin = request.headers.origin === undefined ? {} : { origin: target.origin }
    const headers = { ...request.headers, host: target.host, ...origin }
    const passed = ask(target, { method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    passed.on('error', () => response.destroy())
    request.pipe(passed)
  }

  /** So many seconds of the station's life, so many a second. */
  async play(updates: number, perSecond: number): Promise<void> {
    for (let i = 0; i < updates; i++) {
      this.#say(SNAPSHOTS, 'snapshot', this.#next())
      this.#say(LOG, 'events', [{ id: this.#sent }])
      await new Promise((resolve) => setTimeout(resolve, SECOND_MS / perSecond))
    }
  }

  #say(path: string, event: string, data: unknown): void {
    for (const [response, opened] of this.#open) {
      if (opened === path) response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
    }
  }

  /** A second later: every collection has fetched a few pages more, and the newest captures are others. */
  #next(): Snapshot {
    const sent = ++this.#sent
    const { history: _, ...former } = this.#snapshot
    const now = former.now + SECOND_MS
    const more = (figures: Record<number, number>): Record<number, number> =>
      Object.fromEntries(Object.entries(figures).map(([id, value]) => [id, value + (sent % 7)]))
    const sample: Sample = {
      at: now,
      done: more(former.sample.done),
      bytes: more(former.sample.bytes),
    }
    this.#snapshot = {
      ...former,
      now,
      sample,
      collections: former.collections.map((one) => ({
        ...one,
        captures: one.captures + (sent % 7),
      })),
      captures: former.captures.map((one, i) => ({
        ...one,
        id: one.id + sent + i,
        capturedAt: now,
      })),
    }
    return this.#snapshot
  }

  async close(): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    await Promise.resolve()
  }
}
