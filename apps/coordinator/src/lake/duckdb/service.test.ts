// Goal: what is wrong on one connection to the DuckDB service ends that connection and no other, and a service that sends
// what is invalid costs the station a question. Method: the real service with its processes, and sockets that send what
// no station sends; then a false service in front of the real client.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '@minga/protocol'
import { temporaryFolder } from '../../../../../packages/store/test/contract-engines.ts'
import { RowsReader } from '../tables/rows-reader.ts'
import { frameOf, jsonFrame } from './frames.ts'
import { startDuckDbService } from './service.ts'
import { socketRunner } from './socket-runner.ts'

const home = temporaryFolder()
const data = join(home, 'data')
const lake = join(data, 'lake')
mkdirSync(lake, { recursive: true })
const socket = join(home, 'socket')
const service = await startDuckDbService({ socket, data: join(home, 'service') })
const closing = new AbortController()
after(async () => {
  closing.abort()
  await service.close()
})

const readerAt = (path: string): RowsReader =>
  new RowsReader({
    files: { root: lake },
    runner: socketRunner({ socket: path, data, lake }),
    clock: systemClock,
    closing: closing.signal,
  })
const one = (reader: RowsReader): Promise<unknown> =>
  reader.ofSelect('SELECT 1 AS one', { skip: 0, most: 1, files: [] }).then(({ rows }) => rows)

const start = jsonFrame('control', { name: 'rows', folder: data })
const headOf = (kind: number, length: number): Buffer => {
  const head = Buffer.alloc(5)
  head.writeUInt8(kind, 0)
  head.writeUInt32BE(length, 1)
  return head
}

/** How many bytes came back before the connection ended. */
async function bytesBeforeEnd(...frames: Buffer[]): Promise<number> {
  const client = connect(socket)
  let bytes = 0
  client.on('data', (chunk) => (bytes += chunk.length)).on('error', () => {})
  for (const frame of frames) client.write(frame)
  await once(client, 'close')
  return bytes
}

test('a connection that sends what is invalid ends, and another continues', async () => {
  const reader = readerAt(socket)
  assert.deepEqual(await one(reader), [[1]])
  const { pid } = reader
  const invalid: Record<string, Buffer[]> = {
    'a kind that is none': [headOf(9, 0)],
    'no process of the list': [jsonFrame('control', { name: '../sql-process.ts', folder: data })],
    'a folder that is no path': [jsonFrame('control', { name: 'rows', folder: '../etc' })],
    'more than it may': [jsonFrame('control', { name: 'rows', folder: data, env: {} })],
    'no JSON': [frameOf('control', Buffer.from('{'))],
    'a start that is too long': [headOf(0, 1_000_000)],
    'a question before the start': [jsonFrame('message', { sql: 'SELECT 1' })],
  }
  for (const [name, frames] of Object.entries(invalid)) {
    assert.equal(await bytesBeforeEnd(...frames), 0, name)
  }
  assert.ok((await bytesBeforeEnd(start, headOf(1, 2 ** 31))) > 0, 'a question that is too long')
  assert.ok((await bytesBeforeEnd(start, frameOf('message', Buffer.from('7')))) > 0, 'no object')
  assert.ok((await bytesBeforeEnd(start, start)) > 0, 'a second start')
  assert.deepEqual(await one(reader), [[1]])
  assert.equal(reader.pid, pid)
  // A process that ends takes its folder with it, a moment later.
  const work = join(home, 'service', 'work')
  for (let tries = 0; tries < 1_000 && readdirSync(work).length > 1; tries++) await sleep(20)
  assert.equal(readdirSync(work).length, 1)
})

test('a frame that comes in pieces of a byte is one frame', async () => {
  const client = connect(socket)
  await once(client, 'connect')
  client.setNoDelay(true)
  for (const byte of start) client.write(Buffer.of(byte))
  const [answer] = (await once(client, 'data')) as [Buffer]
  assert.match(answer.subarray(5).toString(), /^\{"pid":\d+\}/)
  client.destroy()
})

test('a service that sends invalid frames costs its question, and nothing is written here', async () => {
  const path = join(home, 'false-socket')
  const answers = [headOf(1, 2 ** 31), frameOf('piece', Buffer.from('x')), headOf(7, 1)]
  let next = 0
  const server = createServer((client) => {
    client.on('error', () => {})
    client.write(jsonFrame('control', { pid: 1 }))
    client.write(answers[next++ % answers.length]!)
  })
  await once(server.listen(path), 'listening')
  const before = readdirSync(data, { recursive: true })
  const reader = readerAt(path)
  for (const _ of answers) {
    await assert.rejects(one(reader), { code: 'MINGA_DUCKDB_UNAVAILABLE' })
  }
  assert.deepEqual(readdirSync(data, { recursive: true }), before)
  server.close()
})

test('a folder has one service at a time', async () => {
  const again = startDuckDbService({ socket, data: join(home, 'again') })
  await assert.rejects(again, { code: 'MINGA_DUCKDB_UNAVAILABLE', message: /listens/ })
  assert.ok(existsSync(socket))
})
