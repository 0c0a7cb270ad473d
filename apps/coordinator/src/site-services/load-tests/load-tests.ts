/**
 * Load tests on the coordinator's side: requested, proven, started, stopped. No test begins without
 * a proof that was checked at that time, however well it was proven before; all requests stay
 * within the station's own ceilings (`LOAD_MOST`).
 */
import { createHmac, randomBytes } from 'node:crypto'
import {
  LoadTestRefused,
  LoadTestUnproven,
  secretHash,
  type LoadPlan,
  type LoadTestRow,
  type ProofView,
} from '@minga/fleet'
import type { HostTarget } from '@minga/frontier'
import { canonicalUrl, guardUrl, hostKeyOf } from '@minga/net'
import {
  isMingaError,
  type LoadOrder,
  type LoadPart,
  type LoadReport,
  type LoadTestMessage,
} from '@minga/protocol'
import { RateLimits, type Allowance } from '../../http/request-limits/rate-limits.ts'
import { resolveHosts } from '../../collect/resolve-hosts.ts'
import { PROOF_PREFIX } from '../proof-files.ts'
import type { OwnProof, SiteOwners } from '../site-owners.ts'
import { DISMISSAL, LoadRun, restUntil } from './load-run.ts'
import { reportOf, viewOf, type LoadTestReport, type LoadTestView } from './load-test-views.ts'
import type { Station } from '../../station/station.ts'

const MAKING: Allowance = { what: 'making load tests', burst: 20, everyMs: 60_000 }
const ID_BYTES = 10
/** The file is fetched when the host's clock allows it: ordinary work may have to end first. */
const FILE_PATIENCE_MS = 45_000
const LOOK_EVERY_MS = 500
const SECOND_MS = 1_000

export class LoadTests {
  readonly #station: Station
  readonly #siteOwners: SiteOwners
  readonly #limits: RateLimits
  readonly #runs = new Map<string, LoadRun>()

  constructor(station: Station, siteOwners: SiteOwners) {
    this.#station = station
    this.#siteOwners = siteOwners
    this.#limits = new RateLimits(station.clock)
  }

  async create(account: string, message: LoadTestMessage): Promise<LoadTestView> {
    const { store, clock } = this.#station
    const urls = message.urls.map((url) => this.#judged(url))
    const hosts = [...new Set(urls.map((url) => hostKeyOf(url)))]
    if (hosts.length > 1) throw LoadTestRefused.manyHosts(hosts)
    this.#limits.take(MAKING, account)
    const host = hosts[0]!
    const proof = await this.#proofFor(account, host)
    const row = await store.call('addLoadTest', {
      id: `load_${randomBytes(ID_BYTES).toString('hex')}`,
      account,
      host,
      proof: proof.id,
      plan: planOf(message, urls),
      now: clock.now(),
    })
    return viewOf(row, { proof, live: null })
  }

  #judged(asked: string): string {
    const url = canonicalUrl(asked)
    if (url === null) throw LoadTestRefused.address(asked, 'it is no http or https address')
    const refusal = guardUrl(url, this.#station.guard)
    if (refusal !== null) throw LoadTestRefused.address(url, refusal.reason)
    return url
  }

  /**
   * The same account and host have the same proof: it need not be published again for every test.
   */
  #ownProof(account: string, host: string): OwnProof {
    const made = (what: string): string =>
      createHmac('sha256', this.#station.secret)
        .update(`load test ${what} ${account} ${host}`)
        .digest('hex')
    return { id: `${PROOF_PREFIX}${made('id').slice(0, ID_BYTES * 2)}`, secret: made('secret') }
  }

  async #proofFor(account: string, host: string): Promise<ProofView> {
    const { store, clock } = this.#station
    const own = this.#ownProof(account, host)
    try {
      return await this.#siteOwners.proof(own)
    } catch (error) {
      if (!isMingaError(error) || error.code !== 'MINGA_NO_SUCH_PROOF') throw error
    }
    const now = clock.now()
    await store.call('sweepProofs', { now })
    return store.call('openProof', {
      id: own.id,
      host,
      purpose: 'load-test',
      token: `minga-${randomBytes(ID_BYTES * 2).toString('hex')}`,
      secretHash: secretHash(own.secret),
      now,
    })
  }

  async view(owner: string | null, id: string): Promise<LoadTestView> {
    return this.#viewOf(await this.#row(owner, id))
  }

  async #viewOf(row: LoadTestRow): Promise<LoadTestView> {
    const proof = row.state === 'waiting' ? await this.#proofFor(row.account, row.host) : null
    return viewOf(row, { proof, live: this.#runs.get(row.id)?.live() ?? null })
  }

  #row(owner: string | null, id: string): Promise<LoadTestRow> {
    return this.#station.store.call('loadTestOf', { id, owner })
  }

