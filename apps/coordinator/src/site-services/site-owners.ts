/**
 * What owners of sites ask of the station, without an account: prove that a host is theirs, slow the
 * fleet down or stop it there, see what was asked of the host, and learn whether an address was ours.
 */
import { randomBytes } from 'node:crypto'
import {
  PROOF_PATH,
  recordNames,
  recordOf,
  secretHash,
  type AddressAnswer,
  type ProofPurpose,
  type ProofView,
} from '@minga/fleet'
import { hostNameOf, literalAddress, parseHostRule } from '@minga/frontier'
import { guardUrl, type TxtLookup } from '@minga/net'
import { RateLimits, placeOf, type Allowance } from '../http/request-limits/rate-limits.ts'
import { BadHost } from '../station/errors.ts'
import { endClosings } from '../station/host-closings.ts'
import type { HostAccount, OwnerWish } from './owner-rules.ts'
import { PROOF_PREFIX } from './proof-files.ts'
import type { Station } from '../station/station.ts'

/** Each costs a row that lives for a week. */
const OPENING: Allowance = { what: 'opening proofs', burst: 10, everyMs: 60_000 }
/**
 * Each check sends a request to a site, so it is also counted by host: otherwise the station could
 * be used to attack one.
 */
const CHECKING: Allowance = { what: 'checking proofs', burst: 10, everyMs: 10_000 }
const CHECKING_HOST: Allowance = { what: 'checking this host', burst: 5, everyMs: 30_000 }
/** Few enough that a network cannot be searched for volunteers. */
const ASKING_ADDRESS: Allowance = { what: 'asking about addresses', burst: 10, everyMs: 60_000 }
const READING: Allowance = { what: "reading a host's account", burst: 30, everyMs: 1_000 }

/** Long enough to be unguessable; the id is no secret. */
const ID_BYTES = 10
const SECRET_BYTES = 32
/** How long a check waits for the file: a device asks at once, and most sites answer in a second. */
const FILE_PATIENCE_MS = 8_000
const LOOK_EVERY_MS = 250
const SWEEP_EVERY_MS = 60_000

export interface OwnProof {
  id: string
  secret: string
}

export interface OpenedProof extends OwnProof {
  host: string
  token: string
  expiresAt: number
  file: { path: string; content: string }
  /** Null where the host is an address: it has no name in DNS. */
  dns: { name: string; type: 'TXT'; value: string } | null
}

export class SiteOwners {
  readonly #station: Station
  readonly #txt: TxtLookup
  readonly #limits: RateLimits
  #nextSweepMs = 0

  constructor(station: Station, txt: TxtLookup) {
    this.#station = station
    this.#txt = txt
    this.#limits = new RateLimits(station.clock)
  }

  async open(asked: { host: string; purpose: ProofPurpose }, from: string): Promise<OpenedProof> {
    const { store, clock } = this.#station
    const host = this.#hostOf(asked.host)
    this.#limits.take(OPENING, placeOf(from))
    const id = `${PROOF_PREFIX}${randomBytes(ID_BYTES).toString('hex')}`
    const secret = randomBytes(SECRET_BYTES).toString('base64url')
    const token = `minga-${randomBytes(ID_BYTES * 2).toString('hex')}`
    const proof = await store.call('openProof', {
      id,
      host,
      purpose: asked.purpose,
      token,
      secretHash: secretHash(secret),
      now: clock.now(),
    })
    return { id, secret, host, token, expiresAt: proof.expiresAt, ...instructionsFor(proof) }
  }

  /** A host from which this station might fetch; the guard speaks before anyone looks. */
  #hostOf(text: string): string {
    const host = parseHostRule(text)
    if (host === null || host.startsWith('*.')) throw BadHost.named(text)
    const refusal = guardUrl(`http://${host}/`, this.#station.guard)
    if (refusal !== null) throw BadHost.refused(host, refusal.reason)
    return host
  }

  proof({ id, secret }: OwnProof): Promise<ProofView> {
    const { store, clock } = this.#station
    return store.call('proofOf', { id, secretHash: secretHash(secret), now: clock.now() })
  }

