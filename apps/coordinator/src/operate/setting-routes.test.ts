// Goal: operators change how the station works while it runs, all or nothing, with a trail, and no
// one else does. Method: whole stations on virtual time called through their API; the last run is
// over real sockets, with several agents and every strategy in turn.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { LeaseResponse, Block, CaptureRow, SortedPage } from '@minga/protocol'
import type { InjectOptions } from 'fastify'
import { ENGINES } from '../../../../packages/store/test/contract-engines.ts'
import { People } from '../../test/accounts/people-fixture.ts'
import { TestDevice } from '../../test/agents/device-fixture.ts'
import {
  assertRefused,
  openStation,
  TOKENS,
  uploadOf,
  type Said,
  type TestStation,
  type Web,
} from '../../test/station-fixture.ts'
import {
  LiveSettings,
  type SettingView,
  type ShownChange,
} from '../station/settings/live-settings.ts'
import { SETTING_DEFAULTS, SETTING_NAMES } from '../station/settings/registry.ts'
import { openOperator } from '../../test/station/settings/settings-fixture.ts'

const KEY = { authorization: `Bearer ${TOKENS.apiKey}` }

const patch = (station: TestStation, payload: object, headers: Record<string, string> = KEY) =>
  station.inject({ method: 'PATCH', url: '/api/settings', headers, payload })

for (const engine of ENGINES) {
  describe(`the settings of a station on ${engine.name}`, { skip: engine.skip }, () => {
    test('Config variables: each is shown with its value, where it comes from and what it may be', async () => {
      const operator = await openOperator({ engine, flags: { delayMs: 250 } })
      const all = await operator.read<SettingView[]>('/settings')
      assert.deepEqual(
        all.map(({ name }) => name),
        SETTING_NAMES,
      )
      const { about: _, holds: __, ...delay } = await operator.setting('delayMs')
      assert.deepEqual(delay, {
        name: 'delayMs',
        value: 250,
        source: 'flag',
        default: 1_000,
        unit: 'ms',
        min: 0,
        max: 3_600_000,
        choices: null,
        changedAt: null,
        changedBy: null,
      })
      assert.equal((await operator.setting('blockMax')).source, 'default')
      await operator.set({ delayMs: 500 })
      const changed = await operator.setting('delayMs')
      assert.deepEqual(
        [changed.value, changed.source, changed.changedBy, changed.changedAt],
        [500, 'changed', 'operator', operator.station.clock.now()],
      )
      await operator.reset('delayMs')
      const back = await operator.setting('delayMs')
      assert.deepEqual([back.value, back.source, back.changedAt], [250, 'flag', null])
    })

    test('Config variables: one wrong value changes none, and each is named with what it may be', async () => {
      const operator = await openOperator({ engine })
      const { station } = operator
      const before = await operator.read('/settings')
      const wrong = { strategy: 'random', blockMax: 0, cacheMs: 5, other: 1, delayMs: '9' }
      const sentence =
        /strategy must be one of .*; blockMax must be a whole number from 1 to 1000000; other is not a setting; delayMs must be a whole number/
      assertRefused(await patch(station, wrong), '400 MINGA_BAD_SETTING', sentence)
      assertRefused(await patch(station, { note: 7 }), '400 MINGA_BAD_MESSAGE', /note/)
      const remove = { method: 'DELETE', url: '/api/settings/other', headers: KEY } as const
      assertRefused(await station.inject(remove), '400 MINGA_BAD_SETTING', /other is not a setting/)
      assert.deepEqual(await operator.read('/settings'), before)
      assert.deepEqual(await operator.changes(), [])
    })

    test('Config variables: the trail tells who changed what from what to what, and why', async () => {
      const operator = await openOperator({ engine })
      await operator.set({ blockMax: 5, strategy: 'nearest', note: 'a trial' })
      await operator.set({ blockMax: 7 })
      await operator.reset('blockMax')
      const trail = await operator.changes()
      assert.deepEqual(
        trail.map(({ no, name, before, after, by, note }) => [no, name, before, after, by, note]),
        [
          [4, 'blockMax', 7, 10_000, 'operator', null],
          [3, 'blockMax', 5, 7, 'operator', null],
          [2, 'strategy', 'least-busy', 'nearest', 'operator', 'a trial'],
          [1, 'blockMax', 10_000, 5, 'operator', 'a trial'],
        ],
      )
      const page = await operator.changes('?before=4&limit=2')
      assert.deepEqual(
        page.map(({ no }) => no),
        [3, 2],
      )
      const found = await operator.read<SortedPage<ShownChange>>(
        '/settings/changes/page?setting=blockMax&sort=at&limit=2',
      )
      assert.deepEqual(
        [found.rows.map(({ before, after }) => [before, after]), found.total],
        [
          [
            [10_000, 5],
            [5, 7],
          ],
          3,
        ],
      )
    })

    test('Config variables: another coordinator of the same database follows at its next tick', async () => {
      const operator = await openOperator({ engine })
      const { store, clock } = operator.station
      const other = await LiveSettings.open({ store, clock, flags: { cacheMs: 9 } })
      await operator.set({ cacheMs: 77, blockMax: 3 })
      assert.equal(other.current().cacheMs, 9)
      await other.tick()
      assert.equal(other.current().cacheMs, 77)
      assert.equal(other.current().blockMax, 3)
      await other.reset('cacheMs', { by: null, note: null })
      assert.equal(other.current().cacheMs, 9, 'back to what it was started with')
    })
  })
}

