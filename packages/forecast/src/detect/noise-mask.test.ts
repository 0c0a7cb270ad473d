// Goal: what differs between two fetches in succession is noise, and nothing else is hidden by it.
// Method: pages with a rotating part, fetched twice; edits beside and inside that part.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareSketches, type Change } from './compare.ts'
import { BadSketch } from './errors.ts'
import { decodeMask, encodeMask, learnNoise, noiseClassOf, type NoiseMask } from './noise-mask.ts'
import { htmlPage } from './page-pairs-fixture.ts'
import { sketchOf, type Sketch } from './sketch.ts'

const page = (teaser: string, text = 'The text of the page'): Sketch =>
  sketchOf(
    htmlPage(
      `<html><body><h1>Title</h1><p>${text}</p><p>Another paragraph</p><aside class="teaser">${teaser}</aside></body></html>`,
    ),
    { include: [], exclude: [] },
  )

const compared = (mask: NoiseMask | null, before: Sketch, after: Sketch): Change =>
  compareSketches(before, after, { mask, threshold: 0 })

test('a place that differed between two fetches is noise ever after, and the rest is not', () => {
  const mask = learnNoise(null, page('<p>one</p>'), page('<p>two</p>'))
  assert.equal(noiseClassOf(mask), 'partly')
  const noise = compared(mask, page('<p>one</p>'), page('<p>three</p>'))
  assert.deepEqual([noise.changed, noise.reasons], [false, ['noise-masked']])
  const edit = compared(mask, page('<p>one</p>'), page('<p>three</p>', 'The text of this page'))
  assert.equal(edit.changed, true)
  assert.ok(edit.content > 0 && edit.structural === 0)
})

test('a picture that a slot did not show while its noise was learnt is noise with its neighbours', () => {
  const mask = learnNoise(null, page('<p>one</p>'), page('<p>two</p>'))
  const dressed = page('<p>three</p><figure><a href="/x"><img src="/x.png"></a></figure>')
  assert.equal(compared(mask, page('<p>one</p>'), dressed).changed, false)
  const beside = sketchOf(
    htmlPage(
      '<html><body><h1>Title</h1><p>The text of the page</p><p>Another paragraph</p><figure><img src="/y.png"></figure><aside class="teaser"><p>one</p></aside></body></html>',
    ),
    { include: [], exclude: [] },
  )
  assert.equal(compared(mask, page('<p>one</p>'), beside).changed, true)
})

test('two equal fetches teach nothing, and a place that stood still five times is forgotten', () => {
  const quiet = learnNoise(null, page('same'), page('same'))
  assert.equal(noiseClassOf(quiet), 'quiet')
  let mask = learnNoise(quiet, page('one'), page('two'))
  for (let trial = 0; trial < 4; trial++) mask = learnNoise(mask, page('still'), page('still'))
  assert.equal(compared(mask, page('one'), page('two')).changed, false)
  mask = learnNoise(mask, page('still'), page('still'))
  assert.equal(compared(mask, page('one'), page('two')).changed, true)
})

test('a mask survives being stored and bytes that are none are refused', () => {
  const mask = learnNoise(learnNoise(null, page('a'), page('b')), page('c'), page('d'))
  assert.deepEqual(decodeMask(encodeMask(mask)), mask)
  for (const bad of ['', 'null', '{}', '[]', '{"version":1}', '{"version":2,"places":[]}', 'x']) {
    assert.throws(() => decodeMask(bad), BadSketch)
  }
})

test('a mask learnt on a small page still holds when the page has grown beyond its places', () => {
  const grown = (teaser: string): Sketch => {
    const boxes = Array.from({ length: 900 }, (_, index) => {
      const name = index.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)]!)
      return `<section class="s${name}"><p>Box ${name}</p></section>`
    })
    const rest = `<aside class="teaser"><p>${teaser}</p></aside>`
    return sketchOf(htmlPage(`<h1>Title</h1>${boxes.join('')}${rest}`), {
      include: [],
      exclude: [],
    })
  }
  const mask = learnNoise(null, grown('one'), grown('two'))
  assert.ok(mask.bits < 16)
  assert.equal(compared(mask, grown('three'), grown('four')).changed, false)
})
