// Goal: dots tell how many devices there are and what they do, and places are where they belong. Method: dots and
// cities by hand, on the real map.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FleetDot } from '@minga/protocol'
import { inDrawingOrder, radiusOf, shapeOf } from './map-dots.ts'
import { BORDERS, LAND, MAP_HEIGHT, MAP_WIDTH, onMap } from './map-shapes.ts'

const dot = (change: Partial<FleetDot>): FleetDot => ({
  lat: 0,
  lon: 0,
  country: null,
  isExact: false,
  working: 0,
  idle: 0,
  away: 0,
  names: [],
  ...change,
})

test('one device at work makes its place one at work, and away is only where all are', () => {
  assert.equal(shapeOf(dot({ working: 1, idle: 4, away: 9 })), 'working')
  assert.equal(shapeOf(dot({ idle: 1, away: 9 })), 'idle')
  assert.equal(shapeOf(dot({ away: 2 })), 'away')
})

test('more devices make a larger dot, but never one that hides a continent', () => {
  assert.ok(radiusOf(4) > radiusOf(1))
  assert.equal(radiusOf(1), 5)
  assert.equal(radiusOf(1_000_000), 22)
})

test('small dots are drawn over large ones', () => {
  const order = inDrawingOrder([dot({ working: 1 }), dot({ away: 7 }), dot({ idle: 3 })])
  assert.deepEqual(
    order.map(({ working, idle, away }) => working + idle + away),
    [7, 3, 1],
  )
})

test('the map has land and borders, and cities lie where they should', () => {
  assert.ok(LAND.length > 10_000 && BORDERS.length > 5_000)
  const [lima, porto, tokyo] = [
    onMap({ lat: -12, lon: -77 }),
    onMap({ lat: 41, lon: -8.6 }),
    onMap({ lat: 35.7, lon: 139.7 }),
  ]
  assert.ok(lima.x < porto.x && porto.x < tokyo.x)
  assert.ok(lima.y > MAP_HEIGHT / 2 && porto.y < MAP_HEIGHT / 2)
  assert.ok(tokyo.x < MAP_WIDTH && lima.x > 0)
})
