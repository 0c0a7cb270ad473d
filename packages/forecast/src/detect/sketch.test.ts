// Goal: what is remembered of a page is small, survives storing, and any bytes whatever can be sketched.
// Method: properties over drawn pages and bytes, hostile pages, and a page of 20 MB.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { compareSketches } from './compare.ts'
import { BadSketch } from './errors.ts'
import { largePage } from '../../test/detect/large-page-fixture.ts'
import { htmlPage, pagePairs } from '../../test/detect/page-pairs-fixture.ts'
import { decodeSketch, encodeSketch } from './sketch-format.ts'
import { sketchOf, type Sketch } from './sketch.ts'

const WHOLE = { include: [], exclude: [] }
const sketch = (html: string): Sketch => sketchOf(htmlPage(html), WHOLE)
const differ = (before: Sketch, after: Sketch): boolean =>
  compareSketches(before, after, { mask: null, threshold: 0 }).changed

test('a sketch survives being stored', () => {
  for (const pair of pagePairs(3)) {
    const before = sketchOf(pair.before, WHOLE)
    assert.deepEqual(decodeSketch(encodeSketch(before)), before)
  }
  const pdf = sketchOf(htmlPage('%PDF-1.7', { mime: 'application/pdf' }), WHOLE)
  assert.deepEqual(decodeSketch(encodeSketch(pdf)), pdf)
})

test('the sketch of an ordinary page takes no more than four kilobytes', () => {
  const sizes = pagePairs(4).map(({ before }) => encodeSketch(sketchOf(before, WHOLE)).length)
  assert.ok(Math.max(...sizes) <= 4_096, `${Math.max(...sizes)} bytes`)
})

test('a sketch takes no more than 16 kilobytes even when every element of a page is of its own kind', () => {
  const boxes = Array.from({ length: 20_000 }, (_, index) => {
    const name = index.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)]!)
    return `<section id="${name}" class="${name}q"><p class="${name}z" style="top:${index}px">this is text number ${index} of the page ${name}</p></section>`
  })
  const size = encodeSketch(sketch(`<html><body>${boxes.join('')}</body></html>`)).length
  assert.ok(size <= 16_384, `${size} bytes`)
})

test('one changed word in a page of 20 MB is found, in seconds and without keeping the page', () => {
  const start = performance.now()
  const before = sketchOf(largePage(20_000_000), WHOLE)
  const after = sketchOf(largePage(20_000_000, { isEdited: true }), WHOLE)
  const seconds = (performance.now() - start) / 1_000
  assert.ok(encodeSketch(before).length <= 16_384)
  assert.equal(differ(before, before), false)
  assert.equal(differ(before, after), true)
  assert.ok(seconds < 60, `${seconds} s for two pages`)
})

test('the time for a hostile page grows with its length, not with the square of it', () => {
  const units = [
    '<div>',
    '<ul><li>',
    '<table><tr><td>',
    '1',
    '12 ',
    '<',
    '&amp;',
    '<a b=',
    'lun ',
    '</p>',
  ]
  for (const unit of units) {
    // The best of three: other programs share the machine.
    const took = (bytes: number): number =>
      Math.min(
        ...[1, 2, 3].map(() => {
          const start = performance.now()
          sketch(unit.repeat(bytes / unit.length))
          return performance.now() - start
        }),
      )
    const [short, long] = [took(250_000), took(2_000_000)]
    // Eight times as long; a square would be sixty-four times. Small times are mostly waiting.
    assert.ok(long < 28 * Math.max(short, 20), `${unit}: ${short} ms, then ${long} ms`)
  }
})

test('a hundred thousand open elements do not overflow anything', () => {
  for (const name of ['div', 'b', 'p', 'li', 'table', 'svg', 'ins']) {
    const deep = `<${name}>`.repeat(100_000)
    assert.ok(differ(sketch(`${deep}one`), sketch(`${deep}two`)) || name === 'svg', name)
  }
})

