// Goal: locations of hosts and devices are taken from every available source and shown with it, and
// errors in files are reported by line. Method: files in a folder, a name server on loopback, and
// stations that are queried over their API.
import assert from 'node:assert/strict'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { systemClock } from '@minga/protocol'
import { createVirtualClock } from '@minga/testkit'
import { startTestDns } from '../../../../../packages/net/test/dns-fixture.ts'
import { ENGINES, temporaryFolder } from '../../../../../packages/store/test/contract-engines.ts'
import { People } from '../../../test/accounts/people-fixture.ts'
import { startCoordinator } from '../../start.ts'
import { openStation, TOKENS } from '../../../test/station-fixture.ts'
import type { HostDistances } from './distance-service.ts'
import type { GraphTotals } from '../graph/graph-operations.ts'
import { DevicePlaces } from './places-devices.ts'
import { PlaceFiles } from './places-files.ts'
import type { PlaceAgreement } from './read-distances.ts'

const folder = temporaryFolder()
let files = 0

async function fileOf(...lines: string[]): Promise<string> {
  const file = join(folder, `file-${++files}.txt`)
  await writeFile(file, lines.join('\n'))
  return file
}

async function opened(
  placesFile: string | null,
  routeFiles: string[] = [],
): Promise<{ place: PlaceFiles; told: string[]; clock: ReturnType<typeof createVirtualClock> }> {
  const told: string[] = []
  const clock = createVirtualClock()
  const warn = (message: string): void => void told.push(message)
  return { place: await PlaceFiles.open({ placesFile, routeFiles, clock, warn }), told, clock }
}

test('invalid lines are reported with their numbers and the others count', async () => {
  const list = await fileOf(
    '# ours',
    'a.example 38.72 -9.14 5',
    'b.example 95 0',
    '*.c.example 1 2',
  )
  const routes = await fileOf('dev_1 192.0.2.9 10.0.0.1=1 192.0.2.9=9', 'nonsense')
  const { place, told } = await opened(list, [routes])
  const { operator, routes: known } = place.gathered()
  assert.deepEqual(operator.find('a.example', null), { lat: 38.72, lon: -9.14, errorKm: 5 })
  assert.equal(operator.find('b.example', null), null)
  assert.equal(known?.estimates.estimate('dev_1', '192.0.2.9')?.rttMs, 9)
  assert.equal(told.length, 2)
  assert.match(
    told[0]!,
    /file-1\.txt, line 3: 95, 0 is no place on the Earth\. \(MINGA_BAD_PLACE_LIST\)/,
  )
  assert.match(told[1]!, /file-2\.txt, line 2: a trace has a source.*MINGA_BAD_HOP_LIST/)
})

test('a file that is not there, or says nothing that can be read, is refused with its first fault', async () => {
  await assert.rejects(opened(join(folder, 'nowhere')), {
    code: 'MINGA_BAD_PLACE_FILE',
    message: /nowhere cannot be read. Give --places an existing file/,
  })
  const other = await fileOf('host,latitude,longitude', 'a.example,1,2')
  await assert.rejects(opened(other), {
    code: 'MINGA_BAD_PLACE_FILE',
    message: /is not a valid file for --places: .*, line 1: /,
  })
  const binary = join(folder, 'binary')
  await writeFile(binary, Buffer.from(Array.from({ length: 20_000 }, (_, n) => (n * 7919) % 256)))
  await assert.rejects(opened(null, [binary]), { code: 'MINGA_BAD_PLACE_FILE' })
  const { told } = await opened(await fileOf('# nothing yet', ''))
  assert.deepEqual(told, [], 'an empty list is a list')
})

test('a file that is replaced is read again, and a broken successor changes nothing', async () => {
  const list = await fileOf('a.example 10 10')
  const { place, told, clock } = await opened(list)
  const latOf = (): number | undefined => place.gathered().operator.find('a.example', null)?.lat
  const replaceBy = async (...lines: string[]): Promise<void> => {
    await rename(await fileOf(...lines), list)
    await clock.advance(10_000)
    await place.tick()
  }
  await replaceBy('a.example 20 20')
  assert.equal(latOf(), 20)
  assert.equal(place.texts().places?.text, 'a.example 20 20')
  await replaceBy('rubbish')
  assert.equal(latOf(), 20)
  assert.match(told.join('\n'), /is not a valid file for --places.*the former one is used/)
  await clock.advance(10_000)
  await place.tick()
  assert.equal(told.length, 1, 'it is reported once')
})

