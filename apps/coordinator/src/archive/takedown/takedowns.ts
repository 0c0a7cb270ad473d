/**
 * Taking captures down: requested → located → overwritten → done.
 *
 * The row with the request is committed first, so that the next start finishes what a crash
 * interrupted. The locations of the records are stored before the first is overwritten, because
 * afterwards it is impossible to read which belong together. Rows go last: while they are there,
 * the bytes may be.
 */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { prefixRange } from '@minga/archive'
import {
  faultPoint,
  takedownRequest,
  type CaptureRow,
  type TakedownAnswer,
  type TakedownCapture,
} from '@minga/protocol'
import { z } from 'zod'
import { runExclusive } from '@minga/protocol/run-exclusive'
import type { FastifyInstance } from 'fastify'
import { writeArchiveIndex } from '../captures/archive-index.ts'
import { urlIn } from '../protocols/url-in-path.ts'
import type { UrlIndex } from '../url-index.ts'
import { NoSuchCapture } from '../errors.ts'
import { repairUnresolved } from '../repair/repair.ts'
import type { Station } from '../../station/station.ts'
import { may, type RouteContext } from '../../accounts/access.ts'
import { UnclearTakedown } from './errors.ts'
import { STALE, type FinishedTakedowns } from './finish-takedowns.ts'
import { findPlaces, overwriteRecords } from './overwrite-records.ts'
import type { AskTakedown, OpenTakedown } from './takedown-rows.ts'

interface TakedownDeps {
  urlIndex: UrlIndex
  /** Takes what is gone out of the lake's tables, too. */
  forgetRows: () => Promise<void>
}

/** Captures in one step: short enough not to hold up the store. */
const STEP_CAPTURES = 100
const PAGE_ROWS = 2_000

type ParsedRequest = z.output<typeof takedownRequest>

export class Takedowns {
  readonly #station: Station
  readonly #deps: TakedownDeps

  constructor(station: Station, deps: TakedownDeps) {
    this.#station = station
    this.#deps = deps
  }

  async take(asked: ParsedRequest, by: string): Promise<TakedownAnswer> {
    const { reason, block, dryRun } = asked
    const chosen = await this.#choose(asked)
    const captures = await this.#planned(chosen)
    if (!dryRun) await this.takeCaptures(chosen, { reason, by, isBlocked: block })
    return { captures: captures.map(shown), dryRun }
  }

  /** Everything of these captures is gone when this resolves. */
  async takeCaptures(
    captureIds: readonly number[],
    why: Pick<AskTakedown, 'reason' | 'by' | 'isBlocked'>,
  ): Promise<void> {
    const { store, clock } = this.#station
    for (const ids of stepsOf(captureIds)) {
      await store.call('askTakedown', { captureIds: ids, ...why, now: clock.now() })
    }
    faultPoint('takedown:asked')
    await this.resume()
  }

