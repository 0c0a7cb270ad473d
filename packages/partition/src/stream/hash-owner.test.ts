// Goal: the baselines behave as measured before, and jump hash as its paper says. Method: a
// generated web of pages on hosts on addresses; published values; the definition with big integers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { Random } from '../random.ts'
import { hashOwner, jump, jumpOwner, type HashKey } from './hash-owner.ts'
import { hash64, type Hash64 } from './hash64.ts'

interface Page {
  url: string
  host: string
  address: string
}

interface Web {
  pages: Page[]
  /** Pairs of places in `pages`. */
  links: [number, number][]
}

/** Few hosts have most pages, several share an address, and most links stay on their host. */
function drawnWeb(seed: number): Web {
  const random = new Random(seed)
  const pages: Page[] = []
  const starts: number[] = []
  const hosts = 600
  for (let h = 0; h < hosts; h++) {
    starts.push(pages.length)
    const count = 4 + Math.floor(300 / (h + 1) ** 0.7)
    const host = `host${h}.web${seed}.example`
    const address = `10.${seed}.2.${random.below(150)}`
    for (let p = 0; p < count; p++) pages.push({ url: `http://${host}/${p}`, host, address })
  }
  starts.push(pages.length)
  const links: [number, number][] = []
  for (let h = 0; h < hosts; h++) {
    for (let page = starts[h]!; page < starts[h + 1]!; page++) {
      for (let i = 0; i < 4; i++) {
        const isInside = random.below(100) < 70
        const count = starts[h + 1]! - starts[h]!
        const step = 1 + random.below(count - 1)
        const inside = starts[h]! + ((page - starts[h]! + step) % count)
        links.push([page, isInside ? inside : random.below(pages.length)])
      }
    }
  }
  return { pages, links }
}

/** Pages of the fullest part over the mean, and the share of links that cross. */
function measured({ pages, links }: Web, by: HashKey, k: number): [number, number] {
  const owners = pages.map((page) => hashOwner(page, by, k))
  const loads = new Float64Array(k)
  for (const owner of owners) loads[owner]! += 1
  const crossing = links.filter(([from, to]) => owners[from] !== owners[to]).length
  return [Math.max(...loads) / (pages.length / k), crossing / links.length]
}

test('Hash baselines (URL/host/IP): by URL the balance is best and the exchange worst, by address the other way round', () => {
  const sums: Record<HashKey, [number, number]> = { url: [0, 0], host: [0, 0], address: [0, 0] }
  const seeds = Array.from({ length: 12 }, (_, i) => i + 1)
  for (const seed of seeds) {
    const web = drawnWeb(seed)
    for (const by of ['url', 'host', 'address'] as const) {
      const [balance, exchange] = measured(web, by, 8)
      sums[by][0] += balance / seeds.length
      sums[by][1] += exchange / seeds.length
    }
  }
  assert.ok(sums.url[0] < 1.08 && sums.url[0] < sums.host[0] && sums.host[0] < sums.address[0])
  // By URL all links cross but 1/k; by host those that leave the host, 1/k of them excepted.
  assert.ok(Math.abs(sums.url[1] - 7 / 8) < 0.01, `${sums.url[1]} by URL`)
  assert.ok(Math.abs(sums.host[1] - 0.3 * (7 / 8)) < 0.03, `${sums.host[1]} by host`)
  assert.ok(sums.address[1] < sums.host[1], `${sums.address[1]} by address`)
})

test('Hash baselines (URL/host/IP): one more part moves nearly all hosts', () => {
  const pages = drawnWeb(1).pages
  const moved = pages.filter((page) => hashOwner(page, 'url', 8) !== hashOwner(page, 'url', 9))
  assert.ok(Math.abs(moved.length / pages.length - 8 / 9) < 0.02)
})

const key = (value: bigint): Hash64 => ({
  high: Number(value >> 32n),
  low: Number(value & 0xffffffffn),
})

/** The loop of the paper, with the integers it means. */
function jumpByDefinition(start: bigint, k: number): number {
  let state = start
  let part = -1
  let next = 0
  while (next < k) {
    part = next
    state = (state * 2862933555777941757n + 1n) & ((1n << 64n) - 1n)
    next = Math.floor((part + 1) * (2 ** 31 / (Number(state >> 33n) + 1)))
  }
  return part
}

test('jump hash gives the values that others have published', () => {
  const known: [bigint, number, number][] = [
    [0n, 60, 0],
    [1n, 60, 55],
    [2n, 60, 46],
    [42n, 57, 43],
    [0xdead10ccn, 666, 361],
    [256n, 1024, 520],
  ]
  for (const [value, k, part] of known) assert.equal(jump(key(value), k), part)
})

test('jump hash follows its definition for any key and any number of parts', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }),
      fc.integer({ min: 1, max: 5_000 }),
      (value, k) => {
        assert.equal(jump(key(value), k), jumpByDefinition(value, k))
      },
    ),
    { numRuns: 300, seed: 7 },
  )
})

test('with jump hash one more part takes its share, and nothing moves between the old ones', () => {
  const names = Array.from({ length: 20_000 }, (_, i) => `host${i}.example`)
  for (const k of [1, 4, 9, 31]) {
    const moved = names.filter((name) => jumpOwner(name, k) !== jumpOwner(name, k + 1))
    assert.ok(moved.every((name) => jumpOwner(name, k + 1) === k))
    const share = (moved.length / names.length) * (k + 1)
    assert.ok(share > 0.9 && share < 1.1, `${share} of the ideal`)
  }
})

test('an invalid number of parts is refused', () => {
  const page = { url: 'http://a.example/', host: 'a.example', address: '192.0.2.1' }
  for (const k of [0, -1, 1.5, Number.NaN, 2_000_000]) {
    assert.throws(() => hashOwner(page, 'host', k), { code: 'MINGA_BAD_PARTITION_INPUT' })
    assert.throws(() => jump(hash64('a'), k), { code: 'MINGA_BAD_PARTITION_INPUT' })
  }
})
