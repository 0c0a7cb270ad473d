// Goal: feeds of every dialect tell the same, wrong dates follow the written rules, and nothing that
// calls itself a feed does harm. Method: small feeds by hand, dates one by one, random bytes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { discoverSources, parseFeed, type Feed } from './feed.ts'
import { webDate } from './feed-date.ts'

const NOW = Date.UTC(2026, 4, 6, 12)
const URL = 'https://a.test/blog/feed.xml'
const read = (text: string): Feed => parseFeed(Buffer.from(text), URL, { now: NOW })
const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())
const shown = ({ items }: Feed): unknown[] =>
  items.map(({ id, url, title, updatedAt }) => [id, url, title, iso(updatedAt)])

test('RSS 2.0 and its ancestors are read, with hub and address of their own', () => {
  const feed = read(`<?xml version="1.0"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel>
  <title>News &amp; more</title><link>https://a.test/</link>
  <atom:link rel="hub" href="https://hub.test/"/><atom:link rel="self" href="/blog/feed.xml"/>
  <item><title><![CDATA[One <b>bold</b>]]></title><link> one </link>
    <guid isPermaLink="false">tag:1</guid><pubDate>Wed, 06 May 2026 10:00:00 +0200</pubDate></item>
  <item><title>Two</title><guid>https://a.test/two#top</guid><dc:date>2026-05-05</dc:date></item>
  <item><description>No name</description></item>
  <item><itunes:title>Other</itunes:title><title>Three</title></item>
</channel></rss>`)
  assert.equal(feed.kind, 'rss')
  assert.equal(feed.title, 'News & more')
  assert.deepEqual([feed.hubs, feed.self], [['https://hub.test/'], URL])
  assert.deepEqual(shown(feed), [
    ['tag:1', 'https://a.test/blog/one', 'One bold', '2026-05-06T08:00:00.000Z'],
    ['https://a.test/two#top', 'https://a.test/two', 'Two', '2026-05-05T00:00:00.000Z'],
    ['Three', null, 'Three', null],
  ])
  assert.deepEqual(feed.problems, ['an item has neither an id nor an address nor a title'])
})

test('RSS 1.0 is read, whose items are next to the channel', () => {
  const feed =
    read(`<rdf:RDF xmlns="http://purl.org/rss/1.0/"><channel rdf:about="x"><title>Old</title></channel>
<item rdf:about="https://a.test/1"><title>A</title><link>https://a.test/1</link><dc:date>2026-05-01T00:00Z</dc:date></item>
</rdf:RDF>`)
  assert.deepEqual([feed.kind, feed.title], ['rss', 'Old'])
  assert.deepEqual(shown(feed), [
    ['https://a.test/1', 'https://a.test/1', 'A', '2026-05-01T00:00:00.000Z'],
  ])
})

test('Atom is read, whose links have kinds', () => {
  const feed = read(`<feed xmlns="http://www.w3.org/2005/Atom"><title>Atom</title>
<link rel="hub" href="https://hub.test/a"/><link rel="self" href="https://a.test/atom"/>
<entry><id>urn:1</id><title type="html">&lt;i&gt;One&lt;/i&gt; &amp;amp; two</title>
  <link rel="edit" href="https://a.test/edit"/><link href="/1"/>
  <published>2026-05-01T00:00:00Z</published><updated>2026-05-02T00:00:00Z</updated></entry>
</feed>`)
  assert.equal(feed.kind, 'atom')
  assert.deepEqual([feed.hubs, feed.self], [['https://hub.test/a'], 'https://a.test/atom'])
  assert.deepEqual(shown(feed), [
    ['urn:1', 'https://a.test/1', 'One & two', '2026-05-02T00:00:00.000Z'],
  ])
})

