// Goal: dots stand where devices are, to the degree, and no device is counted twice or lost.
// Method: hand-made locations.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeviceSpot } from '@minga/fleet'
import { drawn } from './fleet-map.ts'

const spot = (id: string, change: Partial<DeviceSpot> = {}): DeviceSpot => ({
  id,
  name: id,
  country: null,
  doing: 'working',
  ...change,
})

test('devices of one degree are one dot, and others are at the middle of their country', () => {
  const places: Record<string, { lat: number; lon: number }> = {
    a: { lat: -12.04, lon: -77.03 },
    b: { lat: -11.9, lon: -76.6 },
  }
  const { dots, countries, nowhere } = drawn({
    spots: [
      spot('a', { country: 'PE' }),
      spot('b', { country: 'PE', doing: 'resting' }),
      spot('c', { country: 'PT', doing: 'idle' }),
      spot('d'),
    ],
    away: [{ country: 'PT', devices: 2 }],
    placeOf: ({ id }) => places[id] ?? null,
  })
  assert.deepEqual(
    dots.map(({ lat, lon, isExact, working, idle, away, names }) => [
      lat,
      lon,
      isExact,
      working,
      idle,
      away,
      names.join(' '),
    ]),
    [
      [39.4, -8.2, false, 0, 1, 2, 'c'],
      [-12, -77, true, 1, 1, 0, 'a b'],
    ],
  )
  assert.equal(nowhere, 1)
  assert.deepEqual(countries, [
    { country: 'PT', working: 0, idle: 1, away: 2 },
    { country: 'PE', working: 1, idle: 1, away: 0 },
    { country: null, working: 1, idle: 0, away: 0 },
  ])
})

test('a device of unknown country is counted, and is nowhere on the map', () => {
  const { dots, countries } = drawn({
    spots: [],
    away: [{ country: 'ZZ', devices: 3 }],
    placeOf: () => null,
  })
  assert.deepEqual(dots, [])
  assert.deepEqual(countries, [{ country: 'ZZ', working: 0, idle: 0, away: 3 }])
})
