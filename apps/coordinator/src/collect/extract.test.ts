// Goal: every kind of document leads to what it names and to nothing else. Method: whole crawls of
// small synthetic sites, read by the agent's own recorder, judged by which addresses were asked
// for.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { CollectionRequest, CollectionStatus } from '@minga/protocol'
import { openStation, type Web } from '../../test/station-fixture.ts'

const station = await openStation()

interface Crawled {
  status: CollectionStatus
  /** Addresses with a capture, in order of name, robots.txt left out. */
  asked: string[]
}

/** Every site has a name of its own, so that one station serves all tests. */
async function crawl(web: Web, request: CollectionRequest): Promise<Crawled> {
  const status = await station.crawl(request, web)
  const rows = await station.captures(`?collectionId=${status.id}`)
  const asked = rows.map(({ url }) => url).filter((url) => !url.endsWith('/robots.txt'))
  return { status, asked: asked.toSorted() }
}

test('links, embedded things and stylesheets of a page are followed inside the scope', async () => {
  const { asked, status } = await crawl(
    {
      'http://html.test/': {
        body: `<base href="/dir/"><a href="a">a</a> <a href="http://else.test/">out</a>
          <link rel="stylesheet" href="/style.css"><img src="i.png" srcset="i2.png 2x">
          <a href="mailto:x@y.test">m</a> <a href="http://[bad">b</a> <a href="#top">t</a>`,
      },
      'http://html.test/style.css': {
        type: 'text/css',
        body: '@import "more.css"; p { background: url(bg.png) }',
      },
    },
    { seeds: ['http://html.test/'] },
  )
  assert.deepEqual(asked, [
    'http://html.test/',
    'http://html.test/bg.png',
    'http://html.test/dir/',
    'http://html.test/dir/a',
    'http://html.test/dir/i.png',
    'http://html.test/dir/i2.png',
    'http://html.test/more.css',
    'http://html.test/style.css',
  ])
  assert.equal(status.pages, 2)
})

test('a page at the greatest depth brings what it is shown with, but no further pages', async () => {
  const web: Web = {
    'http://depth.test/': { body: '<a href="/1">' },
    'http://depth.test/1': { body: '<a href="/2"><img src="/i.png">' },
  }
  const { asked } = await crawl(web, { seeds: ['http://depth.test/'], maxDepth: 1 })
  assert.deepEqual(asked, ['http://depth.test/', 'http://depth.test/1', 'http://depth.test/i.png'])
  const bare: Web = { 'http://bare.test/': { body: '<img src="/i.png"><a href="/1">' } }
  const without = await crawl(bare, { seeds: ['http://bare.test/'], embeds: false })
  assert.deepEqual(without.asked, ['http://bare.test/', 'http://bare.test/1'])
})

test('sitemaps that robots.txt names are read to the last one, packed or not', async () => {
  const loc = (...urls: string[]): string => urls.map((url) => `<loc>${url}</loc>`).join('')
  const web: Web = {
    'http://map.test/robots.txt': {
      type: 'text/plain',
      body: 'Sitemap: /index.xml\nSitemap: http://far.test/theirs.xml\nSitemap: http://[bad\n',
    },
    'http://map.test/': { body: 'no links here' },
    'http://map.test/index.xml': {
      type: 'application/xml',
      body: `<sitemapindex><sitemap>${loc('http://map.test/pages.xml.gz')}</sitemap></sitemapindex>`,
    },
    'http://map.test/pages.xml.gz': {
      type: 'application/gzip',
      body: gzipSync(
        `<urlset><url>${loc('http://map.test/deep')}</url><url>${loc('http://far.test/')}</url></urlset>`,
      ),
    },
  }
  const { asked } = await crawl(web, { seeds: ['http://map.test/'] })
  assert.deepEqual(asked, [
    'http://map.test/',
    'http://map.test/deep',
    'http://map.test/index.xml',
    'http://map.test/pages.xml.gz',
  ])
})

test('without sitemaps, or for a single page, robots.txt leads nowhere', async () => {
  for (const [name, more] of [
    ['nomap', { sitemaps: false }],
    ['onepage', { scope: 'page' }],
  ] as const) {
    const web: Web = {
      [`http://${name}.test/robots.txt`]: { type: 'text/plain', body: 'Sitemap: /map.xml' },
    }
    const { asked } = await crawl(web, { seeds: [`http://${name}.test/`], ...more })
    assert.deepEqual(asked, [`http://${name}.test/`])
  }
})

test('what robots.txt forbids is never asked for and counted as denied', async () => {
  const web: Web = {
    'http://no.test/robots.txt': {
      type: 'text/plain',
      body: Buffer.concat([
        Buffer.from([0xef, 0xbb, 0xbf]),
        Buffer.from('User-agent: *\nDisallow: /x'),
      ]),
    },
    'http://no.test/': { body: '<a href="/x">x</a><a href="/y">y</a>' },
  }
  const { asked, status } = await crawl(web, { seeds: ['http://no.test/'] })
  assert.deepEqual(asked, ['http://no.test/', 'http://no.test/y'])
  assert.deepEqual([status.denied, status.errors], [1, { MINGA_ROBOTS_DENIED: 1 }])
})

test('a redirect is a capture, its target is the next; a seed may move out of its scope', async () => {
  const moved = (to: string) => ({ status: 301, headers: [['Location', to]] as [string, string][] })
  const web: Web = {
    'http://old.test/': moved('http://new.test/'),
    'http://new.test/': { body: '<a href="/out">out</a><a href="/in">in</a>' },
    'http://new.test/in': moved('/there'),
    'http://new.test/out': moved('http://third.test/'),
  }
  const { asked, status } = await crawl(web, { seeds: ['http://old.test/'] })
  assert.deepEqual(asked, [
    'http://new.test/',
    'http://new.test/in',
    'http://new.test/out',
    'http://new.test/there',
    'http://old.test/',
  ])
  const [now] = await station.store.call('collectionStatus', { id: status.id })
  assert.deepEqual(now?.spec.seeds, ['http://old.test/', 'http://new.test/'])
})