test('dates of feeds are read as they are written, and wrong ones follow the rules', () => {
  const cases: [string, string | null][] = [
    ['2026-05-06T10:00:00Z', '2026-05-06T10:00:00.000Z'],
    ['2026-05-06T10:00:00.123+02:00', '2026-05-06T08:00:00.000Z'],
    ['2026-05', '2026-05-01T00:00:00.000Z'],
    ['Tue, 05 May 2026 10:00 EST', '2026-05-05T15:00:00.000Z'],
    ['5 May 26 10:00:00 GMT', '2026-05-05T10:00:00.000Z'],
    ['Tuesday, 05-May-26 10:00:00 UTC', '2026-05-05T10:00:00.000Z'],
    // Without a zone: UTC.
    ['2026-05-06 10:00:00', '2026-05-06T10:00:00.000Z'],
    ['Tue, 05 May 2026 10:00:00', '2026-05-05T10:00:00.000Z'],
    // A little ahead: now. Far ahead: not known.
    ['2026-05-06T13:00:00Z', '2026-05-06T12:00:00.000Z'],
    ['2026-05-07T11:59:00Z', '2026-05-06T12:00:00.000Z'],
    ['2026-05-07T12:01:00Z', null],
    ['2038-01-19', null],
    // Placeholders and mistakes.
    ['Thu, 01 Jan 1970 00:00:00 GMT', null],
    ['0000-00-00 00:00:00', null],
    ['2026-02-31', null],
    ['2026-13-01', null],
    ['2026-05-06T25:00:00Z', null],
    ['2026-05-06T10:00:00+99:00', null],
    ['Tue, 05 May 2026 10:00:00 XYZ', null],
    ['yesterday', null],
    ['', null],
    ['1777777777', null],
  ]
  for (const [text, expected] of cases) assert.equal(iso(webDate(text, NOW)), expected, text)
})

test('a date is never later than now, and never older than the web', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), fc.date({ noInvalidDate: true }), (junk, date) => {
      for (const text of [junk, date.toISOString(), date.toUTCString()]) {
        const at = webDate(text, NOW)
        assert.ok(at === null || (at <= NOW && at >= Date.UTC(1990, 0, 1)))
      }
    }),
    { seed: 5, numRuns: 500 },
  )
})

test('broken, endless, foreign and empty feeds give what can be read and say what was wrong', () => {
  const cut = '<rss><channel><item><title>A</title><link>https://a.test/a</link></item><item><tit'
  assert.deepEqual(shown(read(cut)), [['https://a.test/a', 'https://a.test/a', 'A', null]])
  assert.ok(read(cut).problems.length > 0)
  const entities = '<rss><channel><item><title>Caf&eacute; &nbsp;x</title></item></channel></rss>'
  assert.equal(read(entities).items.length, 1)
  for (const text of ['', 'not a feed', '<html><body>No</body></html>', '{"items":[]}']) {
    assert.deepEqual([read(text).kind, read(text).items], ['unknown', []])
    assert.ok(read(text).problems.length > 0, text)
  }
  const many = `<rss><channel>${'<item><title>x</title></item>'.repeat(2_000)}</channel></rss>`
  assert.equal(read(many).items.length, 1_000)
  const latin = Buffer.from(
    '<?xml version="1.0" encoding="iso-8859-1"?><rss><channel><title>Peña</title></channel></rss>',
    'latin1',
  )
  assert.equal(parseFeed(latin, URL, { now: NOW }).title, 'Peña')
})

test('any bytes at all are read as a feed without an exception', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, isWrapped) => {
      const start = Buffer.from(isWrapped ? '<feed><entry>' : '')
      const feed = parseFeed(Buffer.concat([start, bytes]), URL, { now: NOW })
      assert.ok(feed.items.length <= 1_000)
    }),
    { seed: 5, numRuns: 500 },
  )
})

test('a page says where its feeds and its hub are, in its head or in its headers', () => {
  const { feeds, hubs, self } = discoverSources({
    url: 'https://a.test/x/',
    linkHeaders: ['<https://hub.test/h>; rel="hub", <https://a.test/topic>; rel=self'],
    text: `<html><head><base href="https://b.test/y/">
<link rel="alternate" type="application/rss+xml" title="RSS" href="feed?a=1&amp;b=2">
<LINK REL="Alternate" TYPE="application/atom+xml; charset=utf-8" HREF="/atom">
<link rel="alternate" hreflang="es" href="/es"><link rel="stylesheet" href="s.css">
<link rel="hub" href="https://hub.test/h2"><link rel="self" href="/other">
<link rel="alternate" type="application/rss+xml" href="mailto:x@y.test">
</head></html>`,
  })
  assert.deepEqual(feeds, ['https://b.test/y/feed?a=1&b=2', 'https://b.test/atom'])
  assert.deepEqual(hubs, ['https://hub.test/h', 'https://hub.test/h2'])
  assert.equal(self, 'https://a.test/topic')
})
