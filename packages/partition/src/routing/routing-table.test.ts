// Goal: tables become short without changing one answer. Method: a worked example as golden
// figures, and random tables of both families of addresses held against a search through every
// route.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  addressOf,
  addressText,
  blockOf,
  blockOfAddress,
  blockText,
  contains,
  joined,
} from './block.ts'
import type { Route } from './compact.ts'
import { BadAddressBlock, BadPlacement, ContestedBlock } from './errors.ts'
import { RoutingTable, unionOf } from './routing-table.ts'
import {
  allotted,
  merged,
  routesTo,
  SIR_20_PRINTED,
  type Merged,
} from '../../test/routing/sir-fixture.ts'
import { tableOfHosts } from './table-of-hosts.ts'

const texts = (table: RoutingTable): string[] => table.routes.map(({ block }) => blockText(block))
const tableTo = (owner: string, blocks: readonly string[]): RoutingTable =>
  new RoutingTable(routesTo(owner, blocks))

test('CIDR merge + exceptions: the 33, 36 and 36 blocks of the worked example become 15, 6 and 10', () => {
  const counts = Object.values(allotted).map((blocks) => blocks.length)
  assert.deepEqual(counts, [33, 36, 36])
  for (const owner of ['J', 'K', 'L'] as const) {
    assert.deepEqual(texts(tableTo(owner, allotted[owner])), merged(owner))
  }
  const all = (['J', 'K', 'L'] as const).flatMap((owner) => routesTo(owner, allotted[owner]))
  const table = new RoutingTable(all)
  assert.deepEqual(texts(table), [...merged('J'), ...merged('K'), ...merged('L')])
  assert.equal(table.routes.length, 15 + 6 + 10)
})

test('CIDR merge + exceptions: a parent’s table is the merged union of its children’s', () => {
  const union = (parent: Merged, children: readonly Merged[]): void => {
    const tables = children.map((child) => tableTo(child, merged(child)))
    assert.deepEqual(texts(unionOf(parent, tables)), merged(parent))
  }
  const lengths = (entities: readonly Merged[]): number[] => entities.map((id) => merged(id).length)
  assert.deepEqual(lengths(['G', 'H', 'I']), [4, 5, 6])
  assert.deepEqual(lengths(['SIR 19', 'SIR 20', 'SIR 21']), [2, 2, 3])
  union('L', ['G', 'H', 'I'])
  union('G', ['SIR 19', 'SIR 20', 'SIR 21'])
  assert.deepEqual(texts(tableTo('SIR 20', SIR_20_PRINTED)), merged('SIR 20'))
})

/** Short prefixes over few bits, so that blocks nest, touch and repeat all the time. */
const drawnRoute = fc
  .record({
    version: fc.constantFrom(4 as const, 6 as const),
    length: fc.integer({ min: 0, max: 7 }),
    prefix: fc.nat({ max: 127 }),
    owner: fc.constantFrom('a', 'b', 'c'),
  })
  .map(({ version, length, prefix, owner }): Route => {
    const width = version === 4 ? 32 : 128
    const first = BigInt(prefix >> (7 - length)) << BigInt(width - length)
    return { block: { version, first, bits: length }, owner }
  })

const drawnRoutes = fc.uniqueArray(drawnRoute, {
  maxLength: 40,
  selector: ({ block }) => `${block.version} ${blockText(block)}`,
})

function slowOwner(routes: readonly Route[], address: string): string | null {
  const inner = blockOfAddress(addressOf(address)!)
  const around = routes.filter(({ block }) => contains(block, inner))
  return around.toSorted((a, b) => b.block.bits - a.block.bits)[0]?.owner ?? null
}

/** One address in the middle of each of the 128 smallest pieces that the drawn blocks can tell apart. */
const probes = ([4, 6] as const).flatMap((version) =>
  Array.from({ length: 128 }, (_, i) => {
    const width = BigInt(version === 4 ? 32 : 128)
    return addressText({ version, value: (BigInt(i) << (width - 7n)) + (1n << (width - 9n)) + 5n })
  }),
)