test('a Location of an answer that is no redirect leads nowhere', async () => {
  const headers: [string, string][] = [['Location', '/elsewhere']]
  const web: Web = { 'http://located.test/': { body: 'here', headers } }
  const { asked } = await crawl(web, { seeds: ['http://located.test/'] })
  assert.deepEqual(asked, ['http://located.test/'])
})

test('redirects and links to private addresses are refused, never asked for', async () => {
  const web: Web = {
    'http://trick.test/': { body: '<a href="http://127.0.0.1/">1</a><a href="/r">2</a>' },
    'http://trick.test/r': { status: 302, headers: [['Location', 'http://169.254.169.254/']] },
    'http://trick.test/robots.txt': { type: 'text/plain', body: 'Sitemap: http://10.0.0.1/s.xml' },
  }
  const { asked, status } = await crawl(web, { seeds: ['http://trick.test/'], scope: 'any' })
  assert.deepEqual(asked, ['http://trick.test/', 'http://trick.test/r'])
  assert.deepEqual(status.errors, { MINGA_ADDRESS_REFUSED: 3 })
})

test('a Refresh header leads on as a meta refresh does', async () => {
  const seed = 'http://fresh.test/'
  const next = [`${seed}b`, `${seed}caf%C3%A9`, `${seed}d`]
  const web: Web = {
    [seed]: {
      headers: [['Refresh', '0; url=/b']],
      body: '<meta http-equiv=refresh content="1;/d">',
    },
    [next[0]!]: { type: 'text/plain', headers: [['refresh', "5;URL='/caf\u00C3\u00A9'"]] },
    [next[2]!]: { status: 404, headers: [['Refresh', '0; url=/never']] },
  }
  const { asked } = await crawl(web, { seeds: [seed] })
  assert.deepEqual(asked.toSorted(), [seed, ...next].toSorted())
})

test('links beyond the limit of one page are counted', async () => {
  const seed = 'http://many.test/'
  const body = Array.from({ length: 10_007 }, (_, i) => `<a href="/${i}">`).join('')
  const { status } = await crawl({ [seed]: { body } }, { seeds: [seed], scope: 'page' })
  assert.equal(status.linksDropped, 7)
})

test('an address with an empty query is another one than the address without', async () => {
  const seed = 'http://query.test/'
  const body = '<a href="/q"><a href="/q?"><a href="/q?#a"><a href="/~a"><a href="/%7Ea">'
  const { asked } = await crawl({ [seed]: { body } }, { seeds: [seed] })
  const next = ['q', 'q?', '~a', '%7Ea'].map((path) => seed + path)
  assert.deepEqual(asked.toSorted(), [seed, ...next].toSorted())
})

test('nofollow is obeyed when the collection says so', async () => {
  for (const [name, obeyNofollow] of [
    ['shy', true],
    ['bold', false],
  ] as const) {
    const seed = `http://${name}.test/`
    const web: Web = { [seed]: { body: '<meta name="robots" content="nofollow"><a href="/1">' } }
    const { asked } = await crawl(web, { seeds: [seed], obeyNofollow })
    assert.deepEqual(asked, obeyNofollow ? [seed] : [seed, `${seed}1`])
  }
})

test('a wrong, unknown or missing charset loses neither links nor the page', async () => {
  const page = '<title>Grüße</title><a href="/ä">ä</a>'
  const pages: [name: string, type: string, body: Buffer][] = [
    ['utf8', 'text/html; charset=utf-8', Buffer.from(page)],
    ['nope', 'text/html; charset=no-such-thing', Buffer.from(page)],
    ['none', 'text/html', Buffer.from(page)],
    ['latin', 'text/html; charset=ISO-8859-1', Buffer.from(page, 'latin1')],
    ['wide', 'text/html; charset=utf-16le', Buffer.from(page, 'utf16le')],
  ]
  for (const [name, type, body] of pages) {
    const seed = `http://${name}.test/`
    const { asked } = await crawl({ [seed]: { type, body } }, { seeds: [seed] })
    assert.deepEqual(asked, [seed, `${seed}%C3%A4`], name)
    const [row] = await station.captures(`?url=${seed}`)
    assert.equal(row?.title, 'Grüße', name)
  }
  // Not what it says it is: whatever is read from it, the station must take it.
  const seed = 'http://lying.test/'
  const lying = { [seed]: { type: 'text/html; charset=utf-8', body: Buffer.from(page, 'utf16le') } }
  const { status } = await crawl(lying, { seeds: [seed] })
  assert.equal(status.pages, 1)
})

test('a redirected robots.txt counts for the host that asked, also from another host', async () => {
  const web: Web = {
    'http://asks.test/robots.txt': { status: 301, headers: [['Location', 'http://rules.test/r']] },
    'http://rules.test/r': { type: 'text/plain', body: 'User-agent: *\nDisallow: /x' },
    'http://asks.test/': { body: '<a href="/x">x</a><a href="/y">y</a>' },
  }
  const { asked, status } = await crawl(web, { seeds: ['http://asks.test/'] })
  assert.deepEqual(
    asked.filter((url) => url.startsWith('http://asks.test/')),
    ['http://asks.test/', 'http://asks.test/y'],
  )
  assert.deepEqual(status.errors, { MINGA_ROBOTS_DENIED: 1 })
})
