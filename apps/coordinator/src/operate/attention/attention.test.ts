// Goal: owners of devices see only entries about their own devices, and a large archive delays no
// reader. Method: the list over a store that answers with plain rows.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '@minga/testkit'
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
  const codes = async (): Promise<string[]> =>
    (await attention.list({ ...BLIND, station: true }, { call })).map(({ code }) => code)
  const isSoon = async (): Promise<boolean> => (await codes()).includes('disk-full-soon')
  const isLow = (await codes()).includes('disk-low')
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
