// Goal: nothing in the network of a volunteer is reached through the volunteer's machine, whatever the
// address. Method: the real list of networks, as interfaces and stations name them, before a fetcher
// that notes what would be dialled.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '@minga/testkit'
import { OwnNetworks, createLentFetcher } from './own-networks.ts'
import type { OwnNetwork } from '../system/os.ts'
import { answerOf } from '../../test/station/station-client-fixture.ts'

/** Public by their class, and given to no one. */
const HOME: OwnNetwork[] = [
  { address: '62.10.20.77', prefixBits: 24 },
  { address: '3ffe:1:2:3::7', prefixBits: 64 },
  { address: '81.5.6.1', prefixBits: 32 },
]

async function lentMachine(read: () => OwnNetwork[]) {
  const networks = new OwnNetworks(async () => read())
  await networks.refresh()
  const dialled: string[] = []
  const inner = {
    fetch: async ({ address }: { address: string }) => {
      dialled.push(address)
      return answerOf('page')
    },
    close: async () => {},
  }
  const fetcher = createLentFetcher(inner, { clock: createVirtualClock(), networks })
  const dial = async (address: string, url = 'http://site.example/'): Promise<string> => {
    const before = dialled.length
    const outcome = await fetcher.fetch({ url, address })
    if (outcome.ok) return 'dialled'
    assert.equal(dialled.length, before, 'what is refused is not dialled')
    assert.equal(outcome.retry, 'later', 'another machine may fetch it')
    return outcome.code
  }
  return { networks, dial }
}

const REFUSED = 'MINGA_VOLUNTEER_REFUSED'

test("the machine's own networks and routers are refused, their neighbours are not", async () => {
  const { dial } = await lentMachine(() => HOME)
  for (const own of ['62.10.20.1', '62.10.20.255', '81.5.6.1', '3ffe:1:2:3::1', '3ffe:1:2:ff::9']) {
    assert.equal(await dial(own), REFUSED, own)
  }
  for (const other of ['62.10.21.1', '81.5.6.2', '3ffe:1:2:100::1', '3ffe:1:3::1']) {
    assert.equal(await dial(other), 'dialled', other)
  }
})

test('the addresses under which stations see the machine are refused', async () => {
  const { networks, dial } = await lentMachine(() => [])
  for (const seen of ['62.1.1.1', '::ffff:62.2.2.2', '3ffe:7::1', 'no address', 'fe80::1%eth0']) {
    networks.addSeenAddress(seen)
  }
  for (const own of ['62.1.1.1', '62.2.2.2', '3ffe:7::99']) assert.equal(await dial(own), REFUSED)
  for (const other of ['62.1.1.2', '3ffe:8::1']) assert.equal(await dial(other), 'dialled')
})

test('of very many addresses the newest are refused: the address of today is always among them', async () => {
  const { networks, dial } = await lentMachine(() => [])
  for (let i = 0; i <= 100; i++) networks.addSeenAddress(`62.1.1.${i}`)
  networks.addSeenAddress('62.1.1.1')
  networks.addSeenAddress('62.1.2.1')
  assert.equal(await dial('62.1.1.0'), 'dialled')
  for (const own of ['62.1.1.1', '62.1.1.100', '62.1.2.1']) assert.equal(await dial(own), REFUSED)
  assert.equal(await dial('62.1.1.2'), 'dialled')
})

test('a URL with an address instead of a name is refused in every spelling', async () => {
  const { dial } = await lentMachine(() => [])
  const literal = [
    'http://62.1.1.1/',
    'http://62.65793/',
    'http://62.1.1.1./',
    'https://[3ffe::1]:81/',
  ]
  for (const url of literal) assert.equal(await dial('62.1.1.1', url), REFUSED, url)
  assert.equal(await dial('62.1.1.1', 'http://62.1.1.1.example/'), 'dialled')
})

test('a machine that was carried elsewhere closes the network where it is now', async () => {
  let networks = HOME
  const machine = await lentMachine(() => networks)
  networks = [{ address: '62.99.0.5', prefixBits: 16 }]
  await machine.networks.refresh()
  assert.equal(await machine.dial('62.99.200.1'), REFUSED)
  assert.equal(await machine.dial('62.10.20.1'), 'dialled')
})

test('a prefix for all traffic, as tunnels have it, closes the address alone', async () => {
  const { dial } = await lentMachine(() => [
    { address: '62.3.3.3', prefixBits: 0 },
    { address: '3ffe:5::1', prefixBits: 0 },
  ])
  for (const own of ['62.3.3.3', '3ffe:5::1']) assert.equal(await dial(own), REFUSED, own)
  for (const other of ['62.3.3.4', '3ffe:5::2']) assert.equal(await dial(other), 'dialled', other)
})

test('what the address guard refuses for good is left to it', async () => {
  const { dial } = await lentMachine(() => [{ address: '192.168.1.7', prefixBits: 24 }])
  assert.equal(await dial('192.168.1.1'), 'dialled')
})

test('sites know a machine by its public addresses, and by private ones only where these are dialled', async () => {
  const { networks } = await lentMachine(() => [
    ...HOME.slice(0, 2),
    { address: '192.168.1.7', prefixBits: 24 },
    { address: '127.0.0.1', prefixBits: 8 },
    { address: '::1', prefixBits: 128 },
    { address: 'fe80::1', prefixBits: 64 },
  ])
  networks.addSeenAddress('62.1.1.1')
  const open = ['62.1.1.1', '62.10.20.77', '3ffe:1:2:3::7']
  assert.deepEqual(networks.shownAddresses({ withPrivate: false }), open)
  assert.deepEqual(networks.shownAddresses({ withPrivate: true }), [...open, '192.168.1.7'])
})
