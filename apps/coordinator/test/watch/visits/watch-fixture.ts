/** A station that watches pages of a synthetic web, on virtual time. */
import type {
  ForecastView,
  VersionView,
  VisitView,
  WatchDetail,
  WatchRequest,
} from '@minga/protocol'
import type { LeasedRequest } from '../../../../agent/src/fetch/leased-request.ts'
import type { Parcel } from '../../../../agent/src/record/outbox.ts'
import {
  leasedRequestsOf,
  openStation,
  type Page,
  type StationChanges,
  type TestStation,
  type Web,
} from '../../station-fixture.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

export class WatchStation {
  readonly station: TestStation
  /** What the sites show; tests change it between visits. */
  web: Web = {}
  /** What a site shows at a moment, for webs that change by themselves. */
  pageAt: (url: string, now: number) => Page | undefined = (url) => this.web[url]
  /** What a device makes of its result before it sends it. */
  alter: (parcel: Parcel) => Parcel = (parcel) => parcel
  /** Every request that an agent made, robots.txt apart. */
  readonly hits: { url: string; at: number; isConditional: boolean; since: string | null }[] = []

  constructor(station: TestStation) {
    this.station = station
  }

  async watch(request: WatchRequest): Promise<WatchDetail> {
    await this.station.hello()
    const said = await this.station.post('/watches', { delayMs: 0, ...request })
    if (said.status !== 200) throw new Error(JSON.stringify(said.body))
    return said.body as WatchDetail
  }

  /** Time passes; whatever becomes due is fetched at once. */
  async pass(ms: number): Promise<void> {
    const { clock } = this.station
    const until = clock.now() + ms
    await this.work()
    while (clock.now() < until) {
      const due = await this.#nextDue()
      // Not before the next tick, and no later than a replanning.
      const soon = Math.min(due ?? until, clock.now() + DAY_MS)
      // What is due and was not queued waits for the budget.
      const waitMs = soon <= clock.now() ? HOUR_MS : 1_000
      const next = Math.max(clock.now() + waitMs, soon)
      await clock.advance(Math.min(next, until) - clock.now())
      await this.work()
    }
  }

  async #nextDue(): Promise<number | null> {
    const said = await this.station.get('/watches/forecast?limit=1')
    return (said.body as ForecastView[])[0]?.nextVisitAt ?? null
  }

  /** Fetches until nothing is queued. */
  async work(): Promise<void> {
    for (let rounds = 0; rounds < 40; rounds++) {
      await this.station.tick()
      const all = await this.station.store.call('collectionStatus', {
        id: null,
      })
      if (!all.some(({ state, queued }) => state === 'running' && queued > 0)) return
      await this.fetchBlock()
    }
    const all = await this.station.store.call('collectionStatus', { id: null })
    throw new Error(`the work does not end: ${JSON.stringify(all)}`)
  }

  async fetchBlock(): Promise<void> {
    await this.station.hello()
    // Checking a queue may end all of it: what robots.txt forbids is not assigned.
    const block = await this.station.lease().catch(() => null)
    if (block === null) return
    await this.station.send(leasedRequestsOf(block).map((leased) => this.#fetch(leased)))
  }

  #fetch(leased: LeasedRequest): Parcel {
    const { url, kind, previous } = leased.request
    const page = this.pageAt(url, this.station.clock.now())
    const etag = previous?.etag ?? null
    if (kind !== 'robots') {
      const since = previous?.lastModified ?? null
      this.hits.push({ url, at: this.station.clock.now(), isConditional: etag !== null, since })
    }
    const isSame = etag !== null && page?.headers?.some(([, value]) => value === etag)
    const shown = isSame ? { ...page, status: 304, body: '' } : page
    return this.alter(this.station.record(leased, shown))
  }

  async visits(id: number): Promise<VisitView[]> {
    return (await this.station.get(`/watches/${id}/visits?limit=1000`)).body as VisitView[]
  }

  async forecast(id: number): Promise<ForecastView[]> {
    return (await this.station.get(`/watches/${id}/forecast`)).body as ForecastView[]
  }

  async versions(id: number): Promise<VersionView[]> {
    return (await this.station.get(`/watches/${id}/versions`)).body as VersionView[]
  }
}

export async function openWatchStation(changes: StationChanges = {}): Promise<WatchStation> {
  return new WatchStation(await openStation(changes))
}
