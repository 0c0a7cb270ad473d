// Goal: what clients are promised: one answer per request, their own, through every way of asking.
// Method: a whole station on virtual time, the real agent's recording, a synthetic web.
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import type { BatchView, ResultLine, SortedPage } from '@minga/protocol'
import {
  assertRefused,
  openStation,
  TOKENS,
  type TestStation,
  type Web,
} from '../../test/station-fixture.ts'
import { WARCParser } from 'warcio'

const CALLS = process.env['MINGA_LONG'] === '1' ? 1_000 : 250
const KEY = { authorization: `Bearer ${TOKENS.apiKey}` }

async function read(station: TestStation, url: string, headers = {}): Promise<Buffer> {
  const response = await station.app.inject({
    url: `/api${url}`,
    headers: { host: 'localhost', ...KEY, ...headers },
  })
  assert.equal(response.statusCode, 200, response.body)
  return response.rawPayload
}

async function submit(station: TestStation, message: object): Promise<BatchView> {
  const said = await station.post('/batches', message)
  assert.equal(said.status, 200, JSON.stringify(said.body))
  return said.body as BatchView
}

async function linesOf(station: TestStation, id: string, query = ''): Promise<ResultLine[]> {
  const text = (await read(station, `/batches/${id}/results${query}`)).toString()
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as ResultLine)
}

/** The agent works until the batch has ended. */
async function serve(station: TestStation, web: Web, id: string): Promise<void> {
  await station.hello()
  for (let rounds = 0; rounds < 200; rounds++) {
    const batch = JSON.parse((await read(station, `/batches/${id}`)).toString()) as BatchView
    if (batch.open === 0) return
    await station.send(station.fetch(await station.lease(), web))
  }
  throw new Error('the batch does not end')
}

const WEB: Web = {
  'http://a.test/1': { body: '<p>one</p>' },
  'http://a.test/2': { body: '<p>two</p>' },
  'http://b.test/old': { status: 301, headers: [['Location', 'http://a.test/1']] },
}

test('a batch is answered line by line, in the order results came, as NDJSON', async () => {
  const station = await openStation()
  const urls = ['http://a.test/1', 'http://a.test/2', 'http://b.test/old', 'http://a.test/none']
  const { id } = await submit(station, { urls })
  await serve(station, WEB, id)
  const lines = await linesOf(station, id)
  assert.deepEqual(
    lines.map(({ no }) => no),
    [1, 2, 3, 4],
  )
  const byUrl = new Map(lines.map((line) => [line.url, line]))
  assert.deepEqual([...byUrl.keys()].toSorted(), urls.toSorted())
  assert.equal(byUrl.get('http://a.test/none')?.status, 404)
  assert.equal(byUrl.get('http://b.test/old')?.finalUrl, 'http://a.test/1')
  assert.deepEqual(byUrl.get('http://b.test/old')?.chain, ['http://b.test/old'])
  for (const { outcome, digest, device, verified } of lines) {
    assert.equal(outcome, 'captured')
    assert.match(digest!, /^sha256:[0-9a-f]{64}$/)
    assert.match(device!, /^agent-[0-9a-f]{12}$/)
    assert.equal(verified, true)
  }
  assert.deepEqual(await linesOf(station, id, '?after=1&limit=2'), lines.slice(1, 3))
})

test('results and batches are also found, narrowed down and sorted, a page at a time', async () => {
  const station = await openStation()
  const urls = ['http://a.test/1', 'http://a.test/2', 'http://a.test/none']
  const { id } = await submit(station, { urls })
  await serve(station, WEB, id)
  const find = async <Row>(query: string): Promise<SortedPage<Row>> =>
    JSON.parse((await read(station, `/batches/${query}`)).toString()) as SortedPage<Row>
  const first = await find<ResultLine>(`${id}/results/page?sort=-url&limit=2`)
  assert.equal(first.total, 3)
  const rest = await find<ResultLine>(`${id}/results/page?sort=-url&limit=2&cursor=${first.next}`)
  assert.deepEqual(
    [...first.rows, ...rest.rows].map(({ url }) => url),
    urls.toSorted().toReversed(),
  )
  const [found] = (await find<ResultLine>(`${id}/results/page?text=NONE`)).rows
  assert.deepEqual(
    found,
    (await linesOf(station, id)).find(({ status }) => status === 404),
  )
  assert.equal((await find<BatchView>(`page?text=${id}&state=ended`)).rows[0]?.id, id)
  assert.equal((await find<BatchView>('page?state=cancelled')).total, 0)
})

