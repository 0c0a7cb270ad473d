// Goal: operators change how work is placed while the station runs, and nobody else does. Method: a
// whole station on virtual time, its settings changed between two blocks of one batch.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BatchView } from '@minga/protocol'
import {
  assertRefused,
  openStation,
  TOKENS,
  type TestStation,
  type Web,
} from './station-fixture.ts'

const KEY = { authorization: `Bearer ${TOKENS.apiKey}` }

const patch = (station: TestStation, payload: object, headers: Record<string, string> = KEY) =>
  station.inject({ method: 'PATCH', url: '/api/settings', headers, payload })

test('Config variables: a change holds from the next block on, and a wrong one changes nothing', async () => {
  const station = await openStation()
  const before = await station.inject({ url: '/api/settings', headers: KEY })
  assert.equal((before.body as { strategy: string }).strategy, 'least-busy')
  const changed = await patch(station, { strategy: 'democratic', blockMax: 3 })
  assert.deepEqual(changed.body, {
    ...(before.body as object),
    strategy: 'democratic',
    blockMax: 3,
  })
  assertRefused(await patch(station, { strategy: 'random' }), '400 MINGA_BAD_MESSAGE', /strategy/)
  assertRefused(await patch(station, { blockMax: 0 }), '400 MINGA_BAD_MESSAGE', /blockMax/)
  assertRefused(await patch(station, { other: 1 }), '400 MINGA_BAD_MESSAGE', /other/)
  const stranger = await patch(station, { blockMax: 9 }, {})
  assert.equal(stranger.status, 401)
  assert.deepEqual(
    (await station.inject({ url: '/api/settings', headers: KEY })).body,
    changed.body,
  )
})

test('Block creation, limit: no block is larger than the setting, and the order is kept', async () => {
  const station = await openStation()
  await patch(station, { blockMax: 2 })
  const urls = Array.from({ length: 7 }, (_, i) => `http://a.test/${i}`)
  const { id } = (await station.post('/batches', { urls })).body as BatchView
  const web: Web = Object.fromEntries(urls.map((url) => [url, { body: url }]))
  await station.hello()
  const asked: string[] = []
  while (asked.length < urls.length) {
    const block = await station.lease()
    const requests = block.hosts.flatMap((host) => host.requests)
    assert.ok(requests.length <= 2)
    asked.push(...requests.filter(({ kind }) => kind !== 'robots').map(({ url }) => url))
    await station.send(station.fetch(block, web))
  }
  assert.deepEqual(asked, urls)
  const batch = await station.inject({ url: `/api/batches/${id}`, headers: KEY })
  assert.equal((batch.body as BatchView).state, 'ended')
})