test('CIDR merge + exceptions: a merged table answers as the original one for every address', () => {
  fc.assert(
    fc.property(drawnRoutes, (routes) => {
      const table = new RoutingTable(routes)
      for (const address of probes) {
        const owner = slowOwner(routes, address)
        assert.equal(table.ownerOfAddress(address), owner)
        assert.equal(slowOwner(table.routes, address), owner)
      }
    }),
    { seed: 41, numRuns: 300 },
  )
})

test('CIDR merge + exceptions: random addresses of a real-sized IPv6 and IPv4 space agree', () => {
  const address = fc.oneof(fc.ipV4(), fc.ipV6())
  const route = fc.record({
    near: address,
    cut: fc.integer({ min: 0, max: 128 }),
    owner: fc.constantFrom('a', 'b'),
  })
  fc.assert(
    fc.property(fc.array(route, { maxLength: 30 }), fc.array(address), (drawn, strangers) => {
      const byBlock = new Map(
        drawn.map(({ near, cut, owner }) => {
          const { version, value } = addressOf(near)!
          const width = version === 4 ? 32 : 128
          const free = BigInt(cut % width)
          const block = { version, first: (value >> free) << free, bits: width - Number(free) }
          return [`${version} ${blockText(block)}`, { block, owner }]
        }),
      )
      const routes = [...byBlock.values()]
      const table = new RoutingTable(routes)
      for (const probe of [...strangers, ...drawn.map(({ near }) => near)]) {
        assert.equal(table.ownerOfAddress(probe), slowOwner(routes, probe))
      }
    }),
    { seed: 42, numRuns: 200 },
  )
})

test('CIDR merge + exceptions: nothing that could be merged or left out remains', () => {
  fc.assert(
    fc.property(drawnRoutes, (routes) => {
      const kept = new RoutingTable(routes).routes
      assert.ok(kept.length <= routes.length)
      for (const left of kept) {
        const others = kept.filter((route) => route !== left)
        const same = probes.every((probe) => slowOwner(others, probe) === slowOwner(kept, probe))
        assert.ok(!same, `${blockText(left.block)} is not needed`)
        const half = others.find(
          ({ block, owner }) => owner === left.owner && joined(left.block, block) !== null,
        )
        assert.equal(half, undefined)
      }
    }),
    { seed: 43, numRuns: 100 },
  )
})

test('CIDR merge + exceptions: a block inside a block keeps its own owner, and the parent forgets it', () => {
  const table = new RoutingTable([
    ...routesTo('a', ['10.0.0.0/8', '10.9.0.0/16']),
    ...routesTo('b', ['10.1.0.0/16']),
    ...routesTo('z', ['10.2.0.0/24']),
  ])
  assert.deepEqual(texts(table), ['10.0.0.0/8', '10.1.0.0/16', '10.2.0.0/24'])
  assert.equal(table.ownerOfAddress('10.1.2.3'), 'b')
  assert.equal(table.ownerOfAddress('10.3.0.1'), 'a')
  assert.equal(table.ownerOfAddress('::ffff:10.1.2.3'), 'b')
  assert.equal(table.ownerOfAddress('11.0.0.1'), null)
  const parent = unionOf('p', [table], (owner) => owner !== 'z')
  assert.deepEqual(
    parent.routes.map(({ block, owner }) => [blockText(block), owner]),
    [
      ['10.0.0.0/8', 'p'],
      ['10.2.0.0/24', 'z'],
    ],
  )
})

test('CIDR merge + exceptions: hosts that share an address are distinguished by name until one owner has both', () => {
  const table = tableOfHosts(
    [
      { host: 'one.example', address: '10.0.0.1', owner: 'a' },
      { host: 'two.example', address: '10.0.0.1', owner: 'a' },
      { host: 'three.example', address: '10.0.0.1', owner: 'b' },
      { host: 'four.example', address: '10.0.0.9', owner: 'b' },
      { host: 'far.example', address: '2001:db8::7', owner: 'b' },
    ],
    [blockOf('10.0.0.0/24')],
  )
  assert.deepEqual(texts(table), ['10.0.0.0/24', '10.0.0.9/32', '2001:db8::7/128'])
  assert.deepEqual(
    table.hosts.map(({ host, owner }) => [host, owner]),
    [['three.example', 'b']],
  )
  assert.equal(table.ownerOf({ host: 'three.example' }), 'b')
  assert.equal(table.ownerOf({ host: 'new.example', addresses: ['10.0.0.77'] }), 'a')
  assert.equal(table.ownerOf({ host: 'new.example' }), null)
  const parent = unionOf('p', [table])
  assert.deepEqual(parent.hosts, [])
  assert.deepEqual(texts(parent), ['10.0.0.0/24', '2001:db8::7/128'])
})

