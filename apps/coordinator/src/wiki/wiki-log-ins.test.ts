// Goal: a bot password reaches the station's own agents for its wiki and no one else, and one that
// was refused is tried again neither soon nor by another agent. Method: a whole station on virtual
// time, whose agents are driven by the test.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Block, HostBlock, WikiTaskView } from '@minga/protocol'
import { startFakeWiki, type FakeWiki, type FakeWikiSpec } from '@minga/testkit'
import { ENGINES } from '../../../../packages/store/test/contract-engines.ts'
import type { Parcel } from '../../../agent/src/record/outbox.ts'
import { AT_EASE, recordFinding } from '../../../agent/src/record/record.ts'
import type { LogInFailure } from '../../../agent/src/fetch/wiki-session.ts'
import {
  assertRefused,
  leasedRequestsOf,
  type Said,
  type TestStation,
  type Web,
} from '../../test/station-fixture.ts'
import { Fleet } from '../../test/agents/trust/fleet-fixture.ts'
import {
  addWiki,
  fetchBlock,
  nextBlock,
  openWikiStation,
  pass,
  untilOver,
} from '../../test/wiki/wiki-fixture.ts'

const LOG_IN = { user: 'Ana@minga', password: 'geheim-wie-nie' }
const MINUTE_MS = 60_000
const WRITER = { authorization: 'Bearer the key of writers' }

async function fakeWiki(t: TestContext, spec: FakeWikiSpec = {}): Promise<FakeWiki> {
  const history = [{ do: 'edit' as const, title: 'Llama', text: 'wool' }]
  const wiki = await startFakeWiki({ history, ...spec })
  t.after(() => wiki.close())
  return wiki
}

function give(station: TestStation, wiki: string, logIn: object | null): Promise<Said> {
  const url = `/api/wikis/${encodeURIComponent(wiki)}/bot-password`
  return station.inject({ method: 'PUT', url, headers: WRITER, payload: { logIn } })
}

const logInsOf = (block: Block | null): (HostBlock['logIns'] | null)[] =>
  (block?.hosts ?? []).map(({ logIns }) => logIns ?? null)

/** Robots.txt comes first; the next block asks the wiki itself. */
async function wikiBlock(station: TestStation): Promise<Block> {
  for (;;) {
    const block = await nextBlock(station)
    assert.ok(block, 'there is something to ask')
    if (leasedRequestsOf(block).some(({ request }) => request.kind !== 'robots')) return block
    await station.send(await fetchBlock(station, block))
  }
}

const REFUSED: LogInFailure = {
  ok: false,
  code: 'MINGA_WIKI_LOG_IN_REFUSED',
  message: 'The wiki refuses the log-in of Ana@minga (wrongpassword): look there.',
  retry: 'never',
  retryAfterMs: null,
  totalMs: 5,
}

function failing(station: TestStation, block: Block, outcome: LogInFailure): Parcel[] {
  const tools = { clock: station.clock, newId: () => crypto.randomUUID(), effort: AT_EASE }
  return leasedRequestsOf(block).map((leased) =>
    recordFinding(tools, { leased, outcome, endedAtMs: 0 }),
  )
}

async function refusedTask(
  station: TestStation,
  wiki: FakeWiki,
  outcome = REFUSED,
): Promise<WikiTaskView> {
  const { id } = await addWiki(station, { address: wiki.apiUrl, pages: ['Llama'] })
  await station.send(failing(station, await wikiBlock(station), outcome))
  return untilOver(station, id)
}

