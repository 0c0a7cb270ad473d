// Goal: addresses are where the operator's file says, a bad file is named at the start and never
// stops a running station. Method: databases of our own writer, compared with a plain model.
import assert from 'node:assert/strict'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { BlockList } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { networkOf } from '@minga/fleet'
import { mmdbPlace, writeMmdb, type MmdbNetwork } from '@minga/net'
import { createVirtualClock, seededRandom } from '@minga/testkit'
import { Reader } from 'mmdb-lib'
import { GeoIpDatabase } from './geoip.ts'
import type { BadGeoip } from './errors.ts'

const folder = await mkdtemp(join(tmpdir(), 'minga-countries-'))
after(() => rm(folder, { recursive: true }))
let files = 0

async function fileOf(bytes: Buffer | string): Promise<string> {
  const file = join(folder, `${files++}.mmdb`)
  await writeFile(file, bytes)
  return file
}

async function geoipOf(bytes: Buffer) {
  const broken: BadGeoip[] = []
  const clock = createVirtualClock(0)
  const file = await fileOf(bytes)
  const onBroken = (error: BadGeoip): void => void broken.push(error)
  return { geoip: await GeoIpDatabase.open({ file, clock, onBroken }), clock, file, broken }
}

const PLACES: MmdbNetwork[] = [
  { network: '127.1.0.0/16', record: mmdbPlace('PE', 64_501) },
  { network: '127.1.2.0/24', record: mmdbPlace('CL') },
  { network: '2001:db8::/32', record: mmdbPlace('DE', 64_502) },
]

test('a place is known where the file names one, in either form', async () => {
  const location = { latitude: 12, longitude: 77 }
  const { geoip } = await geoipOf(
    writeMmdb([
      { network: '127.1.0.0/16', record: { country: { iso_code: 'PE' }, location } },
      { network: '127.2.0.0/16', record: { country_code: 'PE', ...location } },
      { network: '127.3.0.0/16', record: mmdbPlace('PE') },
    ]),
  )
  const found = [1, 2, 3, 4].map((n) => geoip.positionOf(`127.${n}.0.1`))
  assert.deepEqual(found, [{ lat: 12, lon: 77 }, { lat: 12, lon: 77 }, null, null])
})

test('addresses of both kinds are found, the narrowest network decides, mapped ones are IPv4', async () => {
  const { geoip } = await geoipOf(writeMmdb(PLACES))
  const expected: [address: string, country: string | null, asn: number | null][] = [
    ['127.1.0.9', 'PE', 64_501],
    ['127.1.2.9', 'CL', null],
    ['::ffff:127.1.0.9', 'PE', 64_501],
    ['::FFFF:7f01:9', 'PE', 64_501],
    ['2001:db8::1', 'DE', 64_502],
    ['2001:db8:0:1::1%eth0', 'DE', 64_502],
    ['2001:db9::1', null, null],
    ['127.2.0.1', null, null],
    ['localhost', null, null],
    ['', null, null],
  ]
  for (const [address, country, asn] of expected) {
    assert.deepEqual([geoip.countryOf(address), geoip.asnOf(address)], [country, asn])
  }
})

test('a file of IPv4 alone knows nothing of IPv6', async () => {
  const v4 = PLACES.slice(0, 2)
  const { geoip } = await geoipOf(writeMmdb(v4, { ipVersion: 4 }))
  assert.equal(geoip.countryOf('127.1.2.1'), 'CL')
  assert.equal(geoip.countryOf('7f01:0200::'), null)
})

test('countries are read in the forms of several makers', async () => {
  const { geoip } = await geoipOf(
    writeMmdb([
      { network: '10.0.0.0/8', record: { country_code: 'pe', asn: 'AS64500' } },
      { network: '11.0.0.0/8', record: { country: 'CL' } },
      { network: '12.0.0.0/8', record: { registered_country: { iso_code: 'BO' } } },
      { network: '13.0.0.0/8', record: { country: { iso_code: 'no country' }, asn: 'none' } },
    ]),
  )
  const found = [10, 11, 12, 13].map((n) => geoip.countryOf(`${n}.0.0.1`))
  assert.deepEqual(found, ['PE', 'CL', 'BO', null])
  assert.deepEqual([geoip.asnOf('10.0.0.1'), geoip.asnOf('13.0.0.1')], [64_500, null])
})

