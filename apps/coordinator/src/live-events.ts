/**
 * What the page sees of a station while it looks: once a second one reading of the store becomes
 * one snapshot, sent to every browser that listens (`GET /api/events`) and to those that cannot
 * hold a stream open (`GET /api/snapshot`). A thousand open pages cost the store one reading; while
 * nobody looks, only the few numbers are read that the plot of the last minutes is made of.
 */
import type { ServerResponse } from 'node:http'
import type { Clock, Sample, Snapshot } from '@minga/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { may } from './access.ts'
import { Doorbell } from './doorbell.ts'

/** A glance cannot follow more than one change a second. */
const EVERY_MS = 1_000
/** With nobody looking and nothing to plot. */
const REST_MS = 5_000
/** Five minutes: the width of the page's plot. */
const SAMPLES_MAX = 300
const CAPTURES_SHOWN = 18

/** What is read in one go. */
export type LivePicture = Omit<Snapshot, 'now' | 'history'>

export interface LiveParts {
  clock: Clock
  readPicture: (capturesMost: number) => Promise<LivePicture>
  /** What goes on being noted while nobody looks. */
  readSample(): Promise<Sample>
  /** Aborts when the station closes: streams end at once. */
  closing: AbortSignal
}

type Listener = (event: string, data: unknown) => void

export class LiveEvents {
  readonly #parts: LiveParts
  readonly #listeners = new Set<Listener>()
  #history: Sample[] = []
  readonly #visitors = new Doorbell()
  #lastText = ''

  constructor(parts: LiveParts) {
    this.#parts = parts
  }

  async snapshot(): Promise<Snapshot> {
    const { clock, readPicture } = this.#parts
    return { now: clock.now(), ...(await readPicture(CAPTURES_SHOWN)) }
  }

  get history(): readonly Sample[] {
    return this.#history
  }

  /** Reads and tells until the station closes. One failed reading (a busy store) is not the end. */
  async run(): Promise<void> {
    const { clock, closing } = this.#parts
    while (!closing.aborted) {
      await this.beat().catch(() => {})
      await this.#visitors.wait(this.#isQuiet() ? REST_MS : EVERY_MS, clock, closing)
    }
  }

  async beat(): Promise<void> {
    if (this.#listeners.size === 0) return this.#keep(await this.#parts.readSample())
    const snapshot = await this.snapshot()
    this.#keep(snapshot.sample)
    const { collections, station, captures } = snapshot
    const text = JSON.stringify({ collections, station, captures })
    // An idle station still says that it is there, in a few bytes.
    const isNews = text !== this.#lastText
    this.#lastText = text
    for (const tell of this.#listeners) {
      if (isNews) tell('snapshot', snapshot)
      else tell('unchanged', { now: snapshot.now })
    }
  }

  #isQuiet(): boolean {
    const last = this.#history.at(-1)
    return this.#listeners.size === 0 && last !== undefined && Object.keys(last.done).length === 0
  }

  #keep(sample: Sample): void {
    this.#history = [...this.#history, sample].slice(-SAMPLES_MAX)
  }

  /** Something beside the snapshots, told at once. */
  tell(event: string, data: unknown): void {
    for (const tell of this.#listeners) tell(event, data)
  }

  listen(listener: Listener): () => void {
    if (this.#isQuiet()) this.#visitors.ring()
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}

/** Aborts when a stream is to end. */
type StreamSignal = (request: FastifyRequest, raw: ServerResponse) => AbortSignal

export function liveRoutes(app: FastifyInstance, live: LiveEvents, signalFor: StreamSignal): void {
  app.get('/snapshot', may('collections:read'), async () => ({
    ...(await live.snapshot()),
    history: live.history,
  }))
  app.get('/events', may('collections:read'), async (request, reply) => {
    const first = { ...(await live.snapshot()), history: live.history }
    reply.hijack()
    stream(reply.raw, { live, first, closing: signalFor(request, reply.raw) })
  })
}

/** A reader that takes nothing for this long (bytes) is cut off; its browser comes back by itself. */
const UNREAD_BYTES_MAX = 1024 * 1024

function stream(
  raw: ServerResponse,
  options: { live: LiveEvents; first: unknown; closing: AbortSignal },
): void {
  const { live, first, closing } = options
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  const send: Listener = (event, data) => {
    if (raw.writableLength > UNREAD_BYTES_MAX) return void raw.destroy()
    raw.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  }
  send('snapshot', first)
  const leave = live.listen(send)
  const end = (): void => void raw.end()
  closing.addEventListener('abort', end, { once: true })
  raw.once('close', () => {
    leave()
    closing.removeEventListener('abort', end)
  })
}
