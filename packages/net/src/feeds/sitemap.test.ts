// Goal: every form of sitemap and feed gives its pages, and no file can hurt the reader.
// Method: one example per form, bombs and broken files, fuzz of mutated documents.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { threadMs } from '@minga/testkit'
import * as fc from 'fast-check'
import { parseSitemap, type Sitemap } from './sitemap.ts'

const RUNS = process.env['MINGA_LONG'] === '1' ? 50_000 : 1_000

function parse(text: string, limits = {}): Sitemap {
  return parseSitemap(Buffer.from(text), limits)
}

function locs(sitemap: Sitemap): string[] {
  return sitemap.entries.map((entry) => entry.loc)
}

const URLSET = `<?xml version="1.0" encoding="UTF-8"?>
<!-- made by hand -->
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
  <url>
    <loc> http://a.test/x?a=1&amp;b=2 </loc>
    <lastmod>2026-01-02</lastmod><changefreq>Daily</changefreq><priority>0.8</priority>
    <image:image><image:loc>http://a.test/picture.png</image:loc></image:image>
  </url>
  <url><loc><![CDATA[http://a.test/ü]]></loc><priority>7</priority></url>
  <url><lastmod>2026</lastmod></url>
</urlset>`

test('a urlset gives its pages with what is said about them, pictures excluded', () => {
  assert.deepEqual(parse(URLSET), {
    kind: 'urlset',
    entries: [
      { loc: 'http://a.test/x?a=1&b=2', lastmod: '2026-01-02', changefreq: 'daily', priority: 0.8 },
      { loc: 'http://a.test/%C3%BC' },
    ],
    problems: [],
  })
})

test('a sitemap index gives its sitemaps', () => {
  const text =
    '<sitemapindex><sitemap><loc>http://a.test/1.xml.gz</loc><lastmod>2026</lastmod></sitemap></sitemapindex>'
  assert.deepEqual(parse(text).entries, [{ loc: 'http://a.test/1.xml.gz', lastmod: '2026' }])
  assert.equal(parse(text).kind, 'index')
})

test('prefixes and wrong namespaces are ignored', () => {
  const text =
    '<s:urlset xmlns:s="http://wrong"><s:url><s:loc>http://a.test/</s:loc></s:url></s:urlset>'
  assert.deepEqual(locs(parse(text)), ['http://a.test/'])
})

test('gzip is recognised by its bytes, and a file cut short gives its first part', () => {
  const packed = gzipSync(Buffer.from(URLSET))
  assert.equal(parseSitemap(packed).entries.length, 2)
  const many = `<urlset>${Array.from({ length: 500 }, (_, i) => `<url><loc>http://a.test/${i * 7919}</loc></url>`).join('')}</urlset>`
  const cut = gzipSync(Buffer.from(many))
  const half = parseSitemap(cut.subarray(0, cut.length / 2))
  assert.ok(half.entries.length > 50 && half.entries.length < 500)
  assert.ok(half.problems.length > 0)
})

test('plain text lists are read line by line', () => {
  const sitemap = parse(
    '\ufeffhttp://a.test/1\r\n\r\n  https://a.test/2\nnonsense\nhttp://a.test/3',
  )
  assert.equal(sitemap.kind, 'text')
  assert.deepEqual(locs(sitemap), ['http://a.test/1', 'https://a.test/2', 'http://a.test/3'])
  assert.deepEqual(sitemap.problems, ['not a web address: nonsense'])
})

