// Goal: every station that follows the broadcast has the same map, whatever is lost, repeated or damaged on
// the way. Method: random histories of maps, bytes that are cut, flipped and forged.
import assert from 'node:assert/strict'
import { crc32 } from 'node:zlib'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { Random } from '../random.ts'
import { BadPlacement, PlacementGap, UnreadablePlacement } from './errors.ts'
import { decodeDelta, decodeMap, encodeDelta, encodeMap } from './placement-bytes.ts'
import { deltaBetween, LARGEST_PART, PlacementMap } from './placement-map.ts'

const held = (): string => 'held'
const sorted = (map: PlacementMap): [string, number][] =>
  [...map.hosts()].toSorted(([a], [b]) => (a < b ? -1 : 1))

const drawnHosts = fc.dictionary(
  fc.stringMatching(/^[a-c]{1,3}(\.[a-c]{1,2}){0,2}$/),
  fc.oneof(fc.nat({ max: 5 }), fc.constant(LARGEST_PART)),
  { maxKeys: 30 },
)

test('a map answers for the hosts it knows and leaves the rest to the fallback', () => {
  const map = new PlacementMap(3, [
    ['a.example', 0],
    ['b.example', 2],
  ])
  assert.equal(map.ownerOf('a.example', held), 0)
  assert.equal(map.ownerOf('b.example', held), 2)
  assert.equal(map.ownerOf('c.example', held), 'held')
  assert.equal(
    map.ownerOf('c.example', (host) => host.length),
    9,
  )
  assert.equal(map.size, 2)
})

test('following the deltas leads through every map of a history to the last', () => {
  fc.assert(
    fc.property(fc.array(drawnHosts, { minLength: 2, maxLength: 6 }), (history) => {
      const maps = history.map((hosts, i) => new PlacementMap(10 * i, Object.entries(hosts)))
      const follower = new PlacementMap(0, Object.entries(history[0]!))
      for (let i = 1; i < maps.length; i++) {
        const delta = decodeDelta(encodeDelta(deltaBetween(maps[i - 1]!, maps[i]!)))
        assert.equal(follower.apply(delta), true)
        assert.equal(follower.apply(delta), false)
        assert.equal(follower.epoch, 10 * i)
        assert.deepEqual(sorted(follower), sorted(maps[i]!))
      }
    }),
    { seed: 51, numRuns: 200 },
  )
})

test('a delta that does not begin where the map stands is refused and changes nothing', () => {
  const map = new PlacementMap(5, [['a.example', 1]])
  const moves = [['a.example', 2]] as const
  assert.throws(() => map.apply({ from: 6, to: 7, moves }), PlacementGap)
  assert.throws(() => map.apply({ from: 4, to: 7, moves }), PlacementGap)
  assert.equal(map.apply({ from: 3, to: 5, moves }), false)
  assert.equal(map.ownerOf('a.example', held), 1)
  assert.equal(map.epoch, 5)
  assert.throws(() => deltaBetween(map, new PlacementMap(5)), BadPlacement)
})

test('a delta with one bad move is refused as a whole', () => {
  const map = new PlacementMap(1)
  const bad = [
    ['', 1],
    ['with space.example', 1],
    ['UPPER.example', 1],
    ['ü.example', 1],
    ['x'.repeat(256), 1],
    ['b.example', -1],
    ['b.example', 1.5],
    ['b.example', LARGEST_PART + 1],
    ['a.example', 3],
  ] as const
  for (const move of bad) {
    const delta = { from: 1, to: 2, moves: [['a.example', 1] as const, move] }
    assert.throws(() => map.apply(delta), BadPlacement, JSON.stringify(move))
  }
  for (const epochs of [
    { from: 1, to: 1 },
    { from: -1, to: 2 },
    { from: 1, to: 2 ** 60 },
  ]) {
    assert.throws(() => map.apply({ ...epochs, moves: [] }), BadPlacement)
  }
  assert.equal(map.size, 0)
  assert.throws(() => new PlacementMap(0.5), BadPlacement)
})

