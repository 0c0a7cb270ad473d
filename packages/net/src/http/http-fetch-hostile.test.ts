// Goal: whatever a server does, a fetch ends with an outcome and the fetcher stays usable. Method: raw sockets that break the protocol.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import type { Socket } from 'node:net'
import type { FetchFailureCode, FetchOutcome } from './fetch-outcome.ts'
import { fetcher, pause, rawServer } from '../../test/http/http-fetch-fixture.ts'
import type { FetchLimits } from './http-fetch.ts'

const address = '127.0.0.1'
type Answer = (socket: Socket, head: string, nth: number) => void

async function fetchOnce(
  t: TestContext,
  answer: Answer,
  limits: Partial<FetchLimits> = {},
): Promise<FetchOutcome> {
  const site = await rawServer(t, answer)
  return fetcher(t, limits).fetch({ url: `http://h.test:${site.port}/`, address })
}

/** [what the server writes before it closes, the failure expected] */
const BROKEN_HEADS: [string, string, FetchFailureCode][] = [
  ['a garbage status line', 'ICY 200 OK\r\n\r\nhello', 'MINGA_BAD_RESPONSE'],
  ['no status line at all', '<html>hello</html>', 'MINGA_BAD_RESPONSE'],
  ['a header without a name', 'HTTP/1.1 200 OK\r\n: x\r\n\r\n', 'MINGA_BAD_RESPONSE'],
  ['a zero byte in a header', 'HTTP/1.1 200 OK\r\na: \u0000\r\n\r\n', 'MINGA_BAD_RESPONSE'],
  [
    'two different lengths',
    'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab',
    'MINGA_BAD_RESPONSE',
  ],
  ['a negative length', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\nab', 'MINGA_BAD_RESPONSE'],
  [
    'an unrequested upgrade',
    'HTTP/1.1 101 Switch\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
    'MINGA_BAD_RESPONSE',
  ],
  ['nothing', '', 'MINGA_CONNECTION_LOST'],
  ['half a status line', 'HTTP/1.1 20', 'MINGA_CONNECTION_LOST'],
  ['half a header', 'HTTP/1.1 200 OK\r\nContent-Le', 'MINGA_CONNECTION_LOST'],
]

for (const [what, bytes, code] of BROKEN_HEADS) {
  test(`${what} is ${code} and nothing is requested twice`, async (t) => {
    const site = await rawServer(t, (socket) => socket.end(bytes, 'latin1'))
    const outcome = await fetcher(t).fetch({ url: `http://h.test:${site.port}/`, address })
    assert.ok(!outcome.ok)
    assert.equal(outcome.code, code, outcome.message)
    assert.equal(site.requests.length, 1)
  })
}

test('a header bomb is cut off at the limit', async (t) => {
  let written = 0
  const outcome = await fetchOnce(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    const more = (): void => {
      while (!socket.destroyed && socket.write(`x-${written}: ${'y'.repeat(1000)}\r\n`)) written++
    }
    socket.on('drain', more)
    more()
  })
  assert.ok(!outcome.ok)
  assert.equal(outcome.code, 'MINGA_HEADERS_TOO_LARGE')
  assert.equal(outcome.retry, 'never')
})

for (const connection of ['keep-alive', 'close']) {
  test(`an infinite body is cut at the limit and its connection closed (${connection})`, async (t) => {
    const closed = Promise.withResolvers<void>()
    const outcome = await fetchOnce(
      t,
      (socket) => {
        socket.on('close', () => closed.resolve())
        socket.write(
          `HTTP/1.1 200 OK\r\nconnection: ${connection}\r\ncontent-length: 99999999999\r\n\r\n`,
        )
        const more = (): void => {
          while (!socket.destroyed && socket.write('z'.repeat(10_000)));
        }
        socket.on('drain', more)
        more()
      },
      { bodyBytesMax: 54_321 },
    )
    assert.ok(outcome.ok)
    assert.equal(outcome.truncated, 'length')
    assert.equal(outcome.body.length, 54_321)
    assert.equal(outcome.contentLengthMismatch, false)
    await closed.promise
  })

  test(`a whole body that arrives at once and exceeds the limit is cut (${connection})`, async (t) => {
    const outcome = await fetchOnce(
      t,
      (socket) =>
        socket.write(
          `HTTP/1.1 200 OK\r\nconnection: ${connection}\r\ncontent-length: 10\r\n\r\n0123456789`,
        ),
      { bodyBytesMax: 4 },
    )
    assert.ok(outcome.ok)
    assert.equal(outcome.truncated, 'length')
    assert.equal(outcome.body.toString(), '0123')
  })
}