test('a device has one name inside a batch and another in every other batch', async () => {
  const station = await openStation()
  const names: (string | null)[][] = []
  for (const n of [1, 2]) {
    const { id } = await submit(station, { urls: [`http://a.test/${n}`, `http://b.test/${n}`] })
    await serve(station, WEB, id)
    names.push((await linesOf(station, id)).map(({ device }) => device))
  }
  assert.equal(new Set(names[0]).size, 1)
  assert.equal(new Set(names.flat()).size, 2)
})

test('Hanging client call: hundreds of calls at once each get the answer to their own request', async () => {
  const station = await openStation()
  const web: Web = {}
  for (let i = 0; i < CALLS; i++) web[`http://h${i % 125}.test/${i}`] = { body: `page ${i}` }
  const calls = Object.keys(web).map(async (url, i) => {
    const { statusCode, body, headers } = await station.app.inject({
      method: 'POST',
      url: '/api/requests',
      headers: { host: 'localhost', ...KEY },
      payload: { url, as: 'body', timeoutS: 600 },
    })
    assert.equal(statusCode, 200, body)
    assert.equal(headers['x-minga-outcome'], 'captured')
    assert.equal(body, `page ${i}`)
  })
  const over = new AbortController()
  const all = Promise.all(calls).finally(() => over.abort())
  await station.hello()
  while (!over.signal.aborted) {
    const block = await station.lease().catch(() => null)
    if (block) await station.send(station.fetch(block, web))
    else await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await all
})

test('a call that would wait too long says where the request continues', async () => {
  const station = await openStation()
  const over = new AbortController()
  const asking = station
    .post('/requests', { url: 'http://a.test/1', timeoutS: 5 })
    .finally(() => over.abort())
  // No agent fetches, so only time passes.
  while (!over.signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, 2))
    await station.clock.advance(500)
  }
  const said = await asking
  assertRefused(said, '504 MINGA_REQUEST_OPEN', /continues as batch bat_/)
  const [, id] = /batch (bat_\w+)/.exec(JSON.stringify(said.body))!
  await serve(station, WEB, id!)
  assert.equal((await linesOf(station, id!))[0]?.outcome, 'captured')
})

test('a failed request answers a call for its body with 502 and the reason', async () => {
  const station = await openStation()
  const said = await station.post('/requests', { url: 'http://192.168.0.1/', as: 'body' })
  assert.equal(said.status, 502)
  assert.equal((said.body as ResultLine).code, 'MINGA_ADDRESS_REFUSED')
})

test('the same key and content is one batch, by field or by header', async () => {
  const station = await openStation()
  const urls = ['http://a.test/1']
  const first = await submit(station, { urls, idempotencyKey: 'once' })
  assert.equal((await submit(station, { urls, idempotencyKey: 'once' })).id, first.id)
  const byHeader = await station.inject({
    method: 'POST',
    url: '/api/batches',
    headers: { ...KEY, 'idempotency-key': 'once' },
    payload: { urls },
  })
  assert.equal((byHeader.body as BatchView).id, first.id)
  const other = await station.post('/batches', { urls: ['http://b.test/'], idempotencyKey: 'once' })
  assertRefused(other, '409 MINGA_BATCH_KEY_REUSED', /Send a new key/)
})

test('a cancelled batch ends, and what it asked for is not fetched', async () => {
  const station = await openStation()
  const { id } = await submit(station, { urls: ['http://a.test/1', 'http://b.test/1'] })
  const said = await station.post(`/batches/${id}/cancel`)
  const { state, open, cancelled } = said.body as BatchView
  assert.deepEqual({ state, open, cancelled }, { state: 'cancelled', open: 0, cancelled: 2 })
  await station.hello()
  await assert.rejects(station.lease(), /nothing to fetch/)
})

test('batches are listed newest first, by state and by time, page by page', async () => {
  const station = await openStation()
  const ids: string[] = []
  for (const urls of [['http://a.test/1'], ['http://a.test/2'], ['http://b.test/old']]) {
    ids.unshift((await submit(station, { urls })).id)
    await station.clock.advance(1_000)
  }
  await station.post(`/batches/${ids[1]}/cancel`, {})
  const listed = async (query: string): Promise<BatchView[]> =>
    JSON.parse((await read(station, `/batches?${query}`)).toString()) as BatchView[]
  const all = await listed('')
  const idsOf = (batches: readonly BatchView[]): string[] => batches.map(({ id }) => id)
  assert.deepEqual(idsOf(all), ids)
  assert.deepEqual(idsOf(await listed('state=cancelled')), [ids[1]])
  assert.deepEqual(idsOf(await listed(`from=${all[1]!.createdAt}`)), ids.slice(0, 2))
  assert.deepEqual(idsOf(await listed(`before=${all[1]!.createdAt}`)), ids.slice(2))
  assert.deepEqual(idsOf(await listed('limit=1')), ids.slice(0, 1))
})