test('bytes bring back the same map and the same delta, with epochs beyond 32 bits', () => {
  fc.assert(
    fc.property(drawnHosts, fc.nat({ max: Number.MAX_SAFE_INTEGER }), (hosts, epoch) => {
      const map = new PlacementMap(epoch, Object.entries(hosts))
      const copy = decodeMap(encodeMap(map))
      assert.equal(copy.epoch, epoch)
      assert.deepEqual(sorted(copy), sorted(map))
    }),
    { seed: 52, numRuns: 200 },
  )
  const delta = { from: 2 ** 40, to: 2 ** 50, moves: [['a.example', null] as const] }
  assert.deepEqual(decodeDelta(encodeDelta(delta)), delta)
})

test('a copy with any one byte changed, cut off or added is refused', () => {
  const bytes = encodeMap(
    new PlacementMap(7, [
      ['www.example', 1],
      ['example', 300],
    ]),
  )
  for (let at = 0; at < bytes.length; at++) {
    for (const flip of [1, 0x80]) {
      const damaged = bytes.slice()
      damaged[at]! ^= flip
      assert.throws(() => decodeMap(damaged), UnreadablePlacement)
    }
    assert.throws(() => decodeMap(bytes.subarray(0, at)), UnreadablePlacement)
  }
  assert.throws(() => decodeMap(Uint8Array.of(...bytes, 0)), UnreadablePlacement)
  assert.throws(() => decodeDelta(bytes), /this is no delta/)
})

/** Forged: whatever it says, its checksum fits. */
function sealed(body: readonly number[]): Uint8Array {
  const bytes = Uint8Array.of(...Buffer.from('MGP\x01'), ...body)
  const sum = Buffer.alloc(4)
  sum.writeUInt32LE(crc32(bytes))
  return Uint8Array.of(...bytes, ...sum)
}

test('bytes that a stranger forged are a map or refused, never anything else', () => {
  const byte = fc.oneof(fc.constantFrom(0, 1, 2, 97, 255), fc.nat({ max: 255 }))
  const body = fc.tuple(fc.constantFrom(0, 1), fc.array(byte, { maxLength: 30 }))
  fc.assert(
    fc.property(body, ([kind, rest]) => {
      const forged = sealed([kind, ...rest])
      try {
        if (kind === 0) decodeMap(forged)
        else decodeDelta(forged)
      } catch (error) {
        assert.ok(error instanceof UnreadablePlacement)
      }
    }),
    { seed: 53, numRuns: 2_000 },
  )
  const count = [0xff, 0xff, 0xff, 0xff, 0x7f]
  assert.throws(() => decodeMap(sealed([0, 1, ...count])), /end too early/)
  assert.throws(() => decodeMap(sealed([0, 1, 2, 0, 1, 98, 0, 0, 1, 97, 0])), /not in order/)
  assert.throws(() => decodeMap(sealed([0, 1, 2, 0, 1, 98, 0, 1, 0, 1])), /not in order/)
  assert.throws(() => decodeMap(sealed([0, 1, 1, 9, 1, 98, 0])), /beyond what there is/)
  assert.throws(() => decodeMap(sealed([0, 1, 1, 0, 1, 32, 0])), /no canonical host/)
  assert.throws(() => decodeDelta(sealed([1, 5, 5, 0])), /cannot lead/)
})

test('the bytes of a map of a web-like list of hosts are less than a third of its JSON', () => {
  const random = new Random(9)
  const map = new PlacementMap(
    1,
    Array.from({ length: 20_000 }, (_, i) => {
      const domain = `site${random.below(4_000).toString(36)}.example`
      return [i % 3 === 0 ? `www.${domain}` : `h${i.toString(36)}.${domain}`, i % 7] as const
    }),
  )
  const json = JSON.stringify([...map.hosts()]).length
  assert.ok(encodeMap(map).length * 3 < json)
})