test('bodies that arrive at once are cut where all together exceed their limit, and then there is room again', async (t) => {
  const open: Socket[] = []
  const site = await rawServer(t, (socket, head) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 80\r\n\r\n')
    if (head.includes('/alone')) socket.write('a'.repeat(80))
    else if (open.push(socket) === 2) for (const each of open) each.write('b'.repeat(79))
  })
  const own = fetcher(t, { bodiesBytesMax: 100 }, { connectionsPerHost: 2 })
  const get = async (path: string) => {
    const url = `http://127.0.0.1:${site.port}${path}`
    const outcome = await own.fetch({ url, address: '127.0.0.1' })
    assert.ok(outcome.ok)
    return outcome
  }
  const both = [get('/1'), get('/2')]
  const cut = await Promise.race(both)
  assert.deepEqual([cut.truncated, cut.body.length], ['length', 21])
  for (const socket of open) socket.write('b')
  const sizes = (await Promise.all(both)).map(({ body }) => body.length)
  assert.deepEqual(
    sizes.toSorted((a, b) => a - b),
    [21, 80],
  )
  const alone = await get('/alone')
  assert.deepEqual([alone.truncated, alone.body.length], [null, 80])
})

test('a body of exactly the limit is whole', async (t) => {
  const outcome = await fetchOnce(
    t,
    (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n0123'),
    { bodyBytesMax: 4 },
  )
  assert.ok(outcome.ok)
  assert.equal(outcome.truncated, null)
})

test('a slow drip ends at the total limit with what arrived', async (t) => {
  const outcome = await fetchOnce(
    t,
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n')
      const drip = setInterval(() => socket.write('d'), 20)
      socket.on('close', () => clearInterval(drip))
    },
    { totalMs: 300 },
  )
  assert.ok(outcome.ok)
  assert.equal(outcome.truncated, 'time')
  // The whole body would take 20 s; a busy machine may be late by any part of a second.
  assert.ok(outcome.body.length > 0 && outcome.body.length < 500, `${outcome.body.length} bytes`)
  assert.ok(outcome.totalMs >= 300 && outcome.totalMs < 10_000, `${outcome.totalMs} ms`)
})

test('a body that stalls ends at the idle limit', async (t) => {
  const stall: Answer = (socket) =>
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nsome')
  const outcome = await fetchOnce(t, stall, { idleMs: 100, totalMs: 20_000 })
  assert.ok(outcome.ok)
  assert.equal(outcome.truncated, 'time')
  assert.ok(outcome.totalMs < 10_000, `${outcome.totalMs} ms`)
})

const SILENCES: [string, Answer][] = [
  ['silence', () => {}],
  [
    'dripping headers',
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const drip = setInterval(() => socket.write('x: y\r\n'), 20)
      socket.on('close', () => clearInterval(drip))
    },
  ],
  [
    'endless early hints',
    (socket) => {
      const drip = setInterval(
        () => socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'),
        20,
      )
      socket.on('close', () => clearInterval(drip))
    },
  ],
]
for (const [what, answer] of SILENCES) {
  test(`${what} is a response timeout, and the next fetch gets a new connection`, async (t) => {
    const site = await rawServer(t, (socket, head, nth) =>
      nth === 1
        ? answer(socket, head, nth)
        : void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
    )
    const fetching = fetcher(t, { firstByteMs: 500, totalMs: 20_000 })
    const url = `http://h.test:${site.port}/`
    const outcome = await fetching.fetch({ url, address })
    assert.ok(!outcome.ok)
    assert.equal(outcome.code, 'MINGA_RESPONSE_TIMEOUT')
    assert.ok(outcome.totalMs < 10_000, `${outcome.totalMs} ms`)
    assert.ok((await fetching.fetch({ url, address })).ok)
    assert.equal(site.connections, 2)
  })
}