  /**
   * Queries DNS now and has the file fetched; returns what is known when the file has come. DNS is
   * not queried for a load test: the name says nothing about the machine that would be tested.
   */
  async check(proof: OwnProof, from: string): Promise<ProofView> {
    const { store, clock, work } = this.#station
    const { host, purpose } = await this.proof(proof)
    this.#limits.take(CHECKING, placeOf(from))
    this.#limits.take(CHECKING_HOST, host)
    const key = { id: proof.id, secretHash: secretHash(proof.secret) }
    await store.call('wantFile', { ...key, now: clock.now() })
    work.notifyAll()
    if (purpose !== 'load-test') await this.#askDns(proof.id, host)
    const untilMs = clock.monotonicMs() + FILE_PATIENCE_MS
    for (;;) {
      const view = await this.proof(proof)
      const isFound = view.provenAt !== null && view.provenAt === view.checkedAt
      if (isFound || !view.isFileWanted || clock.monotonicMs() >= untilMs) return view
      await clock.sleep(LOOK_EVERY_MS)
    }
  }

  async #askDns(id: string, host: string): Promise<void> {
    if (literalAddress(host) !== null) return
    const { store, clock } = this.#station
    const answers = await Promise.all(recordNames(hostNameOf(host)).map((name) => this.#txt(name)))
    const records = answers.flatMap((answer) => (answer.ok ? answer.records : []))
    const failure = answers.find((answer) => !answer.ok)
    const note = failure === undefined ? 'no TXT record with the token' : 'MINGA_DNS_FAILED'
    await store.call('noteRecords', { id, records, note, now: clock.now() })
  }

  async decide({ id, secret }: OwnProof, wish: OwnerWish): Promise<HostAccount> {
    const { store, clock } = this.#station
    const key = { id, secretHash: secretHash(secret) }
    await store.call('putOwnerRule', { ...key, wish, now: clock.now() })
    await endClosings(this.#station)
    return store.call('accountForOwner', { ...key, now: clock.now() })
  }

  async undo({ id, secret }: OwnProof, pattern: string): Promise<HostAccount> {
    const { store, clock, work } = this.#station
    const key = { id, secretHash: secretHash(secret) }
    await store.call('dropOwnerRule', { ...key, pattern, now: clock.now() })
    work.notifyAll()
    return store.call('accountForOwner', { ...key, now: clock.now() })
  }

  account({ id, secret }: OwnProof, from: string): Promise<HostAccount> {
    const { store, clock } = this.#station
    this.#limits.take(READING, placeOf(from))
    return store.call('accountForOwner', { id, secretHash: secretHash(secret), now: clock.now() })
  }

  /** Whether one of our devices in that address's network asked that host around then. */
  askAddress(
    asked: { host: string; address: string; at: number; windowMs: number },
    from: string,
  ): Promise<AddressAnswer> {
    const { store, clock, settings } = this.#station
    const host = this.#hostOf(asked.host)
    this.#limits.take(ASKING_ADDRESS, placeOf(from))
    const { addressesKeptMs, detailsKeptMs } = settings.current()
    const keptMs = Math.min(addressesKeptMs, detailsKeptMs)
    return store.call('askAddress', { ...asked, host, keptMs, now: clock.now() })
  }

  /** At the station's pulse. */
  async tick(): Promise<void> {
    const { store, clock } = this.#station
    if (clock.monotonicMs() < this.#nextSweepMs) return
    this.#nextSweepMs = clock.monotonicMs() + SWEEP_EVERY_MS
    await store.call('sweepProofs', { now: clock.now() })
  }
}

export function instructionsFor({
  host,
  token,
}: Pick<ProofView, 'host' | 'token'>): Pick<OpenedProof, 'file' | 'dns'> {
  const name = hostNameOf(host)
  const dns = { name: recordNames(name)[0]!, type: 'TXT' as const, value: recordOf(token) }
  return {
    file: { path: PROOF_PATH, content: token },
    dns: literalAddress(host) === null ? dns : null,
  }
}
