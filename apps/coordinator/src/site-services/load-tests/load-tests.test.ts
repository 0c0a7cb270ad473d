// Goal: who may test what, and that nothing starts that should not. Method: a whole station called by
// several people, DNS from a name server on loopback, its one agent fetching the files of proofs.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startTestDns } from '../../../../../packages/net/test/dns-fixture.ts'
import { openPeople } from '../../../test/accounts/people-fixture.ts'
import { TOKENS, type Said, type Web } from '../../../test/station-fixture.ts'
import type { LoadTestView } from './load-test-views.ts'

const dns = await startTestDns()
after(() => dns.close())
const people = await openPeople({ dnsServers: [dns.server] })
const { station } = people
await station.hello()
const { token: ana } = await people.person('ana', 'client')
const { token: bob } = await people.person('bob', 'collector')

const web: Web = {}

const made = (who: string, host: string, more: object = {}): Promise<LoadTestView> =>
  people.ok(who, 'POST', '/load-tests', { urls: [`https://${host}/`], ...more })

/** The station's own agent answers what it is asked to fetch with this web; what is missing is a 404. */
async function start(who: string, id: string): Promise<Said> {
  const starting = people.call(who, 'POST', `/load-tests/${id}/start`)
  const isOver = starting.then(() => true)
  const turn = (): Promise<false> => new Promise((resolve) => setTimeout(() => resolve(false), 5))
  while (!(await Promise.race([isOver, turn()]))) {
    await station.agent('beat', { progress: station.clock.now(), fences: [] })
    const { block } = await station.device.ask(station.clock)
    if (block) await station.send(station.fetch(block, web))
  }
  return starting
}

async function outcome(who: string, id: string): Promise<string> {
  const { status, body } = await start(who, id)
  return status === 200 ? '200' : `${status} ${(body as { error: { code: string } }).error.code}`
}

/** As when the coordinator was away: nothing here keeps tests going. */
function allOver(): Promise<number> {
  return station.store.call('sweepLoadTests', { now: station.clock.now() + 60_000 })
}

/** The owner publishes the file. */
function publish({ host, proof }: LoadTestView): void {
  const { path, content } = proof!.file
  web[`https://${host}${path}`] = { body: content, type: 'text/plain' }
}

test('a new test says what to publish where, and the same owner need not publish it twice', async () => {
  const one = await made(ana, 'shop.example.org')
  assert.deepEqual([one.state, one.host], ['unproven', 'shop.example.org'])
  const two = await made(ana, 'shop.example.org')
  assert.notEqual(one.id, two.id)
  assert.deepEqual(one.proof!.file, two.proof!.file)
  const others = await made(bob, 'shop.example.org')
  assert.notEqual(
    others.proof!.file.content,
    one.proof!.file.content,
    'a proof counts for its own account only',
  )
})

test('Verified load test: no file, no start, also not for the operator', async () => {
  const { id } = await made(ana, 'bare.example.org')
  assert.equal(await outcome(ana, id), '403 MINGA_LOAD_TEST_UNPROVEN')
  assert.equal(
    await outcome(TOKENS.apiKey, id),
    '403 MINGA_LOAD_TEST_UNPROVEN',
    'the operator neither',
  )
})

test('Verified load test: the file alone proves; a TXT record never does, and is not even mentioned', async () => {
  const test1 = await made(ana, 'file.example.org')
  assert.equal(test1.proof!.dns, null)
  const { content } = test1.proof!.file
  dns.txt.set('_minga-proof.file.example.org', [`minga-proof=${content}`])
  assert.equal(await outcome(ana, test1.id), '403 MINGA_LOAD_TEST_UNPROVEN')
  assert.deepEqual(
    dns.asked.filter((name) => name.includes('file.example.org')),
    [],
  )
  publish(test1)
  assert.equal(await outcome(ana, test1.id), '200')
  const view = await people.ok<LoadTestView>(ana, 'GET', `/load-tests/${test1.id}`)
  assert.equal(view.state, 'preparing')
  assert.equal(await outcome(ana, test1.id), '409 MINGA_LOAD_TEST_OVER')
  await people.ok(ana, 'POST', `/load-tests/${test1.id}/abort`)
  await allOver()
})

test('Verified load test: the file proves nothing once it is gone', async () => {
  const view = await made(ana, 'gone.example.org')
  publish(view)
  web[`https://gone.example.org${view.proof!.file.path}`] = { status: 404 }
  assert.equal(await outcome(ana, view.id), '403 MINGA_LOAD_TEST_UNPROVEN')
})

test('while a test runs its host is left alone, and no second test of it begins', async () => {
  const first = await made(ana, 'busy.example.org')
  publish(first)
  assert.equal(await outcome(ana, first.id), '200')
  const second = await made(ana, 'busy.example.org')
  assert.equal(second.state, 'ready')
  assert.equal(await outcome(ana, second.id), '409 MINGA_LOAD_TEST_BUSY')
  await station.collect({ seeds: ['https://busy.example.org/page'], delayMs: 0 })
  const { block } = await station.device.ask(station.clock)
  const hosts = (block?.hosts ?? []).flatMap(({ requests }) => requests.map(({ url }) => url))
  assert.deepEqual(
    hosts.filter((url) => url.includes('busy.example.org')),
    [],
  )
  await allOver()
})

