// Goal: owners of devices see only entries about their own devices, and a large archive delays no
// reader. Method: the list over a store that answers with plain rows.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '@minga/testkit'
import type { AttentionList, NewEvent } from '@minga/protocol'
import { openPeople, type People } from '../../../test/accounts/people-fixture.ts'
import { TOKENS } from '../../../test/station-fixture.ts'
import type { AttentionRows } from './attention-rows.ts'
import { Attention, type AttentionParts, type Sight } from './attention.ts'

const NOW = Date.UTC(2026, 4, 6)
const DAY_MS = 86_400_000

const BLIND: Sight = {
  collections: false,
  watches: false,
  hidden: new Set(),
  devices: false,
  station: false,
  events: false,
  jobs: {},
}

const ROWS: AttentionRows = {
  collections: [],
  watches: [],
  devices: ['ann', 'bob'].map((owner) => ({
    id: `dev_${owner}`,
    name: owner,
    owner,
    isQuarantined: true,
    quarantinedAt: NOW,
    seenAt: NOW,
  })),
  processes: [],
}

const call = async <R>(name: string) => (name === 'attentionRows' ? ROWS : []) as R

function attentionWith(growth: AttentionParts['growth']): Attention {
  return new Attention({
    store: { call },
    clock: createVirtualClock(NOW),
    data: '.',
    growth,
    station: { contact: 'ann@valley.test', publicUrl: null, isOnNetwork: false },
    imbalance: () => null,
  })
}

test('the operator sees all devices, an owner their own, others none', async () => {
  const attention = attentionWith({ view: () => Promise.reject(new Error('away')) })
  const seen = async (devices: Sight['devices']): Promise<unknown[]> =>
    (await attention.list({ ...BLIND, devices }, { call })).map(({ params }) => params['id'])
  assert.deepEqual(await seen(null), ['dev_ann', 'dev_bob'])
  assert.deepEqual(await seen('ann'), ['dev_ann'])
  assert.deepEqual(await seen(false), [])
})

test('no reader waits for the growth of the archive; the next one has it', async () => {
  const known = Promise.withResolvers<Awaited<ReturnType<AttentionParts['growth']['view']>>>()
  const attention = attentionWith({ view: () => known.promise })
  const codesNow = async (): Promise<string[]> =>
    (await attention.list({ ...BLIND, station: true }, { call })).map(({ code }) => code)
  const isSoon = async (): Promise<boolean> => (await codesNow()).includes('disk-full-soon')
  const isLow = (await codesNow()).includes('disk-low')
  assert.equal(await isSoon(), false)
  const fullAt = { earliest: null, likely: NOW + 3 * DAY_MS, latest: null }
  known.resolve({
    at: NOW,
    archive: {
      bytes: 1,
      bytesPerDay: null,
      basis: null,
      setAsideBytes: 0,
      outlook: 'dated',
      fullAt,
      capacityBytes: null,
      samples: [],
    },
    collections: [],
    collectionsLeftOut: 0,
  })
  await known.promise
  // On a machine whose disk is nearly full that is graver, and is reported instead.
  assert.equal(await isSoon(), !isLow)
})

// Goal: each reader of the list of attention sees what they may see elsewhere, and no reader waits
// for the store twice. Method: the whole server over a store, called by people of several roles.

const HOUR_MS = 3_600_000

async function codes(people: People, token: string | null): Promise<string[]> {
  const { items } = await people.ok<AttentionList>(token, 'GET', '/attention')
  return items.map(({ code }) => code)
}

/** The site answers 404 to everything; the collection ends at the pulse. */
async function crawlInVain({ station }: People): Promise<void> {
  await station.crawl({ seeds: ['http://valley.test/'] }, {})
  await station.tick()
}

test('everyone sees what they may see elsewhere', async () => {
  const people = await openPeople({ readOpenly: false })
  const { station } = people
  const reader = await people.person('rea', 'reader')
  const volunteer = await people.person('vol', 'volunteer')
  await station.device.enrol()
  await crawlInVain(people)
  await station.clock.advance(2 * HOUR_MS)
  const events = Array.from({ length: 3 }, (): NewEvent => ({
    at: station.clock.now(),
    code: 'process:replaced',
    subject: 'local-1',
    sentence: '-',
    details: { role: 'agent', pid: 2, former: 1, awayMs: 1 },
  }))
  await station.store.call('appendEvents', { events })
  assert.deepEqual(await codes(people, reader.token), ['collection-failed'])
  assert.deepEqual(await codes(people, volunteer.token), [])
  const seen = await codes(people, TOKENS.apiKey)
  for (const code of ['collection-failed', 'process-restarts', 'no-contact', 'no-public-address']) {
    assert.ok(seen.includes(code), code)
  }
  assert.equal(await people.outcome(null, 'GET', '/attention'), '401 MINGA_NOT_ALLOWED')
})

test('on its own machine unknown callers see of it what they may read', async () => {
  const people = await openPeople()
  await crawlInVain(people)
  assert.deepEqual(await codes(people, null), ['collection-failed'])
})

test('many readers ask the store once in ten seconds', async (t) => {
  const people = await openPeople()
  const asked = t.mock.method(people.station.store, 'call')
  const count = (): number =>
    asked.mock.calls.filter(({ arguments: [name] }) => name === 'attentionRows').length
  await Promise.all(Array.from({ length: 20 }, () => codes(people, null)))
  assert.equal(count(), 1)
  await people.station.clock.advance(10_000)
  await codes(people, null)
  assert.equal(count(), 2)
})
