// Goal: a region is noise only after repeated evidence, and not for ever. Method: histories of twins and
// visits, given as data, and the moments at which masks must begin and end.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BadSketch } from './errors.ts'
import {
  countMaskedVisit,
  decodeNoise,
  encodeNoise,
  forgetNoise,
  isUndecided,
  learnNoise,
  maskAt,
  restoreRegion,
  warnedRegions,
  type LearntNoise,
} from './learn-noise.ts'
import { learntFrom } from '../../test/detect/learnt-noise.ts'
import { htmlPage } from '../../test/detect/page-pairs-fixture.ts'
import { sketchOf, type Sketch } from './sketch.ts'
import { STILL_TWIN, twinEvidence, type TwinEvidence } from './twin-evidence.ts'

const DAY = 86_400_000
const WHOLE = { include: [], exclude: [] }
const html = (inside: string) => htmlPage(`<html><body><h1>Title</h1>${inside}</body></html>`)
const quote = (text: string) =>
  html(`<p>A text that stays as it is</p><p class="quote">${text}</p>`)
const WORDS = ['apples', 'pears', 'plums', 'figs', 'dates', 'limes', 'melons', 'grapes']

/** d: the quote differs in the twin; s: it stands still. */
function after(history: string, at = 0): LearntNoise | null {
  let noise: LearntNoise | null = null
  for (const [index, step] of history.split('').entries()) {
    const next = step === 'd' ? index + 1 : index
    const evidence = twinEvidence(quote(WORDS[index % 8]!), quote(WORDS[next % 8]!), WHOLE)
    noise = learnNoise(noise, evidence!, at)
  }
  return noise
}

const ignored = (noise: LearntNoise | null, now = 0): number => maskAt(noise, now)?.keys.size ?? 0

describe('a region is noise', () => {
  test('after two of three twins, not after one', () => {
    const expected = { d: 0, dd: 1, ds: 0, dss: 0, dsd: 1, sdd: 1, sds: 0, ddd: 1 }
    for (const [history, regions] of Object.entries(expected)) {
      assert.equal(ignored(after(history)), regions, history)
    }
  })

  test('until three still twins in a row clear it', () => {
    assert.equal(ignored(after('ddss')), 1)
    assert.equal(ignored(after('ddsss')), 0)
    assert.equal(ignored(after('ddssd')), 1)
  })

  test('and another twin is wanted exactly while it is undecided', () => {
    const expected = { s: false, d: true, ds: true, dss: false, dd: false, sd: true }
    for (const [history, wanted] of Object.entries(expected)) {
      assert.equal(isUndecided(after(history)), wanted, history)
    }
  })
})

describe('what proves nothing, however often it is seen', () => {
  const never = (name: string, versions: string[]): void => {
    test(name, () => {
      const noise = learntFrom(versions.map(html))
      assert.equal(ignored(noise), 0)
      assert.equal(noise?.twins, versions.length - 1)
    })
  }
  const list = (...items: string[]): string =>
    `<ul>${items.map((i) => `<li>${i}</li>`).join('')}</ul>`
  never('new list items', [
    list('first item'),
    list('first item', 'second item'),
    list('first item', 'second item', 'third item'),
    list('zeroth item', 'first item', 'second item', 'third item'),
  ])
  never('a list of the latest items', [
    list('a one', 'b two'),
    list('c three', 'a one'),
    list('d four', 'c three'),
    list('e five', 'd four'),
  ])
  never('new sentences in a paragraph', [
    '<p>It rains.</p>',
    '<p>It rains. The pass is closed.</p>',
    '<p>It rains. The pass is closed. No bus goes today.</p>',
    '<p>Since five it rains. The pass is closed. No bus goes today.</p>',
  ])
  never('new paragraphs and sections', [
    '<p>One text</p>',
    '<p>One text</p><section><p>A new part</p></section>',
    '<p>One text</p><section><p>A new part</p></section><table><tr><td>7</td></tr></table>',
  ])
  never('one edited paragraph among many', [
    '<p>one a</p><p>two a</p><p>three a</p>',
    '<p>one a</p><p>two b</p><p>three a</p>',
    '<p>one a</p><p>two b</p><p>three c</p>',
    '<p>one d</p><p>two b</p><p>three c</p>',
  ])
  never('parts that are taken away', [
    list('a one', 'b two', 'c three', 'd four'),
    list('a one', 'b two', 'c three'),
    list('a one', 'c three'),
    list('c three'),
  ])
})