test('a station with a bad file of places does not start and leaves its folder alone', async () => {
  const starting = startCoordinator({
    data: join(folder, 'never'),
    listen: null,
    allowPrivateAddresses: false,
    placesFile: await fileOf('a.example here'),
  })
  await assert.rejects(starting, { code: 'MINGA_BAD_PLACE_FILE', message: /line 1/ })
})

test('of a device no more is remembered than about where it calls from', () => {
  const devices = new DevicePlaces()
  devices.note('dev_1', { lat: 38.7223, lon: -9.1393, errorKm: 5 })
  assert.deepEqual(devices.of('dev_1'), { lat: 39, lon: -9, errorKm: 100 })
  devices.note('dev_1', { lat: 52.52, lon: 13.4, errorKm: 500 })
  assert.deepEqual(devices.of('dev_1'), { lat: 53, lon: 13, errorKm: 500 })
  devices.note('dev_1', null)
  assert.equal(devices.of('dev_1'), null)
})

/** Lisbon, as LOC writes it. */
function lisbonRecord(): Buffer {
  const data = Buffer.from([0, 0x12, 0x16, 0x13, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
  data.writeUInt32BE(2 ** 31 + 38.72 * 3_600_000, 4)
  data.writeUInt32BE(2 ** 31 - 9.14 * 3_600_000, 8)
  data.writeUInt32BE(10_000_000, 12)
  return data
}

const HOSTS = ['www.lis1.example.org', 'fra2.example.net', 'plain.example', '93.184.0.9']

/** Two questions at the same time, and how many threads they start. */
async function askedTwice<T>(ask: () => Promise<T>): Promise<{ answer: T; threads: number }> {
  let threads = 0
  const count = (): number => threads++
  process.on('worker', count)
  const [answer] = await Promise.all([ask(), ask()])
  process.off('worker', count)
  return { answer, threads }
}

for (const engine of ENGINES) {
  describe(`Places on ${engine.name}`, { skip: engine.skip }, () => {
    test('Geolocation fusion: a running station blends list, DNS, names and GeoIP, and shows how far they agree', async (t) => {
      const dns = await startTestDns()
      t.after(() => dns.close())
      dns.loc.set('www.lis1.example.org', lisbonRecord())
      const list = await fileOf('plain.example 48.86 2.35 10', '*.example.net 50.1 8.7')
      const { place } = await opened(list)
      const station = await openStation({
        engine,
        placeFiles: place,
        dnsServers: [dns.server],
        // A database that takes every host for one in Paris, and callers for ones in Lima.
        positionOf: (address) =>
          address.startsWith('93.') ? { lat: 48.9, lon: 2.3 } : { lat: -12.05, lon: -77.04 },
      })
      const operator = <T>(path: string): Promise<T> =>
        new People(station).ok<T>(TOKENS.apiKey, 'GET', path)
      const seeds = HOSTS.map((host) => `http://${host}/`)
      const web = Object.fromEntries(seeds.map((url) => [url, { body: 'x' }]))
      await station.crawl({ seeds, scope: 'page' }, web)
      await station.clock.advance(5_000)
      await station.tick()
      for (let n = 0; n < 8; n++) {
        await station.clock.advance(1_000)
        await station.tick()
      }
      assert.deepEqual(dns.asked, [], 'no name server is queried while the setting is off')
      await new People(station).ok(TOKENS.apiKey, 'PATCH', '/settings', { places: 'on' })
      const lisbonNow = (): Promise<HostDistances> =>
        operator('/place/distances?host=www.lis1.example.org')
      for (let n = 0; n < 4_000 && (await lisbonNow()).claims.length < 3; n++) {
        await station.clock.advance(1_000)
        await station.tick()
        await systemClock.sleep(5)
      }
      // By name, one a second; an address has no such record.
      assert.deepEqual(dns.asked, ['fra2.example.net', 'plain.example', 'www.lis1.example.org'])
      const lisbon = await lisbonNow()
      assert.equal(lisbon.pages, 1)
      assert.deepEqual(
        lisbon.claims.map(({ source }) => source),
        ['dns-loc', 'airport', 'geoip'],
      )
      const { place: chosen, agreeing, dissenting } = lisbon.place
      assert.equal(chosen?.source, 'dns-loc')
      assert.deepEqual([agreeing, dissenting], [['dns-loc', 'airport'], ['geoip']])
      const [device] = lisbon.devices
      assert.equal(device!.device, station.device.id)
      assert.deepEqual(device!.sources, ['distance'], 'it was not measured seven times')
      assert.ok(device!.km! > 8_500 && device!.km! < 9_500, `${device!.km} km from Lima`)
      const paris = await operator<HostDistances>('/place/distances?host=plain.example')
      assert.deepEqual(paris.place.agreeing, ['operator', 'geoip'])
      const { answer, threads } = await askedTwice(() =>
        operator<PlaceAgreement>('/place/agreement'),
      )
      const { hosts, placedBy, agreement } = answer
      assert.equal(threads, 1, 'those who ask together wait for one thread')
      assert.equal(hosts, 4)
      assert.deepEqual(
        { ...placedBy },
        { operator: 2, 'dns-loc': 1, airport: 2, city: 0, institution: 0, geoip: 4 },
      )
      const row = (a: string, b: string): [number, number] | undefined => {
        const found = agreement.find((each) => each.a === a && each.b === b)
        return found && [found.both, found.coincident]
      }
      assert.deepEqual(row('operator', 'airport'), [1, 1])
      assert.deepEqual(row('operator', 'geoip'), [2, 1])
      assert.deepEqual(row('dns-loc', 'airport'), [1, 1])
      assert.deepEqual(row('airport', 'geoip'), [2, 0])
    })

    test('a host that was fetched often is shown with its measured median, and counts only to operators', async () => {
      const station = await openStation({ engine })
      const people = new People(station)
      const seeds = Array.from({ length: 9 }, (_, n) => `http://often.test/${n}`)
      const web = Object.fromEntries(seeds.map((url) => [url, { body: `page ${url}` }]))
      await station.crawl({ seeds, scope: 'page' }, web)
      await station.clock.advance(5_000)
      await station.tick()
      const path = '/place/distances?host=OFTEN.test'
      const { devices, pages } = await people.ok<HostDistances>(TOKENS.apiKey, 'GET', path)
      assert.equal(pages, 9)
      const [{ sources, samples, by, rttMs }] = devices as [HostDistances['devices'][number]]
      // Robots.txt and nine pages, over a connection that was open already.
      assert.deepEqual([sources, samples, by], [['measured'], 10, 'first-byte'])
      assert.ok(Math.abs(rttMs! - 1) < 0.03)
      // Only an online device is asked; a long test may have silenced it.
      await station.hello('another boot of it')
      const unknown = await people.ok<HostDistances>(
        TOKENS.apiKey,
        'GET',
        '/place/distances?host=x',
      )
      assert.deepEqual([unknown.pages, unknown.devices[0]!.rttMs], [null, null])
      const totals = await people.ok<GraphTotals>(TOKENS.apiKey, 'GET', '/place/graph')
      assert.deepEqual([totals.hosts, totals.pages], [1, 9])
      const { token } = await people.person('ana', 'reader', 'volunteer', 'collector')
      for (const address of [path, '/place/graph', '/place/agreement']) {
        assert.equal(await people.outcome(token, 'GET', address), '403 MINGA_FORBIDDEN')
        assert.equal(await people.outcome(null, 'GET', address), '401 MINGA_NOT_ALLOWED')
      }
      const wrong = await people.outcome(TOKENS.apiKey, 'GET', '/place/distances')
      assert.equal(wrong, '400 MINGA_BAD_MESSAGE')
    })
  })
}
