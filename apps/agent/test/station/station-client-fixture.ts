/** A station that a test writes the answers of: real HTTP on loopback, every call noted. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import type { FetchAnswer, Fetcher, FetchFailure } from '@minga/net'
import {
  newDeviceKeys,
  privateKeyOf,
  type Heartbeat,
  type HeartbeatResponse,
  type Block,
  type DeviceFacts,
  type HostBlock,
  type Welcome,
} from '@minga/protocol'
import type { VirtualClock } from '@minga/testkit'
import { asBeatAnswer, keepBeating } from '../../src/station/beat.ts'
import type { WorkBuffer } from '../../src/fetch/work-buffer.ts'
import type { Machine, MachineLimits } from '../../src/fetch/machine.ts'
import { startRecorder } from '../../src/record/recorder.ts'
import { callStation } from '../../src/station/station-call.ts'
import { StationClient } from '../../src/station/station-client.ts'

export interface Call {
  name: string
  authorization: string | undefined
  contentType: string | undefined
  body: Buffer
  /** The JSON of the body; an empty object for an upload. */
  message: Record<string, unknown>
}

/** `hang`: no answer comes until the test releases one. `reset`: the connection breaks instead. */
export type Reply =
  | { status?: number; headers?: Record<string, string>; json?: unknown; text?: string }
  | 'hang'
  | 'reset'

export interface StationServer {
  url: string
  port: number
  calls: Call[]
  callsOf(name: string): Call[]
  /** May be replaced while it runs. */
  answer: (call: Call) => Reply
  /** Answers the oldest call that hangs. */
  release(answer: Reply): void
}

export const WELCOME: Welcome = {
  session: 'a-session',
  userAgent: 'MingaBot/test (+mailto:test@example.org)',
  limits: { bodyBytesMax: 1_000_000 },
  allowPrivateAddresses: true,
}

export async function startStationServer(
  t: TestContext,
  answer: StationServer['answer'],
  port = 0,
): Promise<StationServer> {
  const calls: Call[] = []
  const hanging: ServerResponse[] = []
  const server = createServer((request, response) => {
    void callOf(request).then((call) => {
      calls.push(call)
      const answerNow = station.answer(call)
      if (answerNow === 'hang') hanging.push(response)
      else reply(response, answerNow)
    })
  })
  const actual = await listen(server, port)
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const callsOf = (name: string): Call[] => calls.filter((call) => call.name === name)
  const url = `http://127.0.0.1:${actual}`
  const release = (late: Reply): void => {
    const response = hanging.shift()
    if (response) reply(response, late)
  }
  const station: StationServer = { url, port: actual, calls, callsOf, answer, release }
  return station
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve) => {
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}

async function callOf(request: IncomingMessage): Promise<Call> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks)
  const contentType = request.headers['content-type']
  return {
    name: (request.url ?? '').replace(/^\/agent\//, ''),
    authorization: request.headers.authorization,
    contentType,
    body,
    message:
      contentType === 'application/json'
        ? (JSON.parse(body.toString()) as Record<string, unknown>)
        : {},
  }
}

function reply(response: ServerResponse, answer: Reply): void {
  if (answer === 'hang') return
  if (answer === 'reset') return void response.socket?.destroy()
  response.writeHead(answer.status ?? 200, answer.headers)
  response.end(answer.text ?? JSON.stringify(answer.json ?? {}))
}

export const KEYS = newDeviceKeys()
export const FACTS: DeviceFacts = {
  os: 'TestOS',
  osVersion: '1',
  hostName: 'tester',
  software: 'test/1',
}

export function stationAt(url: string): StationClient {
  return new StationClient({
    url,
    device: { id: 'dev_1', key: privateKeyOf(KEYS) },
    boot: 'boot-0001',
    facts: FACTS,
  })
}

/** A port without a listener. */
export async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listen(server, 0)
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Requests that stay in the air until the test lets them end. */
interface HeldFetcher extends Fetcher {
  urls: string[]
  /** Answers the oldest request in the air; with a host, the oldest to it. */
  release(host?: string): void
}

function heldFetcher(): HeldFetcher {
  const urls: string[] = []
  const inTheAir: { url: string; end: () => void }[] = []
  return {
    urls,
    fetch: ({ url, signal }) => {
      urls.push(url)
      return new Promise((resolve) => {
        const request = { url, end: () => resolve(answerOf('<p>page</p>')) }
        inTheAir.push(request)
        signal?.addEventListener('abort', () => {
          inTheAir.splice(inTheAir.indexOf(request), 1)
          resolve(CANCELLED)
        })
      })
    },
    release: (host = '') => {
      const at = inTheAir.findIndex(({ url }) => url.includes(host))
      if (at !== -1) inTheAir.splice(at, 1)[0]?.end()
    },
    close: async () => {},
  }
}