  /** Finishes pending takedowns, including those of a process that has died since. */
  resume(): Promise<void> {
    return runExclusive(this, async () => {
      let unresolved = 0
      for (;;) {
        const done = await this.#step()
        if (done === null) break
        unresolved += done.unresolved
      }
      if (unresolved > 0) await repairUnresolved(this.#station, null)
      const indexed = await this.#station.store.call('readFact', { name: 'indexed' })
      if (indexed === STALE) await writeArchiveIndex(this.#station.store, this.#station.data)
      await this.#deps.forgetRows()
    })
  }

  /** Newest first. */
  list({
    before = Number.MAX_SAFE_INTEGER,
    limit,
  }: {
    before?: number | undefined
    limit: number
  }) {
    return this.#station.store.call('listTakedowns', { before, limit })
  }

  /** Null when there was nothing to do. */
  async #step(): Promise<FinishedTakedowns | null> {
    const { store, clock } = this.#station
    const open = () => store.call('openTakedowns', { limit: STEP_CAPTURES })
    const asked = await open()
    if (asked.length === 0) return null
    await this.#place(asked.filter(({ places }) => places === null))
    faultPoint('takedown:placed')
    const placed = (await open()).filter(({ places }) => places !== null)
    for (const [file, takedowns] of Map.groupBy(placed, (takedown) => takedown.file)) {
      await overwriteRecords(this.#pathOf(file), takedowns)
    }
    faultPoint('takedown:overwritten')
    const ids = placed.map(({ id }) => id)
    const done = await store.call('finishTakedowns', { ids, now: clock.now() })
    faultPoint('takedown:done')
    return done
  }

  async #place(asked: readonly OpenTakedown[]): Promise<void> {
    const { store } = this.#station
    for (const [file, takedowns] of Map.groupBy(asked, (takedown) => takedown.file)) {
      const places = await findPlaces(this.#pathOf(file), takedowns, randomUUID)
      const placed = takedowns.map(({ id }, i) => ({ id, places: places[i]! }))
      await store.call('placeTakedowns', { placed })
    }
  }

  #pathOf(file: string): string {
    return join(this.#station.data, 'archive', file)
  }

  async #planned(captureIds: readonly number[]): Promise<CaptureRow[]> {
    const planned = new Map<number, CaptureRow>()
    for (const ids of stepsOf(captureIds)) {
      const rows = await this.#station.store.call('takedownPlan', { captureIds: ids })
      for (const row of rows) planned.set(row.id, row)
    }
    return [...planned.values()]
  }

  async #choose({ urls, versions, at }: ParsedRequest) {
    const chosen = new Set<number>()
    for (const url of urls) {
      const ids = versions === 'prefix' ? await this.#below(url) : await this.#of(url, versions, at)
      if (ids.length === 0) throw new NoSuchCapture(url, '`minga archive list` shows what it has')
      for (const id of ids) chosen.add(id)
    }
    return [...chosen]
  }

  async #of(url: string, versions: 'one' | 'at' | 'all', at: number | null): Promise<number[]> {
    const { store } = this.#station
    if (versions === 'at') {
      if (at === null) throw UnclearTakedown.withoutTime()
      const place = await store.call('captureContent', { url, at })
      return place === null ? [] : [place.capture.id]
    }
    const ids = await this.#allOf(url)
    if (versions === 'one' && ids.length > 1) throw UnclearTakedown.severalVersions(url, ids.length)
    return ids
  }

  async #allOf(url: string): Promise<number[]> {
    const ids: number[] = []
    let after = {}
    for (;;) {
      const asked = { url, limit: PAGE_ROWS, ...after }
      const rows = await this.#station.store.call('listCaptures', asked)
      ids.push(...rows.map(({ id }) => id))
      const last = rows.at(-1)
      if (last === undefined || rows.length < PAGE_ROWS) return ids
      after = { afterId: last.id, afterAt: last.capturedAt }
    }
  }

  async #below(text: string): Promise<number[]> {
    const { urlIndex } = this.#deps
    const url = urlIn(text)
    await urlIndex.catchUp()
    const whole = { fromAt: 0, toAt: Number.MAX_SAFE_INTEGER, newestFirst: false }
    const ids: number[] = []
    for await (const capture of urlIndex.captures({ ...prefixRange(url), ...whole })) {
      // The order of keys takes http for https and www. for nothing.
      if (capture.url.startsWith(url)) ids.push(capture.id)
    }
    return ids
  }
}

function* stepsOf(ids: readonly number[]): Generator<readonly number[]> {
  for (let from = 0; from < ids.length; from += STEP_CAPTURES) {
    yield ids.slice(from, from + STEP_CAPTURES)
  }
}

const shown = ({ url, capturedAt, kind, digest, file }: CaptureRow): TakedownCapture => {
  return { url, capturedAt, kind, digest, file }
}

const ACTION = 'archive:takedown'
const listQuery = z.object({
  before: z.coerce.number().int().optional(),
  limit: z.coerce.number().int().min(1).max(10_000).default(1_000),
})

/** Taking down over HTTP, and the list of what was taken down. */
export function takedownRoutes(
  app: FastifyInstance,
  { access, takedowns }: RouteContext & { takedowns: Takedowns },
): void {
  app.post('/takedowns', may(ACTION), (request) => {
    const { accountId } = access.requireAction(request, ACTION)
    return takedowns.take(takedownRequest.parse(request.body), accountId)
  })
  app.get('/takedowns', may(ACTION), (request) => takedowns.list(listQuery.parse(request.query)))
}
