// Goal: what changes by itself is ignored, and nothing else is hidden by it. Method: pages with a rotating
// part, fetched in succession; edits next to that part and inside it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareSketches, type Change } from './compare.ts'
import { maskFrom } from '../../test/detect/learnt-noise.ts'
import { noiseClassOf, type NoiseMask } from './noise-mask.ts'
import type { PageBody } from './page-body.ts'
import { htmlPage } from '../../test/detect/page-pairs-fixture.ts'
import { sketchOf, type Sketch } from './sketch.ts'

const WHOLE = { include: [], exclude: [] }

const page = (teaser: string, text = 'The text of the page'): PageBody =>
  htmlPage(
    `<html><body><h1>Title</h1><p>${text}</p><p>Another paragraph</p><aside class="teaser">${teaser}</aside></body></html>`,
  )
const sketch = (body: PageBody): Sketch => sketchOf(body, WHOLE)

const compared = (mask: NoiseMask | null, before: PageBody, after: PageBody): Change =>
  compareSketches(sketch(before), sketch(after), { mask, threshold: 0 })

const MASK = maskFrom(page('<p>one</p>'), page('<p>two</p>'), page('<p>four</p>'))

test('a place that differed in two twins is ignored, and the rest is not', () => {
  assert.equal(noiseClassOf(MASK), 'partly')
  const noise = compared(MASK, page('<p>one</p>'), page('<p>three</p>'))
  assert.deepEqual(
    [noise.changed, noise.hasIgnored, noise.reasons],
    [false, true, ['noise-masked']],
  )
  const edit = compared(MASK, page('<p>one</p>'), page('<p>three</p>', 'The text of this page'))
  assert.equal(edit.changed, true)
  assert.ok(edit.content > 0 && edit.structural === 0)
})

test('a list that only grew counts as a change even where it is ignored', () => {
  const list = (...items: string[]): PageBody =>
    page(`<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`)
  const mask = maskFrom(list('one', 'two'), list('three', 'four'), list('five', 'six'))
  assert.equal(compared(mask, list('one', 'two'), list('seven', 'eight')).changed, false)
  assert.equal(compared(mask, list('one', 'two'), list('one', 'two', 'new item')).changed, true)
})

test('a picture that a slot did not show while its noise was learnt is noise with its neighbours', () => {
  const dressed = page('<p>three</p><figure><a href="/x"><img src="/x.png"></a></figure>')
  assert.equal(compared(MASK, page('<p>one</p>'), dressed).changed, false)
  const neighbour = htmlPage(
    '<html><body><h1>Title</h1><p>The text of the page</p><p>Another paragraph</p><figure><img src="/y.png"></figure><aside class="teaser"><p>one</p></aside></body></html>',
  )
  assert.equal(compared(MASK, page('<p>one</p>'), neighbour).changed, true)
})

test('a mask learnt on a small page still holds when the page has grown beyond its places', () => {
  const grown = (teaser: string, boxes: number): PageBody => {
    const all = Array.from({ length: boxes }, (_, index) => {
      const name = index.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)]!)
      return `<section class="s${name}"><p>Box ${name}</p></section>`
    })
    const rest = `<aside class="teaser"><p>${teaser}</p></aside>`
    return htmlPage(`<h1>Title</h1>${all.join('')}${rest}`)
  }
  const mask = maskFrom(grown('one', 9), grown('two', 9), grown('one', 9))
  assert.equal(mask?.bits, 16)
  assert.ok(sketch(grown('one', 900)).placeBits < 16)
  assert.equal(compared(mask, grown('three', 900), grown('four', 900)).changed, false)
})