const CANCELLED: FetchFailure = {
  ok: false,
  code: 'MINGA_CANCELLED',
  message: 'The fetch was cancelled by its caller.',
  retry: 'now',
  address: '127.0.0.1',
  startedAt: 0,
  totalMs: 1,
}

interface BeatingHere {
  station: StationClient
  buffer: WorkBuffer
  clock: VirtualClock
  /** How many beats were answered or given up, which happens in real time. */
  over?: { beats: number }
}

/** Beats as the thread does, but in this one, so that they follow the virtual clock. */
export function beatHere(beating: BeatingHere, signal: AbortSignal): Promise<void> {
  const { station, buffer, clock, over = { beats: 0 } } = beating
  const send = (beat: Heartbeat, given: AbortSignal): Promise<HeartbeatResponse> => {
    const { url, session } = station
    const call = { url, call: 'beat', bearer: session, body: JSON.stringify(beat) }
    return callStation(call, asBeatAnswer, given).finally(() => over.beats++)
  }
  const heard = (sentAtMs: number, ended: readonly number[]): void => {
    buffer.heard(sentAtMs)
    buffer.lost(ended)
  }
  const say = (): Heartbeat => ({ progress: buffer.progress, fences: buffer.fences })
  return keepBeating({ clock, say, send, heard }, signal)
}

/** A machine on a virtual clock with the real recording thread. */
export function testMachine(
  t: TestContext,
  clock: VirtualClock,
  limits: Partial<MachineLimits> = {},
): Machine & { fetcher: HeldFetcher } {
  const recorder = startRecorder()
  t.after(() => recorder.close())
  const common = { concurrency: 8, requestsInHand: 100, resultBytes: 1_000_000 }
  return {
    clock,
    fetcher: heldFetcher(),
    recorder,
    limits: { ...common, ...limits },
    random: () => 0,
    isAbandoned: () => false,
    complain: () => {},
    beat: (agent, signal) => beatHere({ ...agent, clock }, signal),
  }
}

/** Only a test that fails waits so long; a busy machine may need some of it. */
const WAIT_MS = 15_000

/** Waits in real time, for sockets and threads, while a virtual clock stands still. */
export async function until(
  condition: () => boolean,
  what: string,
  patienceMs: number = WAIT_MS,
): Promise<void> {
  const deadline = performance.now() + patienceMs
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`Waited without success until ${what}.`)
    await realMs(1)
  }
}

export function realMs(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Pauses that tests measure are shorter. */
const UNDISTURBED_MS = 10_000

/**
 * How long the code under test pauses, by the virtual clock, before `happens`. Code that is not
 * asleep is busy with a socket, and time stands still until that has ended.
 */
export async function pauseBefore(clock: VirtualClock, happens: () => boolean): Promise<number> {
  await until(() => happens() || clock.sleeping() > 0, 'a caller sleeps')
  const from = clock.monotonicMs()
  while (!happens()) {
    if (clock.monotonicMs() - from > 60_000) throw new Error('Nothing happened within a minute.')
    await clock.advance(10)
    // One part may sleep while another is busy: sockets and threads get real time, too.
    if (clock.monotonicMs() - from > UNDISTURBED_MS) await realMs(1)
    await until(() => happens() || clock.sleeping() > 0, 'it happens or sleeps on')
  }
  return clock.monotonicMs() - from
}

export function blockOf(fence: number, hosts: HostBlock[], deadlineMs = 120_000): Block {
  return { fence, deadlineMs, hosts }
}

export function hostOf(urls: string[], more: Partial<HostBlock> = {}): HostBlock {
  const requests = urls.map((url, i) => ({
    hash: i + 1,
    url,
    kind: 'page' as const,
    hops: 0,
    depth: 0,
    via: null,
    previous: null,
  }))
  const common = { hostId: 1, collectionId: 1, address: '127.0.0.1', delayMs: 0 }
  return { ...common, threads: 1, bytesPerSecond: null, requests, ...more }
}

export function answerOf(body: string | Buffer, more: Partial<FetchAnswer> = {}): FetchAnswer {
  return {
    ok: true,
    status: 200,
    statusText: 'OK',
    httpVersion: '1.1',
    requestHeaders: [],
    rawHeaders: [['Content-Type', 'text/html']],
    body: Buffer.from(body),
    truncated: null,
    contentLengthMismatch: false,
    address: '127.0.0.1',
    startedAt: 1_700_000_000_000,
    firstByteMs: 1,
    totalMs: 2,
    ...more,
  }
}
