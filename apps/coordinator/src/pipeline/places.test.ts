// Goal: with a file of countries the work of a host goes to a device of its country. Method: a real
// coordinator with hosts and devices on loopback addresses, which a test file puts in countries.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { DeviceView } from '@minga/fleet'
import type { LeaseResponse, CollectionStatus, HostStatus } from '@minga/protocol'
import { mmdbPlace, writeMmdb } from '@minga/net'
import type { InjectOptions } from 'fastify'
import { temporaryFolder } from '../../../../packages/store/test/contract-engines.ts'
import { TestDevice } from '../../test/agents/device-fixture.ts'
import { startCoordinator, type Coordinator } from '../start.ts'
import { leasedRequestsOf, type Said } from '../../test/station-fixture.ts'

const data = temporaryFolder()
const geoipFile = join(data, 'places.mmdb')
await writeFile(
  geoipFile,
  writeMmdb([
    { network: '127.1.0.0/16', record: mmdbPlace('PE', 64_501) },
    { network: '127.2.0.0/16', record: mmdbPlace('DE', 64_502) },
  ]),
)
const coordinator = await startCoordinator({
  data: join(data, 'station'),
  listen: { host: '127.0.0.1', port: 0 },
  allowPrivateAddresses: true,
  geoipFile,
  resolve: [
    'a.pe.test=127.1.7.1',
    'b.pe.test=127.1.7.2',
    'a.de.test=127.2.7.1',
    'b.de.test=127.2.7.2',
  ],
})
after(() => coordinator.close())
const lima = await deviceAt('127.1.0.9')
const berlin = await deviceAt('::ffff:127.2.0.9')

async function inject({ app }: Coordinator, options: InjectOptions): Promise<Said> {
  const response = await app.inject({
    ...options,
    headers: { host: '127.0.0.1', ...options.headers },
  })
  return { status: response.statusCode, body: response.json() }
}

async function operator<T>(method: 'GET' | 'POST' | 'PATCH', path: string, payload?: object) {
  const headers = { authorization: `Bearer ${coordinator.tokens.apiKey}` }
  const body = payload === undefined ? {} : { payload }
  const said = await inject(coordinator, { method, url: `/api${path}`, headers, ...body })
  assert.equal(said.status, 200, JSON.stringify(said.body))
  return said.body as T
}

async function deviceAt(address: string): Promise<TestDevice> {
  const device = new TestDevice({ inject: (options) => inject(coordinator, options) })
  device.address = address
  await device.enrol(coordinator.tokens.joinToken)
  await device.hello(`boot at ${address}`)
  return device
}

async function hostsFor(device: TestDevice): Promise<string[]> {
  const { body } = await device.call('ask', { requestsMax: 100, hostsMax: 10 })
  const { block } = body as LeaseResponse
  const urls = block === null ? [] : leasedRequestsOf(block).map(({ request }) => request.url)
  return urls.map((url) => new URL(url).hostname).toSorted()
}

test('Device facts: the API shows the system, host name, version and country of a device', async () => {
  const devices = await operator<DeviceView[]>('GET', '/devices')
  const facts = devices.map(({ id, os, hostName, software, country }) => {
    return { id, os, hostName, software, country }
  })
  const told = { os: 'TestOS', hostName: 'tester', software: 'test/1' }
  assert.deepEqual(
    new Set(facts),
    new Set([
      { id: lima.id, ...told, country: 'PE' },
      { id: berlin.id, ...told, country: 'DE' },
    ]),
  )
})

test('geography + steal: a host is fetched by the device of its country, an idle one takes what is left over', async () => {
  await operator('PATCH', '/settings', { strategy: 'nearest' })
  const seeds = ['a.pe', 'b.pe', 'a.de', 'b.de'].map((name) => `http://${name}.test/`)
  const { id } = await operator<CollectionStatus>('POST', '/collections', { seeds })
  assert.deepEqual(await hostsFor(berlin), ['a.de.test', 'b.de.test'])
  const hosts = await operator<HostStatus[]>('GET', `/collections/${id}/hosts`)
  const places = hosts.map(({ name, country, isOut }) => [name.split(':')[0], country, isOut])
  assert.deepEqual(
    new Set(places),
    new Set([
      ['a.de.test', 'DE', true],
      ['a.pe.test', 'PE', false],
      ['b.de.test', 'DE', true],
      ['b.pe.test', 'PE', false],
    ]),
    'the others wait for the device of their country',
  )
  const stolen = await hostsFor(berlin)
  assert.equal(stolen.length, 1, 'idle, it robs the longer line down to its own length')
  assert.deepEqual([...stolen, ...(await hostsFor(lima))].toSorted(), ['a.pe.test', 'b.pe.test'])
})

test('a station with a bad file of countries does not start, and leaves its folder alone', async () => {
  const starting = startCoordinator({
    data: join(data, 'never'),
    listen: null,
    allowPrivateAddresses: false,
    geoipFile: join(data, 'nowhere.mmdb'),
  })
  await assert.rejects(starting, { code: 'MINGA_BAD_GEOIP', message: /nowhere\.mmdb/ })
})