test('an address that other sites live on is not tested', async () => {
  const view = await made(ana, 'shared.example.org')
  publish(view)
  const other = { hostId: 0, name: 'neighbour.example.net', address: '93.184.216.99', until: 0 }
  const host = await station.store.call('findHostTarget', {
    host: 'shared.example.org',
    now: station.clock.now(),
  })
  const until = station.clock.now() + 600_000
  const own = { ...other, hostId: host.hostId, name: 'shared.example.org', until }
  await station.store.call('noteResolutions', { resolutions: [own, other], now: 0 })
  const said = await start(ana, view.id)
  const { error } = said.body as { error: { code: string; message: string } }
  assert.deepEqual([said.status, error.code], [409, 'MINGA_LOAD_TEST_SHARED'])
  assert.match(error.message, /example\.net/)
})

test('a closed host is not tested, even with a proof', async () => {
  const view = await made(ana, 'closed.example.org')
  publish(view)
  await station.store.call('closeHosts', {
    rules: ['closed.example.org'],
    source: 'operator',
    code: 'MINGA_HOST_DENIED',
    reason: 'a test',
    by: 'operator',
    now: station.clock.now(),
  })
  const said = await start(ana, view.id)
  assert.match(JSON.stringify(said.body), /MINGA_LOAD_TEST_REFUSED.*MINGA_HOST_DENIED/)
})

test('tests of other users do not exist, and readers and volunteers test nothing', async () => {
  const { id } = await made(ana, 'mine.example.org')
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/report'],
    ['GET', '/events'],
    ['POST', '/start'],
    ['POST', '/abort'],
  ] as const) {
    const refusal = await people.outcome(bob, method, `/load-tests/${id}${path}`)
    assert.equal(refusal, '404 MINGA_NO_SUCH_LOAD_TEST', path)
  }
  const { token: reader } = await people.person('eva', 'reader', 'volunteer')
  const body = { urls: ['https://mine.example.org/'] }
  assert.equal(await people.outcome(reader, 'POST', '/load-tests', body), '403 MINGA_FORBIDDEN')
  const mine = await people.ok<LoadTestView[]>(bob, 'GET', '/load-tests')
  assert.ok(mine.every((view) => view.id !== id))
})

test('wishes beyond the ceilings of the station, of several hosts or of private addresses are refused', async () => {
  const refused: [object, string][] = [
    [{ visitorsMax: 1_001 }, '400 MINGA_BAD_MESSAGE'],
    [{ ceilings: { requestsPerSecond: 501 } }, '400 MINGA_BAD_MESSAGE'],
    [{ ceilings: { durationS: 3_601 } }, '400 MINGA_BAD_MESSAGE'],
    [{ urls: [] }, '400 MINGA_BAD_MESSAGE'],
    [{ urls: ['https://a.example.org/', 'https://b.example.org/'] }, '400 MINGA_LOAD_TEST_REFUSED'],
    [
      { urls: ['https://a.example.org/', 'https://a.example.org:8443/'] },
      '400 MINGA_LOAD_TEST_REFUSED',
    ],
    [{ urls: ['http://127.0.0.1/'] }, '400 MINGA_LOAD_TEST_REFUSED'],
    [{ urls: ['http://user:pass@a.example.org/'] }, '400 MINGA_LOAD_TEST_REFUSED'],
    [{ urls: ['ftp://a.example.org/'] }, '400 MINGA_LOAD_TEST_REFUSED'],
  ]
  for (const [more, expected] of refused) {
    const body = { urls: ['https://a.example.org/'], ...more }
    assert.equal(
      await people.outcome(bob, 'POST', '/load-tests', body),
      expected,
      JSON.stringify(more),
    )
  }
})

test('reports for a test that is not running are answered with a stop, and nonsense is refused', async () => {
  const report = {
    no: 1,
    step: 1,
    requests: 1,
    bytes: 1,
    errors: {},
    latencies: [[3, 1]],
    hasStopped: false,
    reason: null,
  }
  const said = await station.agent('load-tests/load_nobody/figures', report)
  assert.deepEqual([said.status, (said.body as { goOn: boolean }).goOn], [200, false])
  for (const wrong of [{ requests: -1 }, { latencies: [[1e9, 1]] }, { errors: { surprise: 1 } }]) {
    const { status } = await station.agent('load-tests/x/figures', { ...report, ...wrong })
    assert.equal(status, 400)
  }
})

test('a report of a test that has not run says that nothing was measured', async () => {
  const { id } = await made(ana, 'later.example.org')
  const report = await people.ok<{ says: string; steps: unknown[] }>(
    ana,
    'GET',
    `/load-tests/${id}/report`,
  )
  assert.match(report.says, /^Nothing was measured/)
  assert.deepEqual(report.steps, [])
})