test('a batch as a WARC file holds every capture, and what captures refer to', async () => {
  const station = await openStation()
  const web = { ...WEB, 'http://c.test/same': { body: '<p>one</p>' } }
  const { id } = await submit(station, { urls: ['http://a.test/1', 'http://c.test/same'] })
  await serve(station, web, id)
  const bytes = await read(station, `/batches/${id}/warc`)
  const records: string[] = []
  for await (const record of new WARCParser(Readable.from([bytes]))) {
    await record.readFully(false)
    records.push(`${record.warcType} ${record.warcTargetURI ?? ''}`)
  }
  assert.deepEqual(records.toSorted(), [
    'response http://a.test/1',
    'revisit http://c.test/same',
    'warcinfo ',
  ])
})

test('events tell results once and the end, and go on where a reader left', async () => {
  const station = await openStation()
  const { id } = await submit(station, { urls: ['http://a.test/1', 'http://a.test/2'] })
  await serve(station, WEB, id)
  const eventsOf = async (headers = {}): Promise<string[]> =>
    (await read(station, `/batches/${id}/events`, headers))
      .toString()
      .split('\n')
      .filter((line) => line.startsWith('event: '))
  assert.deepEqual(await eventsOf(), ['event: result', 'event: result', 'event: end'])
  assert.deepEqual(await eventsOf({ 'last-event-id': '1' }), ['event: result', 'event: end'])
})

test('Client credentials: without a key nothing is sent, read or cancelled', async () => {
  const station = await openStation()
  const { id } = await submit(station, { urls: ['http://a.test/1'] })
  const calls = [
    { method: 'POST', url: '/api/batches', payload: { urls: ['http://a.test/'] } },
    { method: 'POST', url: '/api/requests', payload: { url: 'http://a.test/' } },
    { method: 'POST', url: `/api/batches/${id}/cancel` },
    ...[
      '',
      '/page',
      `/${id}`,
      `/${id}/results`,
      `/${id}/results/page`,
      `/${id}/warc`,
      `/${id}/events`,
    ].map((path) => ({
      method: 'GET',
      url: `/api/batches${path}`,
    })),
  ] as const
  for (const call of calls) {
    assert.equal((await station.inject({ ...call })).status, 401, `${call.method} ${call.url}`)
  }
})

test('addresses that must never be dialled end as denied, however they are written', async () => {
  const station = await openStation()
  const urls = [
    'http://2130706433/',
    'http://0177.0.0.1/',
    'http://0x7f.1/',
    'http://127.1/',
    'http://[::ffff:10.0.0.1]/',
    'http://[64:ff9b::a00:1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://user:secret@a.test/',
    'http://localhost/',
    'http://a.test:22/',
    'ftp://a.test/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'http://',
    '',
    'http://a.test/\u0000\r\nHost: evil',
  ]
  const batch = await submit(station, { urls: [...urls, 'http://a.test/ok'] })
  const lines = await linesOf(station, batch.id)
  const denied = new Map(lines.map((line) => [line.seq, line]))
  for (const [seq, url] of urls.slice(0, -1).entries()) {
    assert.equal(denied.get(seq)?.outcome, 'denied', JSON.stringify(url))
    assert.match(denied.get(seq)!.code!, /^MINGA_(ADDRESS_REFUSED|BAD_URL)$/)
  }
  await station.hello()
  const asked = (await station.lease()).hosts.flatMap(({ requests }) => requests)
  assert.ok(asked.every(({ url }) => new URL(url).hostname === 'a.test' && !/[\r\n]/.test(url)))
})

test('an oversized batch is refused as a whole, with its limit', async () => {
  const station = await openStation()
  const urls = Array.from({ length: 100_001 }, (_, i) => `http://a.test/${i}`)
  assertRefused(await station.post('/batches', { urls }), '400 MINGA_BAD_MESSAGE', /urls: .*100000/)
  assertRefused(await station.post('/batches', { urls: [] }), '400 MINGA_BAD_MESSAGE', /urls/)
  const inside = { urls: ['http://a.test/'], webhook: 'http://127.0.0.1:9/' }
  assertRefused(await station.post('/batches', inside), '400 MINGA_BAD_WEBHOOK', /public address/)
})