for (const engine of ENGINES) {
  test(
    `a bot password is sent to the station’s own agents for that wiki only (${engine.name})`,
    { skip: engine.skip },
    async (t) => {
      const wiki = await fakeWiki(t)
      const station = await openWikiStation({ engine })
      assert.deepEqual(await give(station, wiki.apiUrl, LOG_IN), {
        status: 200,
        body: { saved: true },
      })
      const stored = await station.store.call('readFact', { name: `wiki-log-in ${wiki.apiUrl}` })
      assert.match(String(stored), /Ana@minga/)
      assert.ok(!String(stored).includes(LOG_IN.password), 'the database has it encrypted')
      await station.post('/collections', { seeds: [`${wiki.apiUrl}?x`], delayMs: 0 })
      const crawl = await wikiBlock(station)
      assert.deepEqual(logInsOf(crawl), [null], 'an ordinary collection is none of a wiki')
      await station.send(await fetchBlock(station, crawl))
      await station.post('/collections/1/cancel')
      const { id } = await addWiki(station, { address: wiki.apiUrl, pages: ['Llama'] })
      const block = await wikiBlock(station)
      assert.deepEqual(logInsOf(block), [[{ api: wiki.apiUrl, ...LOG_IN }]])
      const shown = [
        await station.get('/wikis/tasks'),
        await station.get('/wikis'),
        await station.get(`/wikis/tasks/${id}`),
        await station.get('/collections'),
      ]
      assert.ok(!JSON.stringify(shown).includes(LOG_IN.password))
      await station.send(await fetchBlock(station, block))
      await give(station, wiki.apiUrl, null)
      assert.deepEqual(logInsOf(await wikiBlock(station)), [null])
    },
  )

  test(
    `a refused log-in rests for all agents, longer each time, until it is given again (${engine.name})`,
    { skip: engine.skip },
    async (t) => {
      const wiki = await fakeWiki(t)
      const station = await openWikiStation({ engine })
      await give(station, wiki.apiUrl, LOG_IN)
      const told = [{ api: wiki.apiUrl, ...LOG_IN }]
      const { code, message } = REFUSED
      const resting = [{ api: wiki.apiUrl, refused: { code, message } }]
      const task = await refusedTask(station, wiki)
      assert.equal(task.state, 'failed')
      assert.deepEqual(
        task.failures.map((failure) => failure.code),
        ['MINGA_WIKI_LOG_IN_REFUSED'],
      )
      assert.deepEqual(task.progress.warnings, [REFUSED.message])
      const seenAfter = async (ms: number): Promise<unknown> => {
        await pass(station, ms)
        const { id } = await addWiki(station, { address: wiki.apiUrl, pages: [`After ${ms}`] })
        const block = await wikiBlock(station)
        await station.send(failing(station, block, REFUSED))
        await untilOver(station, id)
        return logInsOf(block)[0]
      }
      assert.deepEqual(await seenAfter(9 * MINUTE_MS), resting)
      assert.deepEqual(await seenAfter(2 * MINUTE_MS), told, 'the second refusal counts twice')
      assert.deepEqual(await seenAfter(12 * MINUTE_MS), resting)
      assert.deepEqual(await seenAfter(9 * MINUTE_MS), told)
      assert.deepEqual(await seenAfter(MINUTE_MS), resting)
      await give(station, wiki.apiUrl, LOG_IN)
      assert.deepEqual(await seenAfter(1_000), told)
    },
  )
}

test('a throttled log-in waits as long as the wiki asks, and then continues by itself', async (t) => {
  const wiki = await fakeWiki(t)
  const station = await openWikiStation()
  await give(station, wiki.apiUrl, LOG_IN)
  const { id } = await addWiki(station, { address: wiki.apiUrl, pages: ['Llama'] })
  const throttled: LogInFailure = {
    ...REFUSED,
    code: 'MINGA_WIKI_LOG_IN_THROTTLED',
    retry: 'later',
    retryAfterMs: 5 * MINUTE_MS,
  }
  await station.send(failing(station, await wikiBlock(station), throttled))
  await pass(station, 4 * MINUTE_MS)
  assert.equal(await nextBlock(station), null, 'the host rests')
  await pass(station, 2 * MINUTE_MS)
  const block = await wikiBlock(station)
  assert.deepEqual(logInsOf(block), [[{ api: wiki.apiUrl, ...LOG_IN }]])
  await station.send(await fetchBlock(station, block))
  assert.equal((await untilOver(station, id)).state, 'done')
})

