/**
 * Live data of the page: once a second one read of the store becomes one snapshot, sent to every
 * browser that listens (`GET /api/events`) and to those that cannot hold a stream open (`GET
 * /api/snapshot`). A thousand open pages cost the store one read; without listeners, only the few
 * numbers are read from which the plot of the last minutes is made.
 */
import type { ServerResponse } from 'node:http'
import type { Clock, Sample, Snapshot } from '@minga/protocol'
import type { FastifyInstance } from 'fastify'
import { may, type Access } from '../accounts/access.ts'
import type { Station } from '../station/station.ts'
import { ConditionVariable } from '@minga/protocol/condition-variable'
import type { Viewer } from '../accounts/visibility/viewer.ts'

/** A glance cannot follow more than one change a second. */
const EVERY_MS = 1_000
/** Interval without listeners and with nothing to plot. */
const REST_MS = 5_000
/** Five minutes: the width of the page's plot. */
const SAMPLES_MAX = 300
const CAPTURES_SHOWN = 18

/** What is read in one go. */
export type LivePicture = Omit<Snapshot, 'now' | 'history'>

/** What a page begins with: the last minutes, too. */
interface FirstSnapshot extends Snapshot {
  history: Sample[]
}

export interface LiveParts {
  clock: Clock
  /** As one viewer sees it, or all of it. */
  readPicture: (capturesMost: number, viewer: Viewer | null) => Promise<LivePicture>
  /** The collections that are not for a viewer. */
  listHidden: (viewer: Viewer) => Promise<number[]>
  /** The counts that are recorded even without listeners. */
  readSample(): Promise<Sample>
  /** Aborts when the station closes: streams end at once. */
  closing: AbortSignal
}

type Listener = (event: string, data: unknown) => void

export class LiveEvents {
  readonly #parts: LiveParts
  /** By who looks: those who see the same get the same reading. */
  readonly #circles = new Map<string, Circle>()
  #history: Sample[] = []
  readonly #visitors = new ConditionVariable()

  constructor(parts: LiveParts) {
    this.#parts = parts
  }

  async snapshot(viewer: Viewer | null = null): Promise<Snapshot> {
    const { clock, readPicture } = this.#parts
    return { now: clock.now(), ...(await readPicture(CAPTURES_SHOWN, viewer)) }
  }

  get history(): readonly Sample[] {
    return this.#history
  }

  /** What a page begins with. */
  async beginning(viewer: Viewer | null): Promise<FirstSnapshot> {
    const snapshot = await this.snapshot(viewer)
    const hidden = viewer === null ? [] : await this.#parts.listHidden(viewer)
    const seen = (numbers: Sample['done']): Sample['done'] =>
      Object.fromEntries(Object.entries(numbers).filter(([id]) => !hidden.includes(Number(id))))
    const history = this.#history.map((sample) =>
      hidden.length === 0
        ? sample
        : { ...sample, done: seen(sample.done), bytes: seen(sample.bytes) },
    )
    return { ...snapshot, history }
  }

  /** Reads and tells until the station closes. One failed reading (a busy store) is not the end. */
  async run(): Promise<void> {
    const { clock, closing } = this.#parts
    while (!closing.aborted) {
      await this.beat().catch(() => {})
      await this.#visitors.waitFor(this.#isQuiet() ? REST_MS : EVERY_MS, clock, closing)
    }
  }

  async beat(): Promise<void> {
    if (this.#circles.size === 0) return this.#keep(await this.#parts.readSample())
    const whole = await this.snapshot()
    this.#keep(whole.sample)
    for (const circle of this.#circles.values()) {
      const { viewer } = circle
      // Viewers from whom nothing is hidden share one read.
      const isWhole = viewer === null || (await this.#parts.listHidden(viewer)).length === 0
      tellCircle(circle, isWhole ? whole : await this.snapshot(viewer))
    }
  }

  #isQuiet(): boolean {
    const last = this.#history.at(-1)
    return this.#circles.size === 0 && last !== undefined && Object.keys(last.done).length === 0
  }

  #keep(sample: Sample): void {
    this.#history = [...this.#history, sample].slice(-SAMPLES_MAX)
  }

  /** Sends an event at once, outside of the snapshots. */
  tell(event: string, data: unknown): void {
    for (const { listeners } of this.#circles.values()) {
      for (const tell of listeners) tell(event, data)
    }
  }

  listen(listener: Listener, viewer: Viewer | null = null): () => void {
    if (this.#isQuiet()) this.#visitors.notifyAll()
    const key = JSON.stringify(viewer)
    const circle = this.#circles.get(key) ?? { viewer, listeners: new Set(), lastText: '' }
    this.#circles.set(key, circle)
    circle.listeners.add(listener)
    return () => {
      circle.listeners.delete(listener)
      if (circle.listeners.size === 0) this.#circles.delete(key)
    }
  }
}

/** Those who see the same. */
interface Circle {
  viewer: Viewer | null
  listeners: Set<Listener>
  lastText: string
}

function tellCircle(circle: Circle, snapshot: Snapshot): void {
  const { collections, station, captures } = snapshot
  const text = JSON.stringify({ collections, station, captures })
  // An idle station still says that it is there, in a few bytes.
  const isNews = text !== circle.lastText
  circle.lastText = text
  for (const tell of circle.listeners) {
    if (isNews) tell('snapshot', snapshot)
    else tell('unchanged', { now: snapshot.now })
  }
}

interface LiveContext extends Pick<Station, 'closing'> {
  live: LiveEvents
  access: Pick<Access, 'viewerOf' | 'whileAllowed'>
}

export function liveRoutes(app: FastifyInstance, { live, access, closing }: LiveContext): void {
  app.get('/snapshot', may('collections:read'), (request) =>
    live.beginning(access.viewerOf(request)),
  )
  app.get('/events', may('collections:read'), async (request, reply) => {
    const viewer = access.viewerOf(request)
    const first = await live.beginning(viewer)
    const allowed = access.whileAllowed(request, reply.raw, 'collections:read')
    reply.hijack()
    stream(reply.raw, { live, viewer, first, closing: AbortSignal.any([closing, allowed]) })
  })
}

/** A reader that takes nothing for this long (bytes) is cut off; its browser comes back by itself. */
const UNREAD_BYTES_MAX = 1024 * 1024

function stream(
  raw: ServerResponse,
  options: { live: LiveEvents; viewer: Viewer | null; first: unknown; closing: AbortSignal },
): void {
  const { live, viewer, first, closing } = options
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
  const leave = live.listen(send, viewer)
  const end = (): void => void raw.end()
  closing.addEventListener('abort', end, { once: true })
  raw.once('close', () => {
    leave()
    closing.removeEventListener('abort', end)
  })
}
