// Goal: no caller whom the station does not know can fill its memory or keep others waiting with a body, however large
// or slow. Method: a real coordinator in a process of its own, and bodies of 100 MB over raw sockets.
import assert from 'node:assert/strict'
import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import Fastify from 'fastify'
import { temporaryFolder } from '../../../../../packages/store/test/contract-engines.ts'
import { limitBodyTimes } from './body-limits.ts'
import { sendLargeBody } from '../../../test/http/request-limits/large-body-fixture.ts'
import { limitUnknownCallers } from './unknown-callers.ts'

const MB = 1024 * 1024

const child = fork(fileURLToPath(new URL('../../main.ts', import.meta.url)), [], {
  env: {
    ...process.env,
    MINGA_COORDINATOR: JSON.stringify({
      data: temporaryFolder(),
      listen: { host: '127.0.0.1', port: 0 },
      allowPrivateAddresses: false,
    }),
  },
  stdio: ['ignore', 2, 2, 'ipc'],
})
after(() => child.kill('SIGKILL'))
const port = await new Promise<number>((resolve, reject) => {
  child.on('message', ({ url }: { url?: string }) => {
    if (url !== undefined) resolve(Number(new URL(url).port))
  })
  child.once('exit', () => reject(new Error('the coordinator ended')))
})

const rssBytes = (): number =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)], { encoding: 'utf8' })) * 1024

test('bodies of 100 MB of unknown callers are refused at once, and others are served in the meantime', async () => {
  const before = rssBytes()
  const began = performance.now()
  const paths = ['/api/sessions', '/agent/hello', '/api/collections', '/federation/batch', '/x']
  const sending = paths.flatMap((path) => [
    sendLargeBody(port, path, { isChunked: false }),
    sendLargeBody(port, path, { isChunked: true }),
  ])
  const asked = performance.now()
  const state = await fetch(`http://127.0.0.1:${port}/api/collections`)
  assert.equal(state.status, 200)
  assert.ok(performance.now() - asked < 1_000, 'an ordinary request had to wait')
  for (const [i, { answer, bytes }] of (await Promise.all(sending)).entries()) {
    assert.match(answer, /^(HTTP\/1\.1 4\d\d |$)/)
    assert.ok(bytes < 16 * MB, `${paths[i >> 1]} received ${bytes} bytes`)
  }
  assert.ok(performance.now() - began < 10_000)
  assert.ok(rssBytes() - before < 100 * MB, `${(rssBytes() - before) / MB} MB more`)
})

test('a body that is too large is answered with its code before it is sent', async () => {
  const socket = connect(port, '127.0.0.1')
  socket.write(
    'POST /api/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 65537\r\n\r\n',
  )
  const answers = await readAll(socket)
  assert.match(answers, /^HTTP\/1\.1 413 .*"code":"MINGA_BODY_TOO_LARGE","message":".*exceeds/s)
})

test('what is no HTTP request is refused in the one form of the station', async () => {
  const socket = connect(port, '127.0.0.1')
  socket.write('HELLO\r\n\r\n')
  assert.match(await readAll(socket), /^HTTP\/1\.1 400 .*{"error":{"code":"MINGA_BAD_MESSAGE"/s)
})

test('a body that does not arrive in time ends its connection with a 408', async (t) => {
  const app = Fastify()
  t.after(() => app.close())
  limitBodyTimes(app, 50)
  app.post('/', () => ({}))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const address = app.server.address() as { port: number }
  const socket = connect(address.port, '127.0.0.1')
  socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n')
  socket.write('Content-Length: 2\r\n\r\n{')
  assert.match(await readAll(socket), /MINGA_REQUEST_SLOW/)
})

test('a route for long bodies gives unknown callers no more time than others', async (t) => {
  const app = Fastify()
  t.after(() => app.close())
  limitUnknownCallers(app)
  limitBodyTimes(app, 50)
  app.post('/notify', { bodyLimit: 10 * MB }, () => ({}))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const socket = connect((app.server.address() as { port: number }).port, '127.0.0.1')
  socket.write('POST /notify HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n')
  socket.write('Content-Length: 100\r\n\r\n{')
  assert.match(await readAll(socket), /MINGA_REQUEST_SLOW/)
})

async function readAll(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', (bytes) => {
    text += String(bytes)
  })
  await once(socket, 'close')
  return text
}
