// Goal: people can say which parts of a page they watch. Method: include and exclude selectors, alone and
// together, good and bad, on pages where only one part changes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareSketches } from './compare.ts'
import { BadSelector } from './errors.ts'
import { judgePage } from './judge-page.ts'
import { htmlPage } from '../../test/detect/page-pairs-fixture.ts'
import { checkSelectors, type Selectors } from './selectors.ts'
import { sketchOf } from './sketch.ts'

const page = (price: string, news: string, deep = ''): string =>
  `<html><head><title>Lamp ${news}</title></head><body><nav class="menu">${news}</nav><main id="shop"><h1>Lamp</h1><p class="price">${price}</p><div class="news"><p>${news}</p></div>${deep}</main></body></html>`

function changes(selectors: Partial<Selectors>, before: string, after: string): boolean {
  const all = { include: [], exclude: [], ...selectors }
  const [old, fresh] = [before, after].map((html) => sketchOf(htmlPage(html), all))
  return compareSketches(old!, fresh!, { mask: null, threshold: 0 }).changed
}

test('with include only what matches counts', () => {
  const include = ['.price']
  assert.equal(changes({ include }, page('10 €', 'a'), page('10 €', 'b')), false)
  assert.equal(changes({ include }, page('10 €', 'a'), page('11 €', 'a')), true)
})

test('with exclude what matches never counts', () => {
  const exclude = ['.news', '.menu', 'title']
  assert.equal(changes({ exclude }, page('10 €', 'a'), page('10 €', 'b')), false)
  assert.equal(changes({ exclude }, page('10 €', 'a'), page('11 €', 'b')), true)
})

test('exclude wins inside what is included, and a match inside a match counts once', () => {
  const selectors = { include: ['main', 'main p', '#shop > .price'], exclude: ['.news'] }
  assert.equal(changes(selectors, page('10 €', 'a'), page('10 €', 'b')), false)
  assert.equal(changes(selectors, page('10 €', 'a'), page('11 €', 'b')), true)
})

test('selectors of today work: attributes, :has, :is, :not, nth-child', () => {
  for (const selector of [
    'p[class^=pri]',
    'main:has(.price) > p',
    ':is(p, li).price',
    'p:not(.x)',
    'main > :nth-child(2)',
  ]) {
    assert.equal(
      changes({ include: [selector] }, page('1 €', 'a'), page('2 €', 'a')),
      true,
      selector,
    )
  }
})

test('a selector that is not CSS is refused by name before anything is fetched', () => {
  for (const bad of [
    'p[',
    '..x',
    'p:nonsense-pseudo',
    ':has(',
    '>>',
    '',
    'a{}',
    '> p',
    'p >',
    '<b>',
    'p[a=]',
  ]) {
    assert.throws(
      () => checkSelectors({ include: [bad], exclude: [] }),
      (error) => error instanceof BadSelector && error.code === 'MINGA_BAD_SELECTOR',
      bad,
    )
    assert.throws(() => checkSelectors({ include: [], exclude: ['p', bad] }), BadSelector)
  }
  checkSelectors({ include: ['main > p, .x:not(.y)'], exclude: ['#ads *', 'a[href*="..<>"]'] })
})

test('when the selected part is gone, the page is judged empty and not changed', () => {
  const include = { include: ['.price'], exclude: [] }
  const before = sketchOf(htmlPage(page('10 €', 'a')), include)
  const after = htmlPage('<html><body><p>Something else</p></body></html>')
  assert.equal(judgePage(after, sketchOf(after, include), before).reason, 'empty')
})

test('a selected part that says "not available" is a change, a page with that title is not', () => {
  const include = { include: ['.price'], exclude: [] }
  const before = sketchOf(htmlPage(page('10 €', 'a')), include)
  const sold = htmlPage(page('This product is not available', 'a'))
  assert.equal(judgePage(sold, sketchOf(sold, include), before).counts, true)
  const missing = htmlPage(
    page('-', 'a').replace(/<title>.*<\/title>/, '<title>Page not found</title>'),
  )
  assert.equal(judgePage(missing, sketchOf(missing, include), before).reason, 'soft-404')
})

test('selectors are applied to pages nested a hundred thousand deep', () => {
  const deep = '<div><span>'.repeat(50_000)
  const selectors = { include: ['div span .price', '.price'], exclude: ['.news div'] }
  assert.equal(changes(selectors, page('1 €', 'a', deep), page('2 €', 'b', deep)), true)
  assert.equal(changes(selectors, page('1 €', 'a', deep), page('1 €', 'b', deep)), false)
})
