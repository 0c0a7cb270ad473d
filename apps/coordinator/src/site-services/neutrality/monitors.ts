/** The neutrality monitor on the coordinator's side: what is watched, and what was found. */
import { randomBytes } from 'node:crypto'
import {
  MonitorRefused,
  endedRuns,
  findingsText,
  flagsCsv,
  flagsOf,
  type Monitor,
  type PlaceFlag,
  type RunRow,
  type UrlFinding,
  type UrlObservation,
} from '@minga/fleet'
import { monitorMessage, type MonitorMessage } from '@minga/protocol'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { RateLimits, type Allowance } from '../../http/request-limits/rate-limits.ts'
import { Pseudonyms } from '../../clients/pseudonyms.ts'
import { admit } from '../../station/admission.ts'
import type { Station } from '../../station/station.ts'
import { may, type RouteContext } from '../../accounts/access.ts'
import { idParams } from '../../accounts/fields.ts'

const MAKING: Allowance = { what: 'making monitors', burst: 20, everyMs: 60_000 }
const ID_BYTES = 10
const SECOND_MS = 1_000
/** Runs that are read to say since when something is so. */
const HISTORY_MAX = 30

export interface RunView {
  no: number
  startedAt: number
  endedAt: number | null
  /** Of an ended run. */
  deviations: number | null
}

export interface MonitorView extends Omit<Monitor, 'account'> {
  history: RunView[]
}

export interface MonitorReport {
  id: string
  name: string
  by: Monitor['by']
  /** Null when no run has ended yet. */
  run: RunView | null
  flags: PlaceFlag[]
  findings: UrlFinding[]
  history: RunView[]
  /** What each device saw, where it was asked for; devices have other names in every run. */
  sightings?: (Omit<UrlObservation, 'device' | 'urlNo'> & { url: string; device: string })[]
}

export class Monitors {
  readonly #station: Station
  readonly #limits: RateLimits
  readonly #pseudonyms: Pseudonyms

  constructor(station: Station) {
    this.#station = station
    this.#limits = new RateLimits(station.clock)
    this.#pseudonyms = new Pseudonyms(station.secret)
  }

