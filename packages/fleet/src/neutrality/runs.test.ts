// Goal: a run asks devices of every place, waits for them and for no others, and ends in findings;
// runs repeat when they are to. Method: the real operations on both databases, hand-made devices.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import { openDevices, type TestDevices } from '../../test/devices/devices-fixture.ts'
import type { Monitor, RunRow } from './monitor-rows.ts'
import { chooseDevices, unseen, type Candidate, type MonitorRequest } from './runs.ts'
import type { MonitorObservation } from './observation.ts'

const HOUR_MS = 3_600_000
const URLS = ['https://news.test/', 'https://news.test/about']
const SEEN: MonitorObservation = {
  ...unseen(''),
  status: 200,
  code: null,
  digest: 'sha256:a',
  fingerprint: 'fp:a',
}
const BLOCKED: MonitorObservation = { ...SEEN, status: 403, fingerprint: 'fp:b' }

for (const engine of ENGINES) {
  describe(`runs of monitors on ${engine.name}`, { skip: engine.skip }, () => {
    test('devices of all places are asked, and the run ends when the last has answered', async () => {
      const fleet = await openDevices(engine)
      const devices = await peopled(fleet)
      await monitor(fleet)
      assert.equal(await fleet.store.call('openRuns', { now: fleet.now }), 1)
      for (const { device, country } of devices) {
        const requests = await listRequests(fleet, device)
        assert.deepEqual(
          requests.map(({ url }) => url),
          URLS,
        )
        assert.deepEqual(await listRequests(fleet, device), [], 'each request is given once')
        assert.equal(await close(fleet), false)
        for (const { tag, url } of requests) {
          const isCensored = country === 'XX' && url === URLS[0]
          const note = { tag, observation: isCensored ? BLOCKED : SEEN }
          assert.equal(await fleet.store.call('recordObservation', note), true)
          assert.equal(
            await fleet.store.call('recordObservation', note),
            false,
            'the first word counts',
          )
        }
      }
      assert.equal(await close(fleet), true)
      assert.deepEqual(
        await fleet.query('SELECT device FROM neutrality_places'),
        [],
        'no device has sent results',
      )
      const [run] = await runs(fleet)
      assert.deepEqual(
        run!.findings!.map(({ verdict, places }) => [verdict, places]),
        [
          ['differs', 4],
          ['same', 4],
        ],
      )
      const [deviation] = run!.findings![0]!.deviations
      assert.deepEqual(
        [deviation!.place, deviation!.kind, deviation!.isConfirmed],
        ['XX', 'blocked', true],
      )
    })

    test('a device that left is not waited for, and after its time a run ends anyway', async () => {
      const fleet = await openDevices(engine)
      const [first, second, ...rest] = await peopled(fleet)
      await monitor(fleet)
      await fleet.store.call('openRuns', { now: fleet.now })
      for (const { device } of [first!, ...rest]) {
        for (const { tag } of await listRequests(fleet, device)) {
          await fleet.store.call('recordObservation', { tag, observation: SEEN })
        }
      }
      assert.equal(await close(fleet), false)
      await leave(fleet, second!.device)
      assert.equal(await close(fleet), true)

      await monitor(fleet, 'mon_02')
      await fleet.store.call('openRuns', { now: fleet.now })
      const ended = { monitor: 'mon_02', no: 1, now: fleet.now + HOUR_MS }
      assert.equal(await fleet.store.call('closeRun', ended), true)
      const [run] = await runs(fleet, 'mon_02')
      assert.deepEqual(new Set(run!.findings!.map(({ verdict }) => verdict)), new Set(['too-few']))
    })

    test('a repeated monitor runs again when its time has come and the last run is over', async () => {
      const fleet = await openDevices(engine)
      await monitor(fleet, 'mon_01', { everyMs: HOUR_MS, runMs: 2 * HOUR_MS })
      const open = (now: number): Promise<number> => fleet.store.call('openRuns', { now })
      const start = fleet.now
      assert.equal(await open(start), 1)
      assert.equal(await open(start + HOUR_MS), 0, 'the first one is open')
      await fleet.store.call('closeRun', { monitor: 'mon_01', no: 1, now: start + HOUR_MS })
      assert.equal(await open(start + HOUR_MS), 1)
      await fleet.store.call('stopMonitor', { id: 'mon_01', owner: 'ana' })
      await fleet.store.call('closeRun', { monitor: 'mon_01', no: 2, now: start + 9 * HOUR_MS })
      assert.equal(await open(start + 9 * HOUR_MS), 0)
      assert.equal((await runs(fleet)).length, 2)
    })

    test('monitors are their owner’s alone, and few of one owner go on', async () => {
      const fleet = await openDevices(engine)
      await monitor(fleet)
      const readMonitor = (owner: string | null): Promise<Monitor> =>
        fleet.store.call('monitorOf', { id: 'mon_01', owner })
      await assert.rejects(readMonitor('bob'), { code: 'MINGA_NO_SUCH_MONITOR' })
      assert.deepEqual((await readMonitor(null)).urls, URLS)
      for (let i = 10; i < 29; i++) await monitor(fleet, `mon_${i}`, { everyMs: HOUR_MS })
      await assert.rejects(monitor(fleet, 'mon_99'), { code: 'MINGA_MONITOR_REFUSED' })
    })

    test('unknown tags change nothing', async () => {
      const fleet = await openDevices(engine)
      for (const tag of ['look_', 'look_mon_01.1.0.1', 'proof_1', "look_mon_01.1.0.1'; DROP"]) {
        assert.equal(await fleet.store.call('recordObservation', { tag, observation: SEEN }), false)
      }
    })
  })
}

