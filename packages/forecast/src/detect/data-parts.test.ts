// Goal: documents that are no pages are compared by what they are made of. Method: text, JSON, feeds,
// sitemaps and binaries with changes that count and changes that do not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareSketches, type Change } from './compare.ts'
import { htmlPage } from '../../test/detect/page-pairs-fixture.ts'
import { sketchOf } from './sketch.ts'

function change(mime: string, before: string | Uint8Array, after: string | Uint8Array): Change {
  const [old, fresh] = [before, after].map((body) =>
    sketchOf({ ...htmlPage(''), mime, body: Buffer.from(body) }, { include: [], exclude: [] }),
  )
  return compareSketches(old!, fresh!, { mask: null, threshold: 0 })
}

test('plain text is compared by lines: line ends do not count and one changed line is a share of all', () => {
  const lines = Array.from({ length: 100 }, (_, index) => `line number ${index} of the file`)
  assert.equal(
    change('text/plain', lines.join('\n'), `${lines.join('\r\n')}\r\n\r\n`).changed,
    false,
  )
  const { content } = change(
    'text/plain',
    lines.join('\n'),
    lines.with(7, 'quite another line').join('\n'),
  )
  assert.ok(content > 0.002 && content < 0.03, String(content))
})

test('JSON is compared by keys: order, spacing and the time of the answer do not count', () => {
  const data = {
    name: 'Lamp',
    price: 10,
    tags: ['a', 'b'],
    generated_at: '2026-01-01T00:00:00Z',
    nonce: 'x1',
  }
  const turned = {
    nonce: 'y2',
    generated_at: '2027-01-01T00:00:00Z',
    tags: ['b', 'a'],
    price: 10,
    name: 'Lamp',
  }
  const json = 'application/json'
  assert.equal(change(json, JSON.stringify(data), JSON.stringify(turned, null, 2)).changed, false)
  assert.equal(
    change(json, JSON.stringify(data), JSON.stringify({ ...data, price: 11 })).changed,
    true,
  )
  assert.equal(change('application/ld+json', '{"a":1}', '{"a":"1"}').changed, true)
  assert.equal(change(json, '{"a":1}', '{"a":1,"b":null}').changed, true)
})

test('JSON that is broken or very large is compared as text', () => {
  assert.equal(change('application/json', '{"a":1', '{"a":2').changed, true)
  const large = JSON.stringify(
    Array.from({ length: 200_000 }, (_, index) => ({ id: index, name: `n${index}` })),
  )
  assert.equal(change('application/json', large, large.replace('"n777"', '"x777"')).changed, true)
})

const feed = (items: string[], built: string): string =>
  `<?xml version="1.0"?><rss><channel><title>News</title><lastBuildDate>${built}</lastBuildDate><pubDate>${built}</pubDate>${items.map((title) => `<item><title>${title}</title><link>http://a.example/${title}</link><pubDate>Mon, 04 May 2026 10:00:00 GMT</pubDate></item>`).join('')}</channel></rss>`

test('a feed is compared by items: when it was built and the order of items do not count', () => {
  const rss = 'application/rss+xml'
  const before = feed(['one', 'two', 'three'], 'Mon, 04 May 2026 10:00:00 GMT')
  assert.equal(
    change(rss, before, feed(['three', 'one', 'two'], 'Tue, 05 May 2026 10:00:00 GMT')).changed,
    false,
  )
  const grown = change(
    rss,
    before,
    feed(['zero', 'one', 'two', 'three'], 'Tue, 05 May 2026 10:00:00 GMT'),
  )
  assert.ok(grown.content > 0.05 && grown.content < 0.5)
})

test('a sitemap is compared by its entries, and a date of an entry counts', () => {
  const map = (entries: [string, string][]): string =>
    `<urlset>${entries.map(([url, day]) => `<url><loc>${url}</loc><lastmod>${day}</lastmod></url>`).join('')}</urlset>`
  const before = map([
    ['http://a.example/1', '2026-05-01'],
    ['http://a.example/2', '2026-05-02'],
  ])
  const turned = map([
    ['http://a.example/2', '2026-05-02'],
    ['http://a.example/1', '2026-05-01'],
  ])
  assert.equal(change('text/xml', before, turned).changed, false)
  assert.equal(change('application/xml', before, before.replace('05-02', '05-03')).changed, true)
})

test('CDATA and Atom links are part of an item', () => {
  const atom = (text: string, href: string): string =>
    `<feed><updated>2026-05-01T00:00:00Z</updated><entry><link href="${href}"/><summary><![CDATA[${text}]]></summary></entry></feed>`
  const before = atom('<p>old</p>', '/a')
  assert.equal(change('application/atom+xml', before, atom('<p>new</p>', '/a')).changed, true)
  assert.equal(change('application/atom+xml', before, atom('<p>old</p>', '/b')).changed, true)
  assert.equal(
    change('application/atom+xml', before, before.replace('2026', '2027')).changed,
    false,
  )
})

test('a binary is compared by its bytes alone: the same or wholly changed', () => {
  for (const mime of ['application/pdf', 'image/png', 'application/octet-stream']) {
    const [before, after] = [Uint8Array.of(0, 1, 2, 0), Uint8Array.of(0, 1, 2, 1)]
    assert.equal(change(mime, before, before).changed, false)
    const { content, magnitude, reasons } = change(mime, before, after)
    assert.deepEqual([content, magnitude, reasons], [1, 1, ['bytes']])
  }
})

test('a document that became one of another kind has changed wholly', () => {
  const old = sketchOf(htmlPage('<p>text</p>'), { include: [], exclude: [] })
  const fresh = sketchOf(htmlPage('%PDF', { mime: 'application/pdf' }), {
    include: [],
    exclude: [],
  })
  const { content, reasons } = compareSketches(old, fresh, { mask: null, threshold: 0 })
  assert.deepEqual([content, reasons], [1, ['kind']])
})

test('a type that says nothing is inferred from the first bytes', () => {
  const kind = (body: string, mime = ''): string =>
    sketchOf(htmlPage(body, { mime }), { include: [], exclude: [] }).kind
  assert.equal(kind(' \n<!DOCTYPE html><p>x'), 'html')
  assert.equal(kind('<html lang="en">'), 'html')
  assert.equal(kind('<?xml version="1.0"?><rss/>'), 'xml')
  assert.equal(kind('{"a":1}'), 'json')
  assert.equal(kind('hello', 'text/plain'), 'text')
  assert.equal(kind('a\u0000b', 'application/octet-stream'), 'binary')
})