test('a JSON document nested a hundred thousand deep and broken XML are read as far as they go', () => {
  const json = htmlPage(`${'['.repeat(100_000)}1${']'.repeat(100_000)}`, {
    mime: 'application/json',
  })
  assert.equal(sketchOf(json, WHOLE).kind, 'json')
  const xml = htmlPage(`<a>${'<b>'.repeat(100_000)}text`, { mime: 'text/xml' })
  assert.equal(sketchOf(xml, WHOLE).words, 1)
})

test('names from the prototype of objects are ordinary names', () => {
  const hostile = `<constructor __proto__="a" class="__proto__ constructor toString" id="hasOwnProperty">x</constructor><__proto__>y`
  assert.equal(differ(sketch(hostile), sketch(hostile)), false)
  assert.equal(differ(sketch(hostile), sketch(hostile.replace('>x<', '>z<'))), true)
})

test('a tag with a million attributes and a class of a megabyte cost no more than their length', () => {
  const attributes = Array.from({ length: 200_000 }, (_, index) => `a${index}=1`).join(' ')
  assert.equal(sketch(`<p ${attributes}>text</p>`).words, 1)
  assert.equal(sketch(`<p class="${'ad-x '.repeat(200_000)}">text</p>`).words, 0)
})

test('no bytes whatever make the detector fail', () => {
  const mimes = [
    'text/html',
    'text/plain',
    'application/json',
    'text/xml',
    'application/pdf',
    '',
    'a/b;;',
  ]
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 400 }),
      fc.constantFrom(...mimes),
      fc.constantFrom(null, 'utf-8', 'shift_jis', 'utf-16le', 'nonsense', ''),
      (body, mime, charset) => {
        const page = { ...htmlPage(''), body, mime, charset }
        const one = sketchOf(page, WHOLE)
        assert.equal(differ(one, decodeSketch(encodeSketch(one))), false)
      },
    ),
    { seed: 7, numRuns: 600 },
  )
})

test('no markup whatever makes the detector fail, and the same markup is the same page', () => {
  const piece = fc.constantFrom(
    '<p>',
    '</p>',
    '<li',
    ' class="a b"',
    '>',
    '<table>',
    '<td>',
    '<!--',
    '-->',
    '<svg>',
    '</svg>',
    '<title>',
    'text ',
    '&copy;',
    '&#x0;',
    '<script>',
    '</script>',
    '"',
    '<input type=hidden>',
    '<a href="x?y=z">',
    '\u0000',
    '12:30',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const html = pieces.join('')
      const one = sketch(html)
      assert.equal(differ(one, sketch(html)), false)
      assert.deepEqual(decodeSketch(encodeSketch(one)), one)
    }),
    { seed: 11, numRuns: 600 },
  )
})

test('bytes that are no sketch are refused with one error, whatever they are', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        decodeSketch(bytes)
      } catch (error) {
        assert.ok(error instanceof BadSketch)
      }
    }),
    { seed: 5, numRuns: 500 },
  )
  const good = encodeSketch(sketch('<p>text</p>'))
  assert.throws(() => decodeSketch(good.subarray(0, good.length - 1)), BadSketch)
  assert.throws(() => decodeSketch(Uint8Array.of(9, ...good.subarray(1))), /version 9/)
})

test('a page is the same in any charset it declares', () => {
  const text = '<html><body><p>Último año en São Paulo</p></body></html>'
  const utf8 = sketchOf(htmlPage(text), WHOLE)
  const latin = { ...htmlPage(''), body: Buffer.from(text, 'latin1'), charset: 'iso-8859-1' }
  assert.equal(differ(utf8, sketchOf(latin, WHOLE)), false)
  const wide = { ...htmlPage(''), body: Buffer.from(`\ufeff${text}`, 'utf16le'), charset: null }
  assert.equal(differ(utf8, sketchOf(wide, WHOLE)), false)
})

test('an empty page has a sketch, and text on it is a change', () => {
  const empty = sketch('')
  assert.equal(empty.words, 0)
  assert.equal(differ(empty, sketch('<p>Something at last</p>')), true)
})