async function monitor(
  fleet: TestDevices,
  id = 'mon_01',
  more: Partial<Monitor> = {},
): Promise<void> {
  await fleet.store.call('addMonitor', {
    id,
    account: 'ana',
    name: 'Press',
    urls: URLS,
    by: 'country',
    devicesPerPlace: 2,
    everyMs: null,
    runMs: HOUR_MS,
    now: fleet.now,
    ...more,
  })
}

/** Two connected devices in each of four countries. */
async function peopled(fleet: TestDevices): Promise<{ device: string; country: string }[]> {
  const devices: { device: string; country: string }[] = []
  for (const country of ['AR', 'CL', 'PE', 'XX']) {
    for (const owner of ['bob', 'eva']) {
      const device = await fleet.deviceOf(`${owner} of ${country}`)
      await change(fleet, 'UPDATE devices SET country = ? WHERE id = ?', [country, device])
      await change(
        fleet,
        `INSERT INTO agents (boot, device, joined_at, last_beat_at, progress_at) VALUES (?, ?, 0, 0, 0)`,
        [`boot of ${device}`, device],
      )
      devices.push({ device, country })
    }
  }
  return devices
}

function change(fleet: TestDevices, text: string, params: (string | number)[]): Promise<number> {
  return fleet.store.call('change', { text, params })
}

async function leave(fleet: TestDevices, device: string): Promise<void> {
  await change(fleet, 'DELETE FROM agents WHERE device = ?', [device])
}

function listRequests(fleet: TestDevices, device: string): Promise<MonitorRequest[]> {
  return fleet.store.call('listMonitorRequests', { device, now: fleet.now })
}

function close(fleet: TestDevices): Promise<boolean> {
  return fleet.store.call('closeRun', { monitor: 'mon_01', no: 1, now: fleet.now })
}

function runs(fleet: TestDevices, id = 'mon_01'): Promise<RunRow[]> {
  return fleet.store.call('runsOf', { id, limit: 10 })
}

// Goal: every place is looked from, by no more devices than asked for, of different owners where
// there are some. Method: small fleets.

const device = (name: string, owner: string, place: string): Candidate => ({
  device: name,
  owner,
  place,
})

test('each place sends as many as are wanted, of two owners before two of one', () => {
  const fleet = [
    device('a1', 'ana', 'PE'),
    device('a2', 'ana', 'PE'),
    device('a3', 'ana', 'PE'),
    device('b1', 'bob', 'PE'),
    device('c1', 'eva', 'CL'),
  ]
  for (let run = 0; run < 20; run++) {
    const chosen = chooseDevices(fleet, { perPlace: 2, seed: `run ${run}`, most: 100 })
    const ofPeru = chosen.filter(({ place }) => place === 'PE')
    assert.deepEqual(new Set(ofPeru.map(({ owner }) => owner)), new Set(['ana', 'bob']))
    assert.equal(ofPeru.length, 2)
    assert.equal(chosen.length, 3)
  }
})

test('another run asks others, the same run the same', () => {
  const fleet = Array.from({ length: 50 }, (_, i) => device(`d${i}`, `o${i}`, 'PE'))
  const names = (seed: string): string =>
    chooseDevices(fleet, { perPlace: 2, seed, most: 100 })
      .map((one) => one.device)
      .join()
  assert.equal(names('one'), names('one'))
  assert.notEqual(names('one'), names('two'))
})

test('a long list is looked at by fewer', () => {
  const fleet = ['PE', 'CL', 'AR'].flatMap((place) => [device(place, place, place)])
  assert.equal(chooseDevices(fleet, { perPlace: 2, seed: 'one', most: 2 }).length, 2)
})
