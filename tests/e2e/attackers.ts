/** A client without a name and a volunteer who both mean harm to a station, for a given time and by bounded means. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { zstdCompressSync } from 'node:zlib'
import { encodeRecord } from '@minga/archive'
import {
  encodeUpload,
  type LeaseResponse,
  type Block,
  type CapturedResult,
  type Result,
} from '@minga/protocol'
import { TestDevice } from '../../apps/coordinator/test/agents/device-fixture.ts'
import { sendLargeBody } from '../../apps/coordinator/test/http/request-limits/large-body-fixture.ts'
import { recordedCapture, type Said } from '../../apps/coordinator/test/station-fixture.ts'
import { callStation, type Station } from './station-process.ts'

const MB = 1024 * 1024
const SLOW_SOCKETS = 300
const GUESSERS = 8
/** How long a volunteer that got no block during its attack asks on for one. */
const FIRST_BLOCK_MS = 10_000

/** Rests after each time, because the machine has others to serve; what is not answered by the end is left. */
async function repeat(untilMs: number, restMs: number, attack: () => Promise<unknown>) {
  const over = sleep(untilMs - performance.now(), undefined, { ref: false })
  while (performance.now() < untilMs) {
    await Promise.race([attack(), over])
    await sleep(restMs)
  }
}

/** Large bodies, connections that never end, guessed passwords and headers without end. */
export async function attackAnonymously({ url }: Station, durationMs: number): Promise<void> {
  const port = Number(new URL(url).port)
  const untilMs = performance.now() + durationMs
  const slow = Array.from({ length: SLOW_SOCKETS }, (_, n) => openSlowly(port, n))
  const guess = async (): Promise<void> => {
    const body = JSON.stringify({ name: 'operator', password: randomUUID() })
    const headers = { 'content-type': 'application/json' }
    const { status } = await fetch(`${url}/api/sessions`, { method: 'POST', headers, body })
    assert.ok([401, 429, 503].includes(status), `a wrong password was answered with ${status}`)
  }
  await Promise.all([
    repeat(untilMs, 100, () => sendLargeBody(port, '/api/sessions', { isChunked: true })),
    repeat(untilMs, 100, () => sendLargeBody(port, '/agent/hello', { isChunked: false })),
    repeat(untilMs, 100, () => sendLargeHeaders(port)),
    ...Array.from({ length: GUESSERS }, () => repeat(untilMs, 20, guess)),
    repeat(untilMs, 500, async () => slow.forEach((socket) => socket.write('a'))),
  ])
  for (const socket of slow) socket.destroy()
}

/** Half of them never end their headers, the others their body. */
function openSlowly(port: number, n: number): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  const head = 'POST /api/sessions HTTP/1.1\r\nHost: localhost\r\nX-Slow: '
  const body = 'a\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n"'
  socket.write(n % 2 === 0 ? head : head + body)
  return socket
}

function sendLargeHeaders(port: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  socket.on('close', () => resolve()).resume()
  socket.end(
    `GET / HTTP/1.1\r\nHost: localhost\r\n${`X: ${'a'.repeat(1_000)}\r\n`.repeat(1_000)}\r\n`,
  )
  return promise
}

/** Packed before the attack: making bombs must not slow down the test's own measurements. */
const ZEROS = uploadWith(zstdCompressSync(Buffer.alloc(100 * MB)))
const BRACKETS = uploadWith(
  zstdCompressSync(Buffer.from(`{"results":[${'[],'.repeat(12 * MB)}0]}`)),
)
const RECORD = encodeRecord({
  type: 'response',
  headers: [
    ['WARC-Target-URI', 'http://127.0.0.1/'],
    ['WARC-Date', new Date(0).toISOString()],
  ],
  block: [Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), Buffer.alloc(70 * MB)],
})

function uploadWith(head: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(head.length)
  return Buffer.concat([length, head])
}

/** An enrolled device that takes work, and sends bombs, inventions and impossible numbers for it. */
export async function attackAsVolunteer(station: Station, durationMs: number): Promise<void> {
  const untilMs = performance.now() + durationMs
  const device = new TestDevice({ inject: (options) => send(station, options) })
  const { token } = await callStation<{ token: string }>(station, ['POST', '/join-tokens'], {})
  assert.equal((await device.enrol(token, 'hostile')).status, 200)
  const boot = randomUUID()
  assert.equal((await device.hello(boot)).status, 200)
  const uploads = [
    ZEROS,
    BRACKETS,
    encodeUpload({ boot, results: inventions() }, []),
    ...[-1, 1e308, 2 ** 53 + 2, 0.5].map((odd) => impossible(boot, odd)),
  ]
  const upload = async (body: Buffer): Promise<void> => {
    const said = await device.upload(body)
    assert.ok(said.status < 500, JSON.stringify(said.body))
  }
  const taken: Block[] = []
  const takeBlock = async (): Promise<void> => {
    const { block } = (await device.call('ask', { requestsMax: 5, hostsMax: 1 }))
      .body as LeaseResponse
    if (block === null) return
    taken.push(block)
    await upload(bombs(boot, block))
  }
  await Promise.all([
    repeat(untilMs, 1_000, () => device.call('beat', { progress: Date.now(), fences: [] })),
    repeat(untilMs, 100, async () => {
      for (const body of uploads) await upload(body)
    }),
    repeat(untilMs, 500, takeBlock),
  ])
  // All hosts may be leased to the station's own agent just then.
  while (taken.length === 0 && performance.now() < untilMs + FIRST_BLOCK_MS) await takeBlock()
  assert.ok(taken.length > 0, 'the volunteer got nothing to lie about')
}

type DeviceCall = Parameters<ConstructorParameters<typeof TestDevice>[0]['inject']>[0]

async function send({ url }: Station, { url: path, headers, payload }: DeviceCall): Promise<Said> {
  assert.ok(typeof path === 'string')
  const body = Buffer.isBuffer(payload) ? new Uint8Array(payload) : JSON.stringify(payload)
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: headers as Record<string, string>,
    body,
  })
  return { status: response.status, body: await response.json() }
}

/** Of collections that do not exist. */
function inventions(): Result[] {
  return Array.from({ length: 9_999 }, (_, n): Result => {
    return { type: 'returned', fence: n, collectionId: n + 1_000, hostId: n, hash: n }
  })
}

function impossible(boot: string, odd: number): Buffer {
  const { result, members } = recordedCapture({ url: 'http://127.0.0.1/', kind: 'page' }, {})
  const numbers = { fence: odd, status: odd, totalMs: odd, capturedAt: odd, endedAgoMs: odd }
  return encodeUpload({ boot, results: [{ ...result, ...numbers }] }, members)
}

/** Records of 70 MB for each URL of a block; none is of the URL that it is sent for. */
function bombs(boot: string, { fence, hosts }: Block): Buffer {
  const results = hosts.flatMap(({ collectionId, hostId, requests }) =>
    requests.map(({ url, hash, kind }): Result => {
      const { result } = recordedCapture({ url, kind }, {})
      const leased = { fence, collectionId, hostId, hash, members: [RECORD.length] }
      return { ...(result as CapturedResult), ...leased }
    }),
  )
  return encodeUpload(
    { boot, results },
    results.map(() => RECORD),
  )
}
