// Goal: what tells nothing about a page is never taken for a change of it. Method: the bad answers that
// the web gives instead of a page, one by one, each with look-alikes that are real.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareSketches } from './compare.ts'
import { judgePage, type PageJudgement } from './judge-page.ts'
import { isKnownState, stateKey } from './judge-visit.ts'
import { maskFrom } from '../../test/detect/learnt-noise.ts'
import { noiseClassOf } from './noise-mask.ts'
import type { PageBody } from './page-body.ts'
import { htmlPage } from '../../test/detect/page-pairs-fixture.ts'
import { sketchOf, type Sketch } from './sketch.ts'

const WHOLE = { include: [], exclude: [] }
const sketch = (page: PageBody): Sketch => sketchOf(page, WHOLE)

const PROSE = Array.from(
  { length: 30 },
  (_, index) => `<p>Paragraph ${index} tells of the harbour and its boats.</p>`,
)
const ORDINARY = htmlPage(
  `<html><head><title>The harbour</title></head><body><h1>The harbour</h1>${PROSE.join('\n')}</body></html>`,
)

function judged(after: PageBody, before: PageBody | null = ORDINARY): PageJudgement {
  return judgePage(after, sketch(after), before === null ? null : sketch(before))
}

test('an error status never counts, whatever its body says', () => {
  for (const status of [0, 400, 403, 404, 410, 429, 500, 503]) {
    assert.deepEqual(judged({ ...ORDINARY, status }), { counts: false, reason: 'error-status' })
  }
})

test('redirects that come and go never count, and the page counts again when it is back', () => {
  for (const status of [301, 302, 303, 307, 308]) {
    assert.deepEqual(judged(htmlPage('', { status })), { counts: false, reason: 'redirect' })
  }
  assert.deepEqual(judged(ORDINARY), { counts: true, reason: null })
})

test('a truncated body never counts, reported or detected', () => {
  const html = Buffer.from(ORDINARY.body).toString()
  const half = html.slice(0, html.length / 2)
  const told = htmlPage(half, { isTruncated: true })
  assert.deepEqual(judged(told), { counts: false, reason: 'truncated' })
  assert.deepEqual(judged(htmlPage(half)), { counts: false, reason: 'truncated' })
  assert.deepEqual(judged(htmlPage(half, { status: 206 })), { counts: false, reason: 'truncated' })
  const shortened = `${html.slice(0, html.length / 2)}</p></body></html>`
  assert.equal(judged(htmlPage(shortened)).counts, true)
})

test('a page that never had an end tag is not taken for a truncated one', () => {
  const before = htmlPage('<p>one two three four<p>five six seven eight')
  assert.equal(judged(htmlPage('<p>one two three four'), before).counts, true)
})

test('an empty page where there was text does not count, and as the first version it does', () => {
  assert.deepEqual(judged(htmlPage('')), { counts: false, reason: 'empty' })
  assert.deepEqual(judged(htmlPage('<html><body> </body></html>')), {
    counts: false,
    reason: 'empty',
  })
  assert.equal(judged(htmlPage(''), null).counts, true)
  assert.equal(judged(ORDINARY, htmlPage('')).counts, true)
})

test('a page that says with status 200 that it was not found never counts', () => {
  const said = [
    '<title>404 Not Found</title><h1>Not Found</h1>',
    '<title>Shop</title><h1>Page not found</h1><p>Sorry.</p>',
    '<title>Página no encontrada</title><p>Lo sentimos</p>',
    '<h1>Página não encontrada</h1>',
    '<p>The page you requested could not be found.</p>',
    '<title>Error 404</title>',
    '<h1>La página que busca no existe</h1>',
  ]
  for (const html of said) {
    const page = htmlPage(`<html><body>${html}</body></html>`)
    assert.deepEqual(judged(page), { counts: false, reason: 'soft-404' }, html)
    assert.deepEqual(judged(page, null), { counts: false, reason: 'soft-404' }, html)
  }
})

test('a page under repair or behind a riddle never counts', () => {
  for (const title of [
    'Just a moment...',
    'Site en mantenimiento',
    'Service Unavailable',
    'Access denied',
  ]) {
    const page = htmlPage(
      `<html><head><title>${title}</title></head><body><p>${title}</p></body></html>`,
    )
    assert.deepEqual(judged(page), { counts: false, reason: 'unavailable' }, title)
  }
})

test('an article about missing pages and a product that is no longer available count', () => {
  const article = htmlPage(
    `<html><head><title>HTTP 404 Not Found explained</title></head><body>${PROSE.join('')}</body></html>`,
  )
  assert.equal(judged(article, null).counts, true)
  const shop = (state: string): PageBody =>
    htmlPage(
      `<html><head><title>Lamp</title></head><body><h1>Lamp</h1><p>A good lamp of brass, for the table.</p><p>${state}</p></body></html>`,
    )
  assert.equal(judged(shop('This product is not available'), shop('In stock')).counts, true)
})

test('a page that alternates between two versions is recognised in either of them', () => {
  const [a, b, c] = ['one', 'two', 'three'].map((word) =>
    sketch(htmlPage(`<p>version ${word}</p>`)),
  )
  const recent = [stateKey(a!), stateKey(b!)]
  assert.equal(isKnownState(recent, a!), true)
  assert.equal(isKnownState(recent, b!), true)
  assert.equal(isKnownState(recent, c!), false)
  assert.equal(compareSketches(b!, a!, { mask: null, threshold: 0 }).changed, true)
})

test('the state of a page does not depend on its noise, learnt or known', () => {
  const page = (minutes: number, teaser: string): PageBody =>
    htmlPage(
      `<p>Text that stays</p><p>${minutes} minutes ago</p><div class="teaser">${teaser}</div>`,
    )
  const at = (minutes: number, teaser: string): Sketch => sketch(page(minutes, teaser))
  assert.equal(stateKey(at(3, 'x')), stateKey(at(9, 'x')))
  const mask = maskFrom(page(3, 'apples'), page(3, 'pears'), page(3, 'apples'))
  assert.notEqual(stateKey(at(3, 'plums')), stateKey(at(3, 'pears')))
  assert.equal(stateKey(at(3, 'plums'), mask), stateKey(at(3, 'pears'), mask))
})

test('a page that changes on every fetch is marked as restless and stops being a change', () => {
  const page = (index: number): PageBody =>
    htmlPage(
      `<html><body><div class="feed">${Array.from({ length: 20 }, (_, line) => `<p>line ${index * 7 + line} of chance ${index}</p>`).join('')}</div></body></html>`,
    )
  const mask = maskFrom(page(0), page(50), page(1), page(51))
  assert.equal(noiseClassOf(mask), 'restless')
  const change = compareSketches(sketch(page(1)), sketch(page(99)), { mask, threshold: 0 })
  assert.deepEqual([change.changed, change.reasons], [false, ['changes-on-every-fetch']])
})

test('a picture that is another at every fetch is restless too', () => {
  const picture = (byte: number): PageBody => ({
    ...htmlPage(''),
    mime: 'image/png',
    body: Uint8Array.of(byte),
  })
  const image = (byte: number): Sketch => sketch(picture(byte))
  const mask = maskFrom(picture(1), picture(2), picture(3))
  assert.equal(noiseClassOf(mask), 'restless')
  assert.equal(compareSketches(image(1), image(3), { mask, threshold: 0 }).changed, false)
  assert.equal(compareSketches(image(1), image(3), { mask: null, threshold: 0 }).content, 1)
})
