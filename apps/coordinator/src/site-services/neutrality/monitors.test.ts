// Goal: monitors are created only by users with the right, for addresses that may be fetched, and
// what robots.txt forbids is not fetched but marked. Method: a whole station called by several
// people.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPeople } from '../../../test/accounts/people-fixture.ts'
import type { MonitorReport, MonitorView } from './monitors.ts'

const people = await openPeople()
const { station } = people
const { token: ana } = await people.person('ana', 'client')
const { token: bob } = await people.person('bob', 'collector')
const PRESS = { name: 'Press', urls: ['https://news.example.org/', 'https://news.example.org/no'] }

const tend = (): Promise<boolean> =>
  station.store.call('runDueMonitors', { now: station.clock.now() })

test('a monitor is viewed by its owner, and ends in findings though places are too few', async () => {
  await station.hello()
  const { id, history } = await people.ok<MonitorView>(ana, 'POST', '/neutrality', PRESS)
  assert.deepEqual(history, [])
  assert.equal(await people.outcome(bob, 'GET', `/neutrality/${id}`), '404 MINGA_NO_SUCH_MONITOR')
  assert.equal(
    await people.outcome(bob, 'POST', `/neutrality/${id}/stop`),
    '404 MINGA_NO_SUCH_MONITOR',
  )
  assert.equal(await tend(), true)
  const web = {
    'https://news.example.org/robots.txt': {
      body: 'User-agent: *\nDisallow: /no',
      type: 'text/plain',
    },
    'https://news.example.org/': { body: '<html lang="es"><p>Noticias</p></html>' },
  }
  for (let rounds = 0; rounds < 3; rounds++) {
    const { block } = await station.device.ask(station.clock)
    if (block) await station.send(station.fetch(block, web))
    await station.clock.advance(1_500)
    await tend()
  }
  const report = await people.ok<MonitorReport>(ana, 'GET', `/neutrality/${id}/report?details=true`)
  assert.equal(report.run?.no, 1)
  assert.deepEqual(new Set(report.findings.map(({ verdict }) => verdict)), new Set(['too-few']))
  const seen = report.sightings!.map(({ url, place, status, code, language }) => [
    new URL(url).pathname,
    place,
    status,
    code,
    language,
  ])
  assert.deepEqual(seen, [
    ['/', 'PE', 200, null, 'es'],
    ['/no', 'PE', null, 'MINGA_ROBOTS_DENIED', null],
  ])
  assert.ok(!JSON.stringify(report).includes(station.device.id))
  const rows = await station.store.call('listObservations', { monitor: id, runNo: 1 })
  assert.equal(rows.length, 2)
})

test('addresses that may not be fetched, and too many of them, are refused', async () => {
  const refused: [object, string][] = [
    [{ urls: ['http://10.0.0.1/'] }, '400 MINGA_MONITOR_REFUSED'],
    [{ urls: ['mailto:reader@example.org'] }, '400 MINGA_MONITOR_REFUSED'],
    [{ urls: ["https://a.example.org/?id=1' OR '1'='1"] }, '400 MINGA_MONITOR_REFUSED'],
    [{ urls: [] }, '400 MINGA_BAD_MESSAGE'],
    [
      { urls: Array.from({ length: 501 }, (_, i) => `https://a.example.org/${i}`) },
      '400 MINGA_BAD_MESSAGE',
    ],
    [{ everyMs: 1_000 }, '400 MINGA_BAD_MESSAGE'],
    [{ by: 'planet' }, '400 MINGA_BAD_MESSAGE'],
  ]
  for (const [more, expected] of refused) {
    const body = { ...PRESS, ...more }
    assert.equal(
      await people.outcome(ana, 'POST', '/neutrality', body),
      expected,
      JSON.stringify(more),
    )
  }
  const { token } = await people.person('eva', 'reader')
  assert.equal(await people.outcome(token, 'POST', '/neutrality', PRESS), '403 MINGA_FORBIDDEN')
})

test('a monitor that is stopped begins no further run', async () => {
  const every = { ...PRESS, everyMs: 3_600_000 }
  const { id } = await people.ok<MonitorView>(bob, 'POST', '/neutrality', every)
  const stopped = await people.ok<MonitorView>(bob, 'POST', `/neutrality/${id}/stop`)
  assert.equal(stopped.nextRunAt, null)
  assert.equal(await tend(), false)
})
