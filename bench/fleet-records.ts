/**
 * Results that are recorded by the agent's own code before the clock starts. At a lease only what
 * the lease decides (fence and ids) is put into them: pretended agents replay.
 */
import { randomUUID } from 'node:crypto'
import { sha256Label } from '@minga/archive'
import type { FetchAnswer } from '@minga/net'
import {
  encodeUpload,
  systemClock,
  type Block,
  type CapturedResult,
  type Result,
} from '@minga/protocol'
import { seededRandom } from '@minga/testkit'
import { checkResults, HURRIED, recordFinding } from './fleet-internals.ts'

interface Prepared {
  result: CapturedResult
  members: Buffer[]
}

const PAGE_BYTES = 10_000
/** Pages are pieces of one text: it shrinks about as HTML does, and no two are alike. */
const TEXT_BYTES = 1_000_000
const WORDS = 4_000
const MICROSECONDS_PER_SECOND = 1_000_000
/** Enough for a steady figure, few enough to read in a second. */
const CHECKED_MAX = 5_000

export class PreparedWeb {
  readonly #prepared = new Map<string, Prepared>()
  readonly #text = textOf(TEXT_BYTES)
  readonly #random = seededRandom(7)

  constructor(urls: readonly string[]) {
    for (const url of urls) {
      this.#prepared.set(url, this.#record(url, { kind: 'document', status: 200 }))
      const robots = new URL('/robots.txt', url).href
      if (this.#prepared.has(robots)) continue
      this.#prepared.set(robots, this.#record(robots, { kind: 'robots', status: 404 }))
    }
  }

  #record(
    url: string,
    { kind, status }: { kind: 'document' | 'robots'; status: number },
  ): Prepared {
    const body = kind === 'robots' ? Buffer.from('no such file') : this.#page(url)
    const request = { hash: 0, url, kind, hops: 0, depth: 0, via: null, previous: null }
    const leased = { fence: 0, collectionId: 0, hostId: 0, request }
    const tools = { clock: systemClock, newId: randomUUID, effort: HURRIED }
    const finding = { leased, outcome: answerOf(url, { status, body }), endedAtMs: 0 }
    const { result, members } = recordFinding(tools, finding)
    return { result: result as CapturedResult, members }
  }

  #page(url: string): Buffer {
    const head = `<!doctype html><title>${url}</title><p>`
    const from = this.#random.integer(TEXT_BYTES - PAGE_BYTES)
    return Buffer.from(head + this.#text.slice(from, from + PAGE_BYTES - head.length))
  }

  /** The uploads that answer a block. */
  *uploads(block: Block, { boot, size }: { boot: string; size: number }): Generator<Buffer> {
    let results: Result[] = []
    let members: Buffer[] = []
    for (const { hostId, collectionId, requests } of block.hosts) {
      for (const { url, hash } of requests) {
        const prepared = this.#prepared.get(url)
        if (prepared === undefined) throw new Error(`No result was prepared for ${url}.`)
        const { fence } = block
        results.push({ ...prepared.result, fence, collectionId, hostId, hash })
        members.push(...prepared.members)
        if (results.length < size) continue
        yield encodeUpload({ boot, results }, members)
        results = []
        members = []
      }
    }
    if (results.length > 0) yield encodeUpload({ boot, results }, members)
  }

  /** What it costs to read records again, which is done with a stranger's. */
  checkSecondsPerResult(): number {
    const documents = [...this.#prepared.values()].filter(({ result }) => result.kind !== 'robots')
    const some = documents.slice(0, CHECKED_MAX)
    const results = some.map(({ result }) => result)
    const members = Buffer.concat(some.flatMap((one) => one.members))
    let cpuSeconds = 0
    // The last of three: a coordinator is warm.
    for (let pass = 0; pass < 3; pass++) {
      const before = process.cpuUsage()
      const { refused } = checkResults(results, members, {
        isProven: false,
        wantsPage: () => false,
      })
      const { user, system } = process.cpuUsage(before)
      cpuSeconds = (user + system) / MICROSECONDS_PER_SECOND
      if (refused > 0) throw new Error(`${refused} of the prepared records were refused.`)
    }
    return cpuSeconds / some.length
  }

  /** Of one captured page, as it lies in the archive. */
  get meanMemberBytes(): number {
    let bytes = 0
    let pages = 0
    for (const { result, members } of this.#prepared.values()) {
      if (result.kind === 'robots') continue
      pages++
      for (const member of members) bytes += member.length
    }
    return bytes / pages
  }
}

function textOf(bytes: number): string {
  const random = seededRandom(1)
  const letters = 'etaoinshrdlucmfwyp'.split('')
  const words = Array.from({ length: WORDS }, () =>
    Array.from({ length: 2 + random.integer(8) }, () => random.pick(letters)).join(''),
  )
  let text = ''
  while (text.length < bytes) {
    // A few words are most of a text, and markup repeats itself.
    const word = words[random.integer(1 + random.integer(1 + random.integer(WORDS)))]!
    text += random.chance(0.1) ? `<a class="entry" href="/${word}">${word}</a> ` : `${word} `
  }
  return text
}

function answerOf(url: string, { status, body }: { status: number; body: Buffer }): FetchAnswer {
  const { host, hostname } = new URL(url)
  return {
    ok: true,
    status,
    statusText: status === 200 ? 'OK' : 'Not Found',
    httpVersion: '1.1',
    requestHeaders: [
      ['Host', host],
      ['User-Agent', 'bench'],
    ],
    rawHeaders: [
      ['Content-Type', 'text/html; charset=utf-8'],
      ['Content-Length', String(body.length)],
      ['ETag', `"${sha256Label([body]).slice(-16)}"`],
    ],
    body,
    truncated: null,
    contentLengthMismatch: false,
    address: hostname,
    startedAt: systemClock.now(),
    firstByteMs: 1,
    totalMs: 2,
  }
}