test('every placed host is found again in the table that is made of the placement', () => {
  const placed = fc.uniqueArray(
    fc.record({
      host: fc.stringMatching(/^[a-e]{1,3}$/),
      address: fc.nat({ max: 63 }).map((n) => `10.0.0.${n}`),
      owner: fc.constantFrom('a', 'b', 'c'),
    }),
    { selector: ({ host }) => host, maxLength: 50 },
  )
  const blocks = fc.subarray(['10.0.0.0/8', '10.0.0.0/27', '10.0.0.16/28', '10.0.0.32/28'])
  fc.assert(
    fc.property(placed, blocks, (hosts, inUse) => {
      const table = tableOfHosts(hosts, inUse.map(blockOf))
      for (const { host, address, owner } of hosts) {
        assert.equal(table.ownerOf({ host, addresses: [address] }), owner)
      }
    }),
    { seed: 44, numRuns: 300 },
  )
})

test('of several addresses in blocks of several owners every station chooses the same', () => {
  const table = new RoutingTable([
    ...routesTo('a', ['10.0.0.0/8']),
    ...routesTo('b', ['11.0.0.0/8']),
  ])
  const one = table.ownerOf({ host: 'x.example', addresses: ['11.0.0.1', '10.0.0.1'] })
  assert.equal(one, 'a')
  assert.equal(table.ownerOf({ host: 'x.example', addresses: ['10.0.0.1', '11.0.0.1'] }), one)
})

test('a block or host of two owners is refused', () => {
  const routes = [...routesTo('a', ['10.0.0.0/8']), ...routesTo('b', ['10.0.0.0/8'])]
  assert.throws(() => new RoutingTable(routes), ContestedBlock)
  const host = { host: 'x.example', addresses: [] }
  const hosts = ['a', 'b'].map((owner) => ({ ...host, owner }))
  assert.throws(() => new RoutingTable([], hosts), ContestedBlock)
  const placed = ['a', 'b'].map((owner, i) => ({
    host: 'x.example',
    address: `10.0.0.${i}`,
    owner,
  }))
  assert.throws(() => tableOfHosts(placed, []), ContestedBlock)
  const nowhere = [{ host: 'x.example', address: 'x', owner: 'a' }]
  assert.throws(() => tableOfHosts(nowhere, []), BadPlacement)
})

test('what is no block is refused with the reason', () => {
  const bad = [
    '',
    'x',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    '::/129',
    '10.0.0.0/1e1',
  ]
  for (const text of bad) assert.throws(() => blockOf(text), BadAddressBlock, text)
  assert.throws(() => blockOf('193.136.1.5/16'), /was 193\.136\.0\.0\/16 meant/)
})

test('addresses are read and written in every form that is in use', () => {
  const forms = {
    '2001:DB8:0:0:0:0:0:1': '2001:db8::1',
    '::': '::',
    '1::': '1::',
    '1:0:0:2:0:0:0:3': '1:0:0:2::3',
    'fe80::1%eth0': 'fe80::1',
    '::ffff:1.2.3.4': '1.2.3.4',
    '::1.2.3.4': '::102:304',
    '10:0:0:20:1:2:3:4': '10::20:1:2:3:4',
  }
  for (const [written, canonical] of Object.entries(forms)) {
    assert.equal(addressText(addressOf(written)!), canonical)
  }
  assert.equal(blockText(blockOf('::ffff:10.0.0.0/104')), '10.0.0.0/8')
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
      const address = addressOf(text)!
      assert.deepEqual(addressOf(addressText(address)), address)
    }),
    { seed: 45 },
  )
})