const sketch = (text: string): Sketch => sketchOf(quote(text), WHOLE)

describe('a mask expires', () => {
  test('seven days after the last twin that confirmed it', () => {
    const noise = after('dd', DAY)
    assert.equal(ignored(noise, 8 * DAY), 1)
    assert.equal(ignored(noise, 8 * DAY + 1), 0)
    const confirmed = learnNoise(noise, after7('plums', 'figs'), 8 * DAY)
    assert.equal(ignored(confirmed, 15 * DAY), 1)
    const late = learnNoise(noise, after7('plums', 'figs'), 9 * DAY)
    assert.equal(ignored(late, 9 * DAY), 0, 'after it expired, one twin is not enough')
  })

  test('after twenty visits in which it hid something, unless a twin confirms it', () => {
    let noise = after('dd')!
    const visit = (): void => {
      noise = countMaskedVisit(noise, [sketch('apples'), sketch('figs')], 0)
    }
    for (let count = 0; count < 19; count++) visit()
    assert.equal(ignored(noise), 1)
    const confirmed = learnNoise(noise, after7('plums', 'figs'), 0)
    visit()
    assert.equal(ignored(noise), 0)
    noise = confirmed
    visit()
    assert.equal(ignored(noise), 1)
  })
})

function after7(before: string, later: string): TwinEvidence {
  return twinEvidence(quote(before), quote(later), WHOLE)!
}

test('a person restores a region for ever, and forgetting all keeps that', () => {
  const noise = after('dd')!
  const { key, preview } = noise.regions[0]!
  assert.equal(preview, 'plums')
  const restored = restoreRegion(noise, key)!
  assert.equal(ignored(restored), 0)
  const again = [1, 2, 3].reduce((all) => learnNoise(all, after7('plums', 'figs'), 0), restored)
  assert.equal(ignored(again), 0)
  assert.equal(isUndecided(again), false)
  assert.equal(restoreRegion(noise, key + 1), null)
  assert.deepEqual(forgetNoise(noise).regions, [])
  assert.deepEqual(
    forgetNoise(again).regions.map(({ isRestored }) => isRestored),
    [true],
  )
})

describe('a warning', () => {
  const visited = (share: number, differing: number, of: number): number => {
    const noise = after('dd')!
    let warned: LearntNoise = {
      ...noise,
      regions: noise.regions.map((region) => ({ ...region, share })),
    }
    for (let count = 0; count < of; count++) {
      const now = count < differing ? 'figs' : 'apples'
      warned = countMaskedVisit(warned, [sketch('apples'), sketch(now)], 0)
    }
    return warnedRegions(warned, 0).length
  }

  test('is given when an ignored region differs in over 80 % of visits and holds over 20 % of the words', () => {
    assert.equal(visited(0.21, 5, 5), 1)
    assert.equal(visited(0.2, 5, 5), 0)
    assert.equal(visited(0.21, 8, 10), 0 + 1, 'it was given at the fifth visit')
    assert.equal(visited(0.21, 4, 5), 0)
    assert.equal(visited(0.9, 4, 4), 0, 'four visits say too little')
  })
})

test('what was learnt survives being stored, and text that is none is refused', () => {
  const noise = after('ddsd', 5)!
  assert.deepEqual(decodeNoise(encodeNoise(noise)), noise)
  const old = '{"version":1,"bits":16,"trials":1,"restless":0,"places":[[7,1]]}'
  const broken = '{"version":2,"bits":16,"twins":1,"regions":[{"key":1}]}'
  for (const bad of ['', 'null', '{}', '[]', 'x', old, broken]) {
    assert.throws(() => decodeNoise(bad), BadSketch)
  }
})

test('a twin with the same bytes counts as one in which everything stood still', () => {
  let noise = after('dd')
  for (let count = 0; count < 3; count++) noise = learnNoise(noise, STILL_TWIN, 0)
  assert.equal(ignored(noise), 0)
})