test('RSS, RDF and Atom give the pages of their items', () => {
  const rss = `<rss version="2.0"><channel><link>http://a.test/</link><atom:link rel="self" href="http://a.test/feed"/>
    <item><title>x &amp; y</title><link>http://a.test/1</link><pubDate>Mon, 06 Sep 2021 00:01:00 +0000</pubDate></item>
    <item><link>/2</link></item></channel></rss>`
  assert.deepEqual(parse(rss, { baseUrl: 'http://a.test/feed' }), {
    kind: 'feed',
    entries: [
      { loc: 'http://a.test/1', lastmod: 'Mon, 06 Sep 2021 00:01:00 +0000' },
      { loc: 'http://a.test/2' },
    ],
    problems: [],
  })
  const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><link href="http://a.test/"/><entry>
    <link rel="edit" href="http://a.test/edit"/><link href="http://a.test/1"/><updated>2026-01-01T00:00:00Z</updated>
    <source><link href="http://b.test/"/></source></entry></feed>`
  assert.deepEqual(parse(atom).entries, [
    { loc: 'http://a.test/1', lastmod: '2026-01-01T00:00:00Z' },
  ])
  assert.deepEqual(locs(parse('<rdf:RDF><item><link>http://a.test/1</link></item></rdf:RDF>')), [
    'http://a.test/1',
  ])
})

test('other documents give nothing and say so', () => {
  for (const text of [
    '',
    'hello',
    '{"a":1}',
    '<html><body><a href="http://a.test/">x</a></body></html>',
    '<',
    '<?xml',
  ]) {
    const sitemap = parse(text)
    assert.equal(sitemap.kind, 'unknown', text)
    assert.deepEqual(sitemap.entries, [])
  }
})

test('entities beyond those of XML are not expanded', () => {
  const bomb = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
    <urlset><url><loc>http://a.test/&b;</loc></url><url><loc>http://a.test/ok</loc></url></urlset>`
  const sitemap = parse(bomb)
  assert.ok(locs(sitemap).includes('http://a.test/ok'))
  assert.ok(locs(sitemap).every((loc) => !loc.includes('aaaa')))
  assert.ok(sitemap.problems.length > 0)
})

test('broken XML gives what stands before the break', () => {
  const sitemap = parse('<urlset><url><loc>http://a.test/1</loc></url><url><loc>http://a.te')
  assert.deepEqual(locs(sitemap), ['http://a.test/1'])
  assert.ok(sitemap.problems.length > 0)
})

test('entries, bytes and decompression are limited', () => {
  const line = (i: number): string => `<url><loc>http://a.test/${i}</loc></url>`
  const many = `<urlset>${Array.from({ length: 50_010 }, (_, i) => line(i)).join('')}</urlset>`
  const sitemap = parse(many)
  assert.equal(sitemap.entries.length, 50_000)
  assert.deepEqual(sitemap.problems, ['only the first 50000 entries were read'])
  assert.equal(parse('http://a.test/1\n'.repeat(10), { maxEntries: 3 }).entries.length, 3)
  assert.ok(parse(many, { maxBytes: 1_000 }).entries.length < 30)
  const bomb = gzipSync(Buffer.alloc(60 * 1024 * 1024, 32))
  const refused = parseSitemap(bomb)
  assert.equal(refused.entries.length, 0)
  assert.match(refused.problems.join(), /could not be decompressed/)
})

test('addresses have sixteen million characters together, and elements a hundred levels, at most', () => {
  const long = `http://a.test/${'b'.repeat(8_000)}`
  const { entries, problems } = parse(
    Array.from({ length: 2_100 }, (_, i) => `${long}${i}`).join('\n'),
  )
  assert.equal(entries.length, 1_996)
  assert.deepEqual(problems, ['only the first 1996 entries were read'])
  const deep = parse(`<urlset>${'<q>'.repeat(200)}`)
  assert.ok(deep.problems.includes('its elements are nested too deeply'))
})

test('long lines and deep nesting take linear time', () => {
  const start = threadMs()
  parse('http://a.test/\n' + 'x'.repeat(5_000_000))
  parse('http://a.test/' + '\r'.repeat(300_000))
  parse('<urlset>' + '<url>'.repeat(100_000))
  parse(`<urlset><url><loc>${'x'.repeat(5_000_000)}</loc></url></urlset>`)
  assert.ok(threadMs() - start < 5_000)
})

test('no bytes make it throw', () => {
  const edit = fc.tuple(fc.nat(URLSET.length), fc.nat(30), fc.string({ maxLength: 5 }))
  const mutated = fc.array(edit, { maxLength: 5 }).map((edits) => {
    let text = URLSET
    for (const [at, cut, insert] of edits) text = text.slice(0, at) + insert + text.slice(at + cut)
    return Buffer.from(text)
  })
  const packed = fc.tuple(mutated, fc.nat(100)).map(([bytes, at]) => {
    const gzip = gzipSync(bytes)
    gzip[at % gzip.length] = 0x55
    return gzip
  })
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array(), mutated, packed), (bytes) => {
      for (const { loc } of parseSitemap(bytes).entries) assert.match(loc, /^https?:\/\//)
    }),
    { numRuns: RUNS },
  )
})
