// Goal: a new page is believed to be like its siblings until it shows otherwise. Method: sites whose
// pages share a rate, with and without what was learnt; damaged bytes; the bound on memory.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newBelief, rateOf } from './belief.ts'
import { UnreadablePriors } from './errors.ts'
import {
  beliefFrom,
  normal,
  randomOf,
  rootMeanSquare,
  watch,
  type Random,
} from '../../test/estimate/pages-fixture.ts'
import {
  decodePriorTree,
  encodePriorTree,
  isRipe,
  learnPrior,
  newPriorTree,
  toPriorKey,
  priorFor,
  type PriorTree,
} from './prior-tree.ts'

function teach(tree: PriorTree, random: Random, site: { url: string; perDay: number }): void {
  for (let page = 0; page < 10; page++) {
    const visits = watch(random, { perDay: site.perDay, visits: 32 })
    learnPrior(tree, toPriorKey(`${site.url}${page}`, 306), beliefFrom(visits))
  }
}

const middle = (tree: PriorTree, url: string, category: number | null = null): number =>
  rateOf(newBelief(priorFor(tree, toPriorKey(url, category))), 0).low

test('pages of one template share a pattern', () => {
  const patterns = [
    'https://a.example/2024/05/budget-passed.html',
    'https://a.example/2023/11/storm.html',
  ].map((url) => toPriorKey(url).pattern)
  assert.deepEqual(patterns, ['/#/#/*', '/#/#/*'])
  assert.deepEqual(toPriorKey('https://a.example/', 306), {
    category: '306',
    host: 'a.example',
    pattern: '/',
  })
  assert.equal(toPriorKey('https://a.example/list?page=3').pattern, '/*?')
  assert.equal(toPriorKey('no address at all').host, '')
})

test('the most specific kin with enough members is believed, and named', () => {
  const tree = newPriorTree()
  const random = randomOf(31)
  teach(tree, random, { url: 'https://a.example/news/', perDay: 5 })
  teach(tree, random, { url: 'https://a.example/people/', perDay: 0.02 })
  assert.ok(middle(tree, 'https://a.example/news/new') > 2)
  assert.ok(middle(tree, 'https://a.example/people/new') < 0.06)
  assert.match(
    priorFor(tree, toPriorKey('https://a.example/news/new')).source,
    /^10 pages of a\.example\/news\/\*$/,
  )
  const elsewhere = priorFor(tree, toPriorKey('https://a.example/else/new'))
  assert.match(elsewhere.source, /^20 pages of a\.example$/)
  assert.match(
    priorFor(tree, toPriorKey('https://b.example/x', 306)).source,
    /^20 pages of category 306$/,
  )
  const unknown = priorFor(tree, toPriorKey('https://b.example/x'))
  assert.equal(unknown.source, 'pages in general')
})

test('two members are too few and a belief without evidence teaches nothing', () => {
  const tree = newPriorTree()
  const priorKey = toPriorKey('https://a.example/x')
  for (let n = 0; n < 50; n++) learnPrior(tree, priorKey, newBelief())
  assert.equal(tree.kin.size, 0)
  const belief = beliefFrom(watch(randomOf(32), { perDay: 9, visits: 30 }))
  for (let n = 0; n < 2; n++) learnPrior(tree, priorKey, belief)
  assert.equal(priorFor(tree, priorKey).source, 'pages in general')
})

test('a learnt prior takes a third off the error before the first visit and still helps after ten', () => {
  const random = randomOf(33)
  const tree = newPriorTree()
  const sites = Array.from({ length: 30 }, (_, site) => {
    const perDay = Math.exp(Math.log(0.1) + 1.8 * normal(random))
    return { url: `https://site-${site}.example/`, perDay }
  })
  for (const site of sites) teach(tree, random, site)
  for (const { visits, gain } of [
    { visits: 0, gain: 0.67 },
    { visits: 10, gain: 0.85 },
  ]) {
    const [broad, learnt]: [number[], number[]] = [[], []]
    for (const { url, perDay } of sites) {
      for (let page = 0; page < 10; page++) {
        const own = perDay * Math.exp(0.4 * normal(random))
        const seen = watch(random, { perDay: own, visits })
        const prior = priorFor(tree, toPriorKey(`${url}new-${page}`))
        broad.push(Math.log(rateOf(beliefFrom(seen), 0).low / own))
        learnt.push(Math.log(rateOf(beliefFrom(seen, newBelief(prior)), 0).low / own))
      }
    }
    const ratio = rootMeanSquare(learnt) / rootMeanSquare(broad)
    assert.ok(ratio < gain, `${visits} visits: ${ratio}`)
  }
})

test('a page unlike its siblings is found out within 30 visits', () => {
  const random = randomOf(34)
  const tree = newPriorTree()
  teach(tree, random, { url: 'https://a.example/', perDay: 0.01 })
  const belief = newBelief(priorFor(tree, toPriorKey('https://a.example/odd')))
  beliefFrom(watch(random, { perDay: 3, visits: 30 }), belief)
  assert.ok(rateOf(belief).perDay > 1.5, `${rateOf(belief).perDay}`)
})

test('priors survive a journey through bytes, and damaged bytes are refused', () => {
  const tree = newPriorTree()
  teach(tree, randomOf(35), { url: 'https://ñandú.example/a/', perDay: 2 })
  const bytes = encodePriorTree(tree)
  const again = decodePriorTree(bytes)
  assert.deepEqual([...again.kin], [...tree.kin])
  assert.deepEqual([...decodePriorTree(encodePriorTree(newPriorTree())).kin], [])
  assert.throws(() => decodePriorTree(bytes.subarray(0, bytes.length - 1)), UnreadablePriors)
  assert.throws(() => decodePriorTree(bytes.subarray(0, 2)), UnreadablePriors)
  assert.throws(() => decodePriorTree(new Uint8Array()), { code: 'MINGA_UNREADABLE_PRIORS' })
})

test('a host that changes its ways is believed again after a few hundred pages', () => {
  const random = randomOf(36)
  const tree = newPriorTree()
  const priorKey = toPriorKey('https://a.example/x')
  const [slow, fast] = [0.02, 4].map((perDay) => beliefFrom(watch(random, { perDay, visits: 60 })))
  for (let n = 0; n < 2000; n++) learnPrior(tree, priorKey, slow!)
  for (let n = 0; n < 400; n++) learnPrior(tree, priorKey, fast!)
  assert.ok(middle(tree, 'https://a.example/x') > 1)
})

test('the number of kin is bounded and the longest untaught leaves first', () => {
  const tree = newPriorTree()
  const belief = beliefFrom(watch(randomOf(37), { visits: 20 }))
  for (let n = 0; n < 25_100; n++) learnPrior(tree, toPriorKey(`https://h${n}.example/x`), belief)
  assert.equal(tree.kin.size, 50_000)
  assert.ok(!tree.kin.has('host h0.example'))
  assert.ok(tree.kin.has('host h25099.example'))
})

test('a belief is ripe to teach at eight visits and at every doubling', () => {
  const belief = newBelief()
  const ripe: number[] = []
  for (const visit of watch(randomOf(38), { visits: 70 })) {
    beliefFrom([visit], belief)
    if (isRipe(belief)) ripe.push(belief.visits)
  }
  assert.deepEqual(ripe, [8, 16, 32, 64])
})
