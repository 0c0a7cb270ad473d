// Goal: the made-up web has the figures that the thesis gives of its sample. Method: full size, counted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fullKnowledge } from './seed-experiments.ts'
import { drawWorkload, thesisRules, type Workload } from './workload.ts'

const web = drawWorkload(thesisRules(), 1)

const most = (values: ArrayLike<number>): number =>
  Array.from(values).reduce((a, b) => Math.max(a, b))

function pagesByAddress({ addresses, addressOf, pageCounts }: Workload): Float64Array {
  const pages = new Float64Array(addresses)
  for (const [host, address] of addressOf.entries()) pages[address]! += pageCounts[host]!
  return pages
}

const within = (value: number, from: number, to: number): void =>
  assert.ok(value >= from && value <= to, `${value} is not between ${from} and ${to}`)

test('DES simulator: hosts, addresses, pages and the densest of both are those of the sample', () => {
  assert.deepEqual([web.hosts, web.addresses, web.pages], [10_039, 2_440, 1_246_129])
  assert.equal(
    web.pageCounts.reduce((sum, count) => sum + count),
    web.pages,
  )
  assert.deepEqual([most(web.pageCounts), Math.min(...web.pageCounts)], [78_523, 1])
  const byAddress = pagesByAddress(web)
  within(most(byAddress), 100_000, 100_700)
  assert.equal(byAddress.indexOf(most(byAddress)), web.addressOf[0])
  assert.ok(byAddress.every((pages) => pages > 0))
})

test('DES simulator: a fifth of the pages has some 21.6 links, three quarters of them inside the host', () => {
  let linking = 0
  for (let page = 0; page < web.pages; page++) {
    if (web.linkStarts[page + 1]! > web.linkStarts[page]!) linking++
  }
  within(linking / web.pages, 0.2, 0.22)
  within(web.linkHeads.length / linking, 21, 22.3)
  const graph = fullKnowledge(web)
  const inside = graph.insideLinks.reduce((sum, links) => sum + links, 0)
  within(inside / web.linkHeads.length, 0.7, 0.8)
  const between = graph.links.reduce((sum, links) => sum + links, 0)
  assert.equal(inside + between, web.linkHeads.length)
})

test('DES simulator: links between hosts mostly stay within communities', () => {
  const { tails, heads, links } = fullKnowledge(web)
  let [all, together] = [0, 0]
  for (const [i, tail] of tails.entries()) {
    all += links[i]!
    if (web.communityOf[tail] === web.communityOf[heads[i]!]) together += links[i]!
  }
  within(together / all, 0.85, 0.95)
})

test('DES simulator: round trips have two humps, and distance explains them only in part', () => {
  const { rttMs, claimedKm } = web.world
  const share = (from: number, to: number): number =>
    rttMs.filter((rtt) => rtt >= from && rtt < to).length / rttMs.length
  const [near, between, far] = [share(0, 45), share(45, 75), share(75, 135)]
  assert.ok(near > 2 * between && far > 2 * between, `${near}, ${between}, ${far}`)
  within(correlation(rttMs, claimedKm), 0.3, 0.9)
})

function correlation(x: Float64Array, y: Float64Array): number {
  const mean = (values: Float64Array): number => values.reduce((a, b) => a + b) / values.length
  const [mx, my] = [mean(x), mean(y)]
  let [xy, xx, yy] = [0, 0, 0]
  for (let i = 0; i < x.length; i++) {
    xy += (x[i]! - mx) * (y[i]! - my)
    xx += (x[i]! - mx) ** 2
    yy += (y[i]! - my) ** 2
  }
  return xy / Math.sqrt(xx * yy)
}

test('DES simulator: the same seed draws the same web, another seed another', () => {
  const rules = thesisRules(0.02)
  assert.deepEqual(drawWorkload(rules, 4), drawWorkload(rules, 4))
  assert.notDeepEqual(drawWorkload(rules, 4).pageCounts, drawWorkload(rules, 5).pageCounts)
})