test('what another version of Minga wrote is left alone where it means nothing here', async () => {
  const { store, clock } = await openStation()
  const strange = [
    { name: 'strategy', value: '"of tomorrow"', otherwise: 'null' },
    { name: 'unheard of', value: '1', otherwise: 'null' },
  ]
  await store.call('changeSettings', { changes: strange, by: null, note: null, now: 1 })
  const settings = await LiveSettings.open({ store, clock, flags: {} })
  assert.deepEqual(settings.current(), SETTING_DEFAULTS)
  await assert.rejects(LiveSettings.open({ store, clock, flags: { delayMs: -1 } }), {
    code: 'MINGA_BAD_SETTING',
  })
})

test('operators alone change settings, owners of budgets may read them, no one else does', async () => {
  const people = new People(await openStation())
  const outcomes = async (token: string | null): Promise<string[]> => [
    await people.outcome(token, 'GET', '/settings'),
    await people.outcome(token, 'GET', '/settings/changes'),
    await people.outcome(token, 'DELETE', '/settings/blockMax'),
    String(
      (await patch(people.station, {}, token ? { authorization: `Bearer ${token}` } : {})).status,
    ),
  ]
  const no = '403 MINGA_FORBIDDEN'
  const unknown = '401 MINGA_NOT_ALLOWED'
  assert.deepEqual(await outcomes(null), [unknown, unknown, unknown, '401'])
  const client = await people.person('carla', 'client')
  assert.deepEqual(await outcomes(client.token), [no, no, no, '403'])
  const owner = await people.person('oskar', 'owner')
  assert.deepEqual(await outcomes(owner.token), ['200', '200', no, '403'])
  const operator = await people.person('olga', 'operator')
  assert.deepEqual(await outcomes(operator.token), ['200', '200', '200', '200'])
})

test('Block creation, limit: no block is larger than the setting, and the order is kept', async () => {
  const operator = await openOperator()
  const { station } = operator
  await operator.set({ blockMax: 2 })
  const urls = Array.from({ length: 7 }, (_, i) => `http://a.test/${i}`)
  const { id } = await operator.submit(urls)
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
  assert.equal((await operator.batch(id)).state, 'ended')
})

/** The station's calls over a socket instead of within the process. */
function doorAt(origin: string) {
  return {
    async inject({ method, url, headers, payload }: InjectOptions): Promise<Said> {
      const isBytes = Buffer.isBuffer(payload)
      const response = await fetch(`${origin}${url as string}`, {
        method: method ?? 'GET',
        headers: headers as Record<string, string>,
        body: isBytes ? new Uint8Array(payload) : JSON.stringify(payload),
      })
      return { status: response.status, body: await response.json() }
    },
  }
}

const AGENTS = 5
const HOSTS = 60
const URLS_PER_HOST = 5

test('Run-time strategy switch: mid-run over real HTTP, no request is lost and none is done twice', async () => {
  const operator = await openOperator({ flags: { delayMs: 10 } })
  const { station } = operator
  const urls = Array.from(
    { length: HOSTS * URLS_PER_HOST },
    (_, i) => `http://h${i % HOSTS}.test/${i}`,
  )
  const web: Web = Object.fromEntries(urls.map((url) => [url, { body: url }]))
  await station.app.listen({ host: '127.0.0.1', port: 0 })
  const address = station.app.server.address() as { port: number }
  const door = doorAt(`http://localhost:${address.port}`)
  const { id } = await operator.submit(urls)
  const fetched: string[] = []
  const over = new AbortController()

  const send = async (device: TestDevice, boot: string, block: Block): Promise<void> => {
    for (const { requests } of block.hosts) fetched.push(...requests.map(({ url }) => url))
    const said = await device.upload(uploadOf(station.fetch(block, web), boot))
    assert.deepEqual(said.status, 200, JSON.stringify(said.body))
    assert.equal((said.body as { stale: number }).stale, 0)
  }
  const agent = async (name: string): Promise<void> => {
    const device = new TestDevice(door)
    await device.enrol()
    assert.equal((await device.hello(name)).status, 200)
    while (!over.signal.aborted) {
      await device.call('beat', { progress: station.clock.now(), fences: [] })
      const { block } = (await device.call('ask', { requestsMax: 8, hostsMax: 4 }))
        .body as LeaseResponse
      if (block) await send(device, name, block)
    }
  }
  const agents = Array.from({ length: AGENTS }, (_, i) => agent(`boot-of-agent-${i}`))
  const strategies = ['democratic', 'nearest', 'fastest', 'least-busy'] as const
  for (let turn = 0; (await operator.batch(id)).open > 0; turn++) {
    assert.ok(turn < 1_000, 'the batch does not end')
    await operator.set({ strategy: strategies[turn % 4]!, blockMax: 1 + (turn % 7) })
    // Time passes slowly enough for every agent's beat to be heard in time.
    for (let i = 0; i < 5; i++) {
      await station.clock.advance(20)
      await new Promise((wake) => setTimeout(wake, 2))
    }
    await station.tick()
  }
  over.abort()
  const asking = Promise.all(agents)
  const isOver = asking.then(() => true)
  const pause = (): Promise<false> => new Promise((wake) => setTimeout(() => wake(false), 2))
  while (!(await Promise.race([isOver, pause()]))) await station.clock.advance(500)

  const lines = await operator.lines(id)
  assert.deepEqual(lines.map(({ url }) => url).toSorted(), urls.toSorted(), 'each has one end')
  assert.ok(lines.every(({ outcome }) => outcome === 'captured'))
  const pages = fetched.filter((url) => !url.endsWith('/robots.txt'))
  assert.deepEqual(pages.toSorted(), urls.toSorted(), 'each was fetched once')
  const captures = await operator.read<CaptureRow[]>('/captures')
  assert.equal(captures.filter(({ url }) => !url.endsWith('/robots.txt')).length, urls.length)
  await station.tick()
  assert.equal(await operator.balance('operator'), -1_000 * urls.length)
  await operator.ledgerSumsToZero()
})