test('a request that waits behind a stuck one is not sent after its own time is over', async (t) => {
  const site = await rawServer(t, () => {})
  const fetching = fetcher(t, { firstByteMs: 10_000, totalMs: 200 })
  const url = `http://h.test:${site.port}/`
  const outcomes = await Promise.all([
    fetching.fetch({ url, address }),
    fetching.fetch({ url, address }),
  ])
  assert.deepEqual(
    outcomes.map((outcome) => !outcome.ok && outcome.code),
    ['MINGA_RESPONSE_TIMEOUT', 'MINGA_CONNECT_TIMEOUT'],
  )
  await pause(100)
  assert.equal(site.requests.length, 1)
})

/** [name, head, body bytes sent, how the connection ends, expected mismatch] */
const CUT_BODIES: [string, string, 'end' | 'reset', boolean][] = [
  ['a body shorter than announced', 'content-length: 100\r\n\r\npart', 'end', true],
  [
    'a body shorter than announced on a closing connection',
    'connection: close\r\ncontent-length: 100\r\n\r\npart',
    'end',
    true,
  ],
  ['a reset in the middle of a body', 'content-length: 100\r\n\r\npart', 'reset', true],
  ['a reset in a body without length', 'connection: close\r\n\r\npart', 'reset', false],
  [
    'a chunked body without its end',
    'transfer-encoding: chunked\r\n\r\n4\r\npart\r\n',
    'end',
    false,
  ],
  [
    'a chunked body on a closing connection without its end',
    'connection: close\r\ntransfer-encoding: chunked\r\n\r\n4\r\npart\r\n',
    'end',
    false,
  ],
  ['a reset in a chunked body', 'transfer-encoding: chunked\r\n\r\n4\r\npart\r\n', 'reset', false],
  [
    'a chunk with a damaged size',
    'transfer-encoding: chunked\r\n\r\n4\r\npart\r\nzz\r\nmore\r\n0\r\n\r\n',
    'end',
    false,
  ],
  [
    'a trailer bomb',
    `transfer-encoding: chunked\r\n\r\n4\r\npart\r\n0\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`,
    'end',
    false,
  ],
]
for (const [what, rest, ending, mismatch] of CUT_BODIES) {
  test(`${what} gives what arrived, marked as disconnected`, async (t) => {
    const outcome = await fetchOnce(t, (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${rest}`)
      setTimeout(() => (ending === 'end' ? socket.end() : socket.resetAndDestroy()), 30)
    })
    assert.ok(outcome.ok, JSON.stringify(outcome))
    assert.equal(outcome.body.toString(), 'part')
    assert.equal(outcome.truncated, 'disconnect')
    assert.equal(outcome.contentLengthMismatch, mismatch)
  })
}

const WHOLE: [string, string, number, string][] = [
  ['a body that ends with the connection', 'HTTP/1.1 200 OK\r\n\r\nall', 200, 'all'],
  ['HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 3\r\n\r\nall', 200, 'all'],
  ['an empty body', 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', 200, ''],
  ['no reason phrase', 'HTTP/1.1 200\r\ncontent-length: 3\r\n\r\nall', 200, 'all'],
  [
    'a bare LF at the end of lines',
    'HTTP/1.1 200 OK\nx: y\r\ncontent-length: 3\n\r\nall',
    200,
    'all',
  ],
  ['bare LFs only', 'HTTP/1.1 200 OK\ncontent-length: 3\n\nall', 200, 'all'],
  [
    'the same length twice',
    'HTTP/1.1 200 OK\r\ncontent-length: 3\r\nContent-Length:  3\r\n\r\nall',
    200,
    'all',
  ],
  [
    'an unrequested 100 Continue',
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\n\nHTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nall',
    200,
    'all',
  ],
  ['an unknown status', 'HTTP/1.1 799 Odd\r\ncontent-length: 3\r\n\r\nall', 799, 'all'],
  [
    'early hints first',
    'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nall',
    200,
    'all',
  ],
  ['204 with a body', 'HTTP/1.1 204 No Content\r\ncontent-length: 3\r\n\r\nbad', 204, ''],
  ['304 with a body', 'HTTP/1.1 304 Not Modified\r\ncontent-length: 3\r\n\r\nbad', 304, ''],
  ['304 with an unannounced body', 'HTTP/1.1 304 Not Modified\r\n\r\nbad', 304, ''],
  [
    'a body longer than announced',
    'HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nall and more',
    200,
    'all',
  ],
  [
    'an unrequested second answer',
    'HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nallHTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil',
    200,
    'all',
  ],
]
for (const [what, bytes, status, body] of WHOLE) {
  test(`${what} is read as it should be and does not spoil the next fetch`, async (t) => {
    const site = await rawServer(t, (socket, _head, nth) =>
      nth === 1
        ? void socket.end(bytes)
        : void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nnext'),
    )
    const fetching = fetcher(t)
    const url = `http://h.test:${site.port}/`
    const outcome = await fetching.fetch({ url, address })
    assert.ok(outcome.ok, JSON.stringify(outcome))
    assert.deepEqual(
      [outcome.status, outcome.body.toString(), outcome.truncated, outcome.contentLengthMismatch],
      [status, body, null, false],
    )
    await pause(10)
    const next = await fetching.fetch({ url, address })
    assert.ok(next.ok, JSON.stringify(next))
    assert.equal(next.body.toString(), 'next')
  })
}

test('a keep-alive connection closed by the server while idle costs no failed fetch', async (t) => {
  const site = await rawServer(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
    setTimeout(() => socket.end(), 5)
  })
  const fetching = fetcher(t)
  const url = `http://h.test:${site.port}/`
  for (let i = 0; i < 10; i++) {
    assert.ok((await fetching.fetch({ url, address })).ok)
    await pause(20)
  }
  assert.equal(site.requests.length, 10)
})

test('a request that the server may have seen is never sent again by itself', async (t) => {
  // The server closes exactly when the second request arrives: the worst case of the keep-alive race.
  const site = await rawServer(t, (socket, _head, nth) => {
    if (nth % 2 === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
    else socket.resetAndDestroy()
  })
  const fetching = fetcher(t)
  const url = `http://h.test:${site.port}/`
  for (let i = 1; i <= 10; i++) {
    const outcome = await fetching.fetch({ url, address })
    assert.equal(outcome.ok ? 'ok' : outcome.code, i % 2 === 1 ? 'ok' : 'MINGA_CONNECTION_LOST')
    assert.equal(site.requests.length, i)
  }
})

test('a server that closes after each answer without saying so is asked exactly once per fetch', async (t) => {
  const site = await rawServer(t, (socket) =>
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'),
  )
  const fetching = fetcher(t)
  const url = `http://h.test:${site.port}/`
  const times = 50
  let lost = 0
  for (let i = 0; i < times; i++) if (!(await fetching.fetch({ url, address })).ok) lost++
  assert.equal(site.requests.length, times)
  assert.ok(lost <= 1, `${lost} lost: the first loss should end the reuse of connections`)
})

test('random bytes, alone or after a valid start, always end as an outcome', async (t) => {
  const starts = [
    '',
    'HTTP/1.1 ',
    'HTTP/1.1 200 OK\r\n',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n',
  ]
  const site = await rawServer(t, (socket, _head, nth) => {
    socket.write(starts[nth % starts.length] ?? '')
    socket.end(randomBytes(nth % 300))
  })
  const fetching = fetcher(t, { totalMs: 5000 })
  const times = process.env['MINGA_LONG'] === '1' ? 20_000 : 300
  const one = async (lane: number): Promise<void> => {
    for (let i = 0; i < times / 20; i++) {
      const outcome = await fetching.fetch({ url: `http://h${lane}.test:${site.port}/`, address })
      assert.notEqual(outcome.ok ? '' : outcome.code, 'MINGA_RESPONSE_TIMEOUT')
    }
  }
  await Promise.all(Array.from({ length: 20 }, (_, lane) => one(lane)))
  assert.equal(site.requests.length, times)
})