test('what our writer writes is what the library reads, for random networks and addresses', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const random = seededRandom(seed)
    const byte = (): number => random.integer(4)
    const networks = new Map<string, string>()
    for (let i = 0; i < 60; i++) {
      const length = 8 * (1 + random.integer(4))
      const whole = [byte(), byte(), byte(), byte()].map((n, at) => (8 * at < length ? n : 0))
      networks.set(`${whole.join('.')}/${length}`, `record ${i}`)
    }
    const reader = new Reader(
      writeMmdb([...networks].map(([network, record]) => ({ network, record }))),
    )
    const narrowestFirst = [...networks].toSorted(([a], [b]) => lengthOf(b) - lengthOf(a))
    for (let i = 0; i < 200; i++) {
      const address = [byte(), byte(), byte(), byte()].join('.')
      const expected = narrowestFirst.find(([network]) => isIn(address, network))?.[1] ?? null
      assert.equal(reader.get(address), expected, `${address} of seed ${seed}`)
    }
  }
})

const lengthOf = (network: string): number => Number(network.split('/')[1])

function isIn(address: string, network: string): boolean {
  const list = new BlockList()
  list.addSubnet(network.split('/')[0]!, lengthOf(network))
  return list.check(address)
}

test('a file that is missing, broken or of another kind is named with what to do', async () => {
  const good = writeMmdb(PLACES)
  const bad: [file: string, sentence: RegExp][] = [
    [join(folder, 'nowhere.mmdb'), /cannot be read. Give --geoip an existing file/],
    [folder, /cannot be read/],
    [await fileOf(''), /is not a complete MaxMind DB file/],
    [await fileOf('PK\x03\x04 something else'), /is not a complete MaxMind DB file/],
    [await fileOf(good.subarray(0, good.length - 20)), /is not a complete MaxMind DB file/],
    [await fileOf(good.subarray(good.length - 150)), /is not a complete MaxMind DB file/],
    [await fileOf(writeMmdb(PLACES, { type: 'Some-ASN' })), /kind "Some-ASN", which contains no/],
  ]
  for (const [file, sentence] of bad) {
    const opening = GeoIpDatabase.open({
      file,
      clock: createVirtualClock(0),
      onBroken: assert.fail,
    })
    await assert.rejects(opening, { code: 'MINGA_BAD_GEOIP', message: sentence })
  }
})

test('a file with noise in its middle is read as far as it goes and throws nothing', async () => {
  const random = seededRandom(7)
  for (let i = 0; i < 300; i++) {
    const bytes = writeMmdb(PLACES)
    for (let n = 0; n < 8; n++) bytes[random.integer(bytes.length - 170)] = random.integer(256)
    const { geoip } = await geoipOf(bytes).catch((error: BadGeoip) => {
      assert.equal(error.code, 'MINGA_BAD_GEOIP')
      return { geoip: null }
    })
    const country = geoip?.countryOf('127.1.2.1') ?? null
    assert.ok(country === null || /^[A-Z]{2}$/.test(country))
    geoip?.asnOf('127.1.2.1')
  }
})

test('a replaced file is read again; a broken or missing replacement is reported once and changes nothing', async () => {
  const { geoip, clock, file, broken } = await geoipOf(writeMmdb(PLACES))
  const lookAgain = async (): Promise<void> => {
    await clock.advance(11_000)
    await geoip.tick()
    await geoip.tick()
  }
  const moved = writeMmdb([{ network: '127.1.0.0/16', record: mmdbPlace('EC') }])
  await rename(await fileOf(moved), file)
  await geoip.tick()
  assert.equal(geoip.countryOf('127.1.0.1'), 'PE', 'it does not check at every call')
  await lookAgain()
  assert.equal(geoip.countryOf('127.1.0.1'), 'EC')
  await rename(await fileOf('half of it'), file)
  await lookAgain()
  await lookAgain()
  await rm(file)
  await lookAgain()
  await lookAgain()
  assert.equal(geoip.countryOf('127.1.0.1'), 'EC')
  const sentences = broken.map(({ message }) => message.replace(file, 'FILE').split(/\. |\(/)[0])
  assert.deepEqual(sentences, ['FILE is not a complete MaxMind DB file ', 'FILE cannot be read'])
  await writeFile(file, writeMmdb(PLACES))
  await lookAgain()
  assert.equal(geoip.countryOf('127.1.0.1'), 'PE')
})

test('friends in one autonomous system are one network, whatever their addresses', async () => {
  const { geoip } = await geoipOf(
    writeMmdb([
      { network: '127.1.0.0/16', record: mmdbPlace('PE', 64_501) },
      { network: '127.9.0.0/16', record: mmdbPlace('PE', 64_501) },
    ]),
  )
  const networkAt = (address: string): string | null => networkOf(address, geoip.asnOf(address))
  assert.equal(networkAt('127.1.0.1'), networkAt('127.9.0.1'))
  assert.equal(networkAt('127.5.0.1'), networkOf('127.5.0.1'), 'unknown: by the address itself')
})