test('no byte of a log-in is sent to a volunteer, not even to a proven one whom the task lets in', async (t) => {
  const wiki = await fakeWiki(t)
  let names = 0
  const station = await openWikiStation({
    addressesOf: (name) => (name.endsWith('.test') ? [`93.184.1.${++names}`] : ['127.0.0.1']),
  })
  const fleet = new Fleet(station)
  const volunteer = await provenVolunteer(fleet)
  const wanted = { address: wiki.apiUrl, volunteers: true }
  const robots = await addWiki(station, { ...wanted, pages: ['Main Page'] })
  await untilOver(station, robots.id)
  const { id } = await addWiki(station, { ...wanted, pages: ['Llama'] })
  // Given while the task is under way: its requests may go to volunteers already.
  await give(station, wiki.apiUrl, LOG_IN)
  await volunteer.hello(`boot-${volunteer.id}`)
  const asked: object[] = []
  for (let round = 0; round < 12; round++) {
    await station.clock.advance(2_000)
    await volunteer.call('beat', { progress: round, fences: [] })
    const answer = await volunteer.ask(station.clock)
    if (answer.block) asked.push(answer)
  }
  assert.ok(asked.length > 0, 'the volunteer was asked')
  const sent = JSON.stringify(asked)
  assert.ok(sent.includes('api.php'))
  for (const secret of [LOG_IN.password, LOG_IN.user, 'logIns', 'ookie']) {
    assert.ok(!sent.includes(secret), `${secret} reaches a volunteer`)
  }
  await station.post(`/wikis/tasks/${id}/cancel`)
  await pass(station, MINUTE_MS)
  await addWiki(station, { ...wanted, pages: ['Alpaca'] })
  await volunteer.call('beat', { progress: 99, fences: [] })
  await volunteer.hello(`boot-${volunteer.id}`)
  const { block } = await volunteer.ask(station.clock)
  // Another page of those that proved it may come again.
  const isOfWiki = JSON.stringify(block).includes('api.php')
  assert.ok(!isOfWiki, 'what needs a login is not for volunteers at all')
})

/** The station's own agent may be drawn for audits as well; later on it is to meet the wiki alone. */
async function workOffAudits(station: TestStation, web: Web): Promise<void> {
  for (;;) {
    const block = await nextBlock(station)
    if (block === null) return
    await station.send(station.fetch(block, web))
  }
}

async function provenVolunteer(fleet: Fleet) {
  const volunteer = await fleet.stranger()
  const trusted = await fleet.trusted()
  const isProven = async (): Promise<boolean> => {
    const trust = await fleet.station.store.call('trustOf', { device: volunteer.id })
    return trust!.isProven
  }
  const web: Web = {}
  for (let batch = 0; batch < 10 && !(await isProven()); batch++) {
    const pages: Web = {}
    for (let i = 0; i < 120; i++)
      pages[`http://h${i % 5}.test/${batch}/${i}`] = { body: `<p>${i}</p>` }
    Object.assign(web, pages)
    await fleet.submit(Object.keys(pages))
    for (const device of [volunteer, trusted, volunteer, trusted]) await fleet.work(device, web)
    await fleet.station.clock.advance(21_000)
    await fleet.work(trusted, web)
  }
  await workOffAudits(fleet.station, web)
  assert.ok(await isProven())
  return volunteer
}

test('within a network of our own a bot password goes over http, and nowhere when its name leads outside', async (t) => {
  const wiki = await fakeWiki(t)
  let address = '127.0.0.1'
  const station = await openWikiStation({ addressesOf: () => [address] })
  const api = wiki.apiUrl.replace('127.0.0.1', 'localhost')
  assert.equal((await give(station, api, LOG_IN)).status, 200)
  await addWiki(station, { address: api, pages: ['Llama'] })
  assert.deepEqual(logInsOf(await wikiBlock(station)), [[{ api, ...LOG_IN }]])

  address = '93.184.216.34'
  // Longer than a name is remembered, and the block that is out is given again.
  await pass(station, 10 * MINUTE_MS)
  const block = await wikiBlock(station)
  assert.equal(block.hosts[0]!.address, address)
  assert.deepEqual(logInsOf(block), [null])
  assertRefused(await give(station, api, LOG_IN), '400 MINGA_WIKI_UNSAFE_TOKEN', /https/)
  assert.equal((await give(station, api, null)).status, 200, 'it can always be forgotten')
})

test('a bot password goes over https, has a bot’s name, and is given by operators', async (t) => {
  const wiki = await fakeWiki(t)
  const station = await openWikiStation({ allowPrivateAddresses: false })
  const api = 'http://wiki.example/w/api.php'
  assertRefused(await give(station, api, LOG_IN), '400 MINGA_WIKI_UNSAFE_TOKEN', /https/)
  assert.equal((await give(station, api.replace('http', 'https'), LOG_IN)).status, 200)
  const nameless = await give(station, api, { ...LOG_IN, user: 'Ana' })
  assert.equal(nameless.status, 400)
  assert.match(JSON.stringify(nameless.body), /User@bot/)
  const url = `/api/wikis/${encodeURIComponent(wiki.apiUrl)}/bot-password`
  const stranger = await station.inject({ method: 'PUT', url, payload: { logIn: LOG_IN } })
  assert.equal(stranger.status, 401)
  assert.ok(!JSON.stringify([nameless, stranger]).includes(LOG_IN.password))
})