  async list(
    owner: string | null,
    page: { before: number; limit: number },
  ): Promise<LoadTestView[]> {
    const rows = await this.#station.store.call('listLoadTests', { owner, ...page })
    return Promise.all(rows.map((row) => this.#viewOf(row)))
  }

  async report(owner: string | null, id: string): Promise<LoadTestReport> {
    return reportOf(await this.#row(owner, id))
  }

  /** Checks the proof file now and begins only if it is there; `LoadRun` checks the address. */
  async start(owner: string | null, id: string, from: string): Promise<LoadTestView> {
    const { store, clock } = this.#station
    // Before the proof is checked: while a test runs, no agent fetches a file from its site.
    const { account, host } = await store.call('startableLoadTest', { id, owner })
    await this.#requireOpen(host)
    const { token } = await this.#requireProof({ account, host }, from)
    const machines = await store.call('loadMachines', { now: clock.now() })
    if (machines.length === 0) throw LoadTestRefused.noMachines()
    const address = await this.#addressOf(host)
    const test = await store.call('startLoadTest', {
      id,
      owner,
      address,
      restUntil: restUntil(this.#station),
      now: clock.now(),
    })
    const run = new LoadRun(this.#station, { test, address, machines, token })
    this.#runs.set(id, run)
    return this.view(owner, id)
  }

  /** Where nothing may be fetched, the file could not be read either. */
  async #requireOpen(host: string): Promise<void> {
    const { store, clock } = this.#station
    const args = { host, now: clock.now() }
    const { closedCode, isHeld } = await store.call('findHostTarget', args)
    if (closedCode !== null) throw LoadTestRefused.closed(host, closedCode)
    if (isHeld) throw LoadTestRefused.elsewhere(host)
  }

  async #requireProof(of: { account: string; host: string }, from: string): Promise<ProofView> {
    const { clock } = this.#station
    const lookedAt = clock.now()
    const isThere = ({ provenAt, provenBy }: ProofView): boolean =>
      provenAt !== null && provenAt >= lookedAt && provenBy === 'file'
    await this.#proofFor(of.account, of.host)
    const own = this.#ownProof(of.account, of.host)
    let proof = await this.#siteOwners.check(own, from)
    const untilMs = clock.monotonicMs() + FILE_PATIENCE_MS
    while (!isThere(proof) && proof.isFileWanted && clock.monotonicMs() < untilMs) {
      await clock.sleep(LOOK_EVERY_MS)
      proof = await this.#siteOwners.proof(own)
    }
    if (isThere(proof) && proof.purpose === 'load-test' && proof.host === of.host) return proof
    const found = proof.isFileWanted ? 'not fetched yet' : (proof.fileNote ?? 'not found')
    throw new LoadTestUnproven(of.host, `file: ${found}`)
  }

  async #addressOf(host: string): Promise<string> {
    const { store, clock } = this.#station
    const look = (): Promise<HostTarget> => store.call('findHostTarget', { host, now: clock.now() })
    const target = await look()
    if (target.address === null) await resolveHosts(this.#station, [target])
    const { address } = target.address === null ? await look() : target
    if (address === null) throw LoadTestRefused.unresolved(host)
    return address
  }

  async abort(owner: string | null, id: string): Promise<LoadTestView> {
    const { store, clock } = this.#station
    await store.call('askLoadAbort', { id, owner, now: clock.now() })
    this.#runs.get(id)?.stop('It was asked to stop.')
    return this.view(owner, id)
  }

  // ── machines ────────────────────────────────────────────────────────────────────────────

  partFor(device: string): LoadPart | null {
    for (const run of this.#runs.values()) {
      const part = run.partFor(device)
      if (part !== null) return part
    }
    return null
  }

  /**
   * A test that is not held here is over, or another coordinator's: this answer lets no agent
   * continue.
   */
  heard(device: string, id: string, report: LoadReport): LoadOrder {
    return this.#runs.get(id)?.heard(device, report) ?? DISMISSAL
  }

  /** About twice a second. */
  async tick(): Promise<void> {
    const { store, clock } = this.#station
    for (const [id, run] of this.#runs) {
      if (await run.tick()) this.#runs.delete(id)
    }
    await store.call('sweepLoadTests', { now: clock.now() })
  }
}

function planOf(message: LoadTestMessage, urls: string[]): LoadPlan {
  const { visitorsMax, stepS, thinkMs, answerMsMax, bears } = message
  const { durationS, ...ceilings } = message.ceilings
  return {
    urls,
    visitorsMax,
    stepMs: stepS * SECOND_MS,
    thinkMs,
    answerMsMax,
    bears,
    ceilings: { ...ceilings, durationMs: durationS * SECOND_MS },
  }
}