  async create(account: string, message: MonitorMessage): Promise<MonitorView> {
    const { store, clock } = this.#station
    const urls = [...new Set(message.urls.map((url) => this.#judged(url)))]
    this.#limits.take(MAKING, account)
    const { name, by, devicesPerPlace, everyMs, patienceS } = message
    const monitor = await store.call('addMonitor', {
      id: `mon_${randomBytes(ID_BYTES).toString('hex')}`,
      account,
      name,
      urls,
      by,
      devicesPerPlace,
      everyMs,
      runMs: patienceS * SECOND_MS,
      now: clock.now(),
    })
    return viewOf(monitor, [])
  }

  #judged(asked: string): string {
    const { url, refusal } = admit(asked, 'monitor', this.#station)
    if (url === null) throw MonitorRefused.address(asked, 'it is no http or https address')
    if (refusal !== null) throw MonitorRefused.address(url, refusal.reason)
    return url
  }

  async view(owner: string | null, id: string): Promise<MonitorView> {
    const monitor = await this.#monitor(owner, id)
    return viewOf(monitor, await this.#runs(id, null))
  }

  #monitor(owner: string | null, id: string): Promise<Monitor> {
    return this.#station.store.call('monitorOf', { id, owner })
  }

  #runs(id: string, upTo: number | null): Promise<RunRow[]> {
    return this.#station.store.call('runsOf', { id, upTo, limit: HISTORY_MAX })
  }

  async list(
    owner: string | null,
    page: { before: number; limit: number },
  ): Promise<MonitorView[]> {
    const monitors = await this.#station.store.call('listMonitors', { owner, ...page })
    return monitors.map((monitor) => viewOf(monitor, []))
  }

  async stop(owner: string | null, id: string): Promise<MonitorView> {
    await this.#station.store.call('stopMonitor', { id, owner })
    return this.view(owner, id)
  }

  /** Of the last run that has ended, or of an earlier one. */
  async report(
    owner: string | null,
    id: string,
    asked: { run: number | null; details: boolean },
  ): Promise<MonitorReport & { runs: ReturnType<typeof endedRuns> }> {
    const { urls, name, by } = await this.#monitor(owner, id)
    const rows = await this.#runs(id, asked.run)
    const runs = endedRuns(rows)
    const last = runs.at(-1)
    const history = rows.map(runView)
    const report = {
      id,
      name,
      by,
      run: history.findLast(({ no }) => no === last?.no) ?? null,
      flags: flagsOf(runs),
      findings: [...(last?.findings ?? [])],
      history,
      runs,
    }
    if (!asked.details || last === undefined) return report
    return { ...report, sightings: await this.#observations({ id, urls }, last.no) }
  }

  async #observations(
    { id, urls }: Pick<Monitor, 'id' | 'urls'>,
    runNo: number,
  ): Promise<NonNullable<MonitorReport['sightings']>> {
    const { store } = this.#station
    const seen = await store.call('listObservations', { monitor: id, runNo })
    return seen.map(({ device, urlNo, ...observation }) => ({
      url: urls[urlNo] ?? '',
      ...observation,
      device: this.#pseudonyms.of(`${id} ${runNo}`, String(device)),
    }))
  }

  /** About twice a second. */
  async tick(): Promise<void> {
    const { store, clock, work } = this.#station
    const isNew = await store.call('runDueMonitors', { now: clock.now() })
    if (isNew) work.notifyAll()
  }
}

function viewOf({ account: _account, ...monitor }: Monitor, runs: readonly RunRow[]): MonitorView {
  return { ...monitor, history: runs.map(runView) }
}

function runView({ no, startedAt, endedAt, findings }: RunRow): RunView {
  const deviations = findings?.reduce((sum, finding) => sum + finding.deviations.length, 0)
  return { no, startedAt, endedAt, deviations: deviations ?? null }
}

const listQuery = z.object({
  before: z.coerce.number().default(Number.MAX_SAFE_INTEGER),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
})
const reportQuery = z.object({
  as: z.enum(['json', 'csv', 'text']).default('json'),
  run: z.coerce.number().int().min(1).nullable().default(null),
  details: z.stringbool().default(false),
})
const READ = may('neutrality:read')
const WRITE = may('neutrality:write')

/** The neutrality monitor over HTTP. */
export function monitorRoutes(
  app: FastifyInstance,
  { access, monitors }: RouteContext & { monitors: Monitors },
): void {
  app.post('/neutrality', WRITE, (request) => {
    const { accountId } = access.requireAction(request, 'neutrality:write')
    return monitors.create(accountId, monitorMessage.parse(request.body))
  })
  app.get('/neutrality', READ, (request) =>
    monitors.list(access.ownerFor(request, 'neutrality:read'), listQuery.parse(request.query)),
  )
  app.get('/neutrality/:id', READ, (request) => {
    const { id } = idParams.parse(request.params)
    return monitors.view(access.ownerFor(request, 'neutrality:read'), id)
  })
  app.post('/neutrality/:id/stop', WRITE, (request) => {
    const { id } = idParams.parse(request.params)
    return monitors.stop(access.ownerFor(request, 'neutrality:write'), id)
  })
  app.get('/neutrality/:id/report', READ, async (request, reply) => {
    const { id } = idParams.parse(request.params)
    const { as, ...asked } = reportQuery.parse(request.query)
    const owner = access.ownerFor(request, 'neutrality:read')
    const { runs, ...report } = await monitors.report(owner, id, asked)
    if (as === 'csv') return reply.type('text/csv; charset=utf-8').send(flagsCsv(report.flags))
    if (as === 'text') {
      return reply.type('text/plain; charset=utf-8').send(findingsText(report.name, runs))
    }
    return report
  })
}
