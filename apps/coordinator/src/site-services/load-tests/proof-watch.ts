/**
 * The proof file of a load test, read by the coordinator itself from exactly the address that the
 * visitors dial and under the host's name. A name proves nothing about an address: the owner of a
 * name can point it to another's machine, also after the test has begun. So the file is read before
 * the first visitor comes and again every minute, and the test ends when it is not there any more.
 */
import { isInFile, PROOF_PATH } from '@minga/fleet'
import { hostNameOf } from '@minga/frontier'
import { guardAddress, guardUrl } from '@minga/net'
import { streamFrom } from '../../station/guarded-stream.ts'
import type { Station } from '../../station/station.ts'

const EVERY_MS = 60_000
/** A site under load may fail to answer once; until then it is asked again, and no longer. */
const UNCLEAR_MS_MAX = 30_000
const AGAIN_MS = 5_000
/** A proof is one line; other lines may stand next to it. */
const FILE_BYTES_MAX = 64 * 1024
const READ_MS_MAX = 10_000

export interface WatchedProof {
  urls: readonly string[]
  host: string
  address: string
  token: string
}

/** `unclear`: no answer came that would decide it. */
type Finding = { is: 'there' } | { is: 'gone' | 'unclear'; note: string }

export type ProofState = { is: 'unseen' | 'seen' } | { is: 'gone'; reason: string }

export class ProofWatch {
  readonly #station: Station
  readonly #proof: WatchedProof
  readonly #over = new AbortController()
  #state: ProofState = { is: 'unseen' }
  #isLooking = false
  #dueAtMs = -Infinity
  #unclearSinceMs: number | null = null

  constructor(station: Station, proof: WatchedProof) {
    this.#station = station
    this.#proof = proof
  }

  /** What is known now; begins to look when it is time, and never waits for the answer. */
  tick(): ProofState {
    const isDue = this.#station.clock.monotonicMs() >= this.#dueAtMs
    if (isDue && !this.#isLooking && this.#state.is !== 'gone') void this.#look()
    return this.#state
  }

  /** Ends a look that is under way. */
  close(): void {
    this.#over.abort()
  }

  async #look(): Promise<void> {
    this.#isLooking = true
    const startedAtMs = this.#station.clock.monotonicMs()
    this.#note(await this.#find(), startedAtMs)
    this.#isLooking = false
  }

  #note(found: Finding, startedAtMs: number): void {
    if (found.is === 'there') {
      this.#state = { is: 'seen' }
      this.#unclearSinceMs = null
      this.#dueAtMs = startedAtMs + EVERY_MS
      return
    }
    this.#unclearSinceMs ??= startedAtMs
    this.#dueAtMs = startedAtMs + AGAIN_MS
    const isHopeless = startedAtMs - this.#unclearSinceMs >= UNCLEAR_MS_MAX
    if (found.is === 'gone' || isHopeless) this.#state = { is: 'gone', reason: found.note }
  }

  async #find(): Promise<Finding> {
    const { host, address } = this.#proof
    const named = await this.#station.resolver.resolve(hostNameOf(host), undefined, {
      isFresh: true,
    })
    if (!named.ok && named.code === 'MINGA_DNS_FAILED') {
      return { is: 'unclear', note: `The address of ${host} could not be looked up any more.` }
    }
    if (!named.ok || !named.addresses.includes(address)) {
      const now = named.ok ? named.addresses.slice(0, 3).join(', ') : 'nowhere'
      return { is: 'gone', note: `${host} leads to ${now} now, not to ${address} as at the start.` }
    }
    return this.#findFile()
  }

  /** Pages of both schemes may be tested; the file is to be where one of them is. */
  async #findFile(): Promise<Finding> {
    const origins = new Set(this.#proof.urls.map((url) => new URL(url).origin))
    const found = await Promise.all([...origins].map((origin) => this.#readFile(origin)))
    const there = found.find(({ is }) => is === 'there')
    return there ?? found.find(({ is }) => is === 'unclear') ?? found[0]!
  }

  async #readFile(origin: string): Promise<Finding> {
    const { address, token } = this.#proof
    const { guard, userAgent, closing } = this.#station
    const url = new URL(`${origin}${PROOF_PATH}`)
    const missing = (is: 'gone' | 'unclear', what: string): Finding => ({
      is,
      note: `The proof file ${url.href} is not at ${address}: ${what}.`,
    })
    const refusal = guardUrl(url, guard) ?? guardAddress(address, guard)
    if (refusal !== null) return missing('gone', refusal.reason)
    const signal = AbortSignal.any([closing, this.#over.signal, AbortSignal.timeout(READ_MS_MAX)])
    const headers = { 'user-agent': userAgent, 'accept-encoding': 'identity' }
    const answer = await streamFrom(url, address, { headers, signal })
    if (answer.type !== 'answered') return missing('unclear', 'no answer')
    const { status, chunks } = answer
    const text = await readText(chunks)
    if (status >= 500 || status === 429) return missing('unclear', `HTTP ${status}`)
    if (status !== 200) return missing('gone', `HTTP ${status}`)
    if (text === null) return missing('unclear', 'the answer broke off')
    return isInFile(token, text) ? { is: 'there' } : missing('gone', 'HTTP 200, without the token')
  }
}

/** Leaving the loop closes the connection. */
async function readText(body: AsyncIterable<Uint8Array>): Promise<string | null> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  try {
    for await (const chunk of body) {
      chunks.push(chunk)
      sizeBytes += chunk.byteLength
      if (sizeBytes >= FILE_BYTES_MAX) break
    }
  } catch {
    return null
  }
  return Buffer.concat(chunks).toString('utf8')
}
