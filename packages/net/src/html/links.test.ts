// Goal: every reference a browser without scripts would see is found, once, and nothing else.
// Method: one example per source of links, an independent extraction by htmlparser2, fuzz.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { Parser } from 'htmlparser2'
import { decodeAttribute, decodeTitle } from './character-references.ts'
import { srcsetUrls } from './link-syntax.ts'
import {
  extractCssLinks,
  extractLinks,
  type LinkedPage,
  type LinkOptions,
  type PageLinks,
} from './links.ts'
import { canonicalUrl } from '../url/url.ts'

const RUNS = process.env['MINGA_LONG'] === '1' ? 300_000 : 4_000
const URL_OF_PAGE = 'http://a.test/dir/page'

function extract(
  text: string,
  more: Partial<LinkedPage> = {},
  options: LinkOptions = {},
): PageLinks {
  return extractLinks({ text, url: URL_OF_PAGE, linkHeaders: [], ...more }, options)
}

/** `kind path` of each link, the host left out when it is the page's. */
function found(text: string, more: Partial<LinkedPage> = {}): string[] {
  return extract(text, more).links.map(
    ({ kind, url }) => `${kind} ${url.replace('http://a.test', '')}`,
  )
}

test('each kind of element gives its references', () => {
  const cases: [string, string[]][] = [
    ['<a href="x">', ['link /dir/x']],
    ['<area href=/x>', ['link /x']],
    ['<a name=x>', []],
    ['<svg><a xlink:href="/x"><use href="/s.svg#i"/></svg>', ['link /x', 'embed /s.svg']],
    ['<link rel=stylesheet href=s.css>', ['stylesheet /dir/s.css']],
    ['<link rel="alternate StyleSheet" href=s.css>', ['stylesheet /dir/s.css']],
    ['<link rel="shortcut icon" href=/i.ico>', ['embed /i.ico']],
    ['<link rel=next href=2><link rel=alternate href=/feed>', ['link /dir/2', 'link /feed']],
    ['<link rel=preconnect href=//cdn.test><link rel=dns-prefetch href=//cdn.test>', []],
    ['<link rel=preload imagesrcset="/1.png 1x, /2.png 2x">', ['embed /1.png', 'embed /2.png']],
    ['<link rel=canonical href=/c>', ['canonical /c']],
    ['<frame src=f1><iframe src="f2"></iframe>', ['frame /dir/f1', 'frame /dir/f2']],
    [
      '<img src=1.png srcset="2.png 1x, 3.png 2x">',
      ['embed /dir/1.png', 'embed /dir/2.png', 'embed /dir/3.png'],
    ],
    ['<picture><source srcset="a.webp"><img src=""></picture>', ['embed /dir/a.webp']],
    [
      '<video src=v poster=p><source src=w><track src=t></video>',
      ['embed /dir/v', 'embed /dir/p', 'embed /dir/w', 'embed /dir/t'],
    ],
    ['<audio src=/a></audio><embed src=/e><object data=/o>', ['embed /a', 'embed /e', 'embed /o']],
    ['<script src=/j.js>"<a href=/no>"</script>', ['embed /j.js']],
    ['<input type=image src=/b.png>', ['embed /b.png']],
    ['<body background=/bg.gif>', ['embed /bg.gif']],
    ['<form action=/f method=get><button formaction=/g>', []],
    ['<meta http-equiv=Refresh content="5; URL=\'/next\'">', ['redirect /next']],
    ['<meta http-equiv=refresh content="0;next">', ['redirect /dir/next']],
    ['<meta http-equiv=refresh content="30">', []],
    [
      '<style>@import "/i.css"; b{background:url(b.png)}</style>',
      ['stylesheet /i.css', 'embed /dir/b.png'],
    ],
    ['<p style="background: url(&quot;/p.png&quot;)">', ['embed /p.png']],
  ]
  for (const [html, expected] of cases) assert.deepEqual(found(html), expected, html)
})

test('what a browser without scripts does not see gives nothing', () => {
  const hidden = [
    [
      '<!-- <a href=x> -->',
      '<script>document.write("<a href=x>")</script>',
      '<textarea><a href=x></textarea>',
    ],
    [
      '<template><a href=x><img src=y></template>',
      '<template><template></template><a href=x></template>',
    ],
    [
      '<title><a href=x></title>',
      '<style><a href=x></style>',
      '<plaintext><a href=x>',
      '<a href="x',
    ],
    [
      '<a href="javascript:x()">',
      '<a href="mailto:a@b.test">',
      '<img src="data:image/png;base64,AAAA">',
    ],
    ['<a href="#top">', '<a href="">', '<a href="http://">', '<a data-href=x>', '<ahref=x>'],
  ].flat()
  for (const html of hidden) assert.deepEqual(found(html), [], html)
})

test('noscript and declarative shadow roots are seen', () => {
  assert.deepEqual(found('<noscript><img src=/n></noscript>'), ['embed /n'])
  assert.deepEqual(found('<template shadowrootmode=open><a href=/s></template><a href=/t>'), [
    'link /s',
    'link /t',
  ])
  assert.deepEqual(found('<template><a href=/s></template><a href=/t>'), ['link /t'])
})

test('the first base counts for the whole document, headers excepted', () => {
  const html = '<a href=x><base href="/other/"><base href="/no/"><a href=y><a href="#z">'
  assert.deepEqual(found(html), ['link /other/x', 'link /other/y', 'link /other/'])
  assert.deepEqual(found('<base href="javascript:1"><a href=x>'), ['link /dir/x'])
  assert.deepEqual(found('<base target=_blank><base href=/b/><a href=x>'), ['link /b/x'])
  assert.deepEqual(found('<base href=/b/>', { linkHeaders: ['<x>; rel=next'] }), ['link /dir/x'])
})

test('headers give links and redirects', () => {
  const linkHeaders = [
    '</s.css>; rel="stylesheet", <c>; rel=canonical; x="a,b"',
    '</n>; title="x"; rel="next"',
    'broken <',
  ]
  assert.deepEqual(found('<a href=/r><a href=/n>', { linkHeaders, location: '/r' }), [
    'redirect /r',
    'stylesheet /s.css',
    'canonical /dir/c',
    'link /n',
  ])
  assert.equal(extract('', { linkHeaders }).canonical, 'http://a.test/dir/c')
})

test('title, canonical address and directives are reported', () => {
  const page = extract(`<title> A &amp; B\n &copy;2 </title><title>no</title>
    <link rel=canonical href=/c><link rel=canonical href=/d><meta name=ROBOTS content="noindex">
    <meta name=otherbot content=nofollow>`)
  assert.deepEqual(
    { ...page, links: [] },
    {
      links: [],
      linksDropped: 0,
      title: 'A & B ©2',
      canonical: 'http://a.test/c',
      noindex: true,
      nofollow: false,
    },
  )
  const named = extract('<meta name=mingabot content=nofollow>', {}, { productToken: 'MingaBot' })
  assert.equal(named.nofollow, true)
  assert.equal(extract('<title> </title>').title, null)
})

test('links marked nofollow are left out only on request', () => {
  const html = '<a rel="external NoFollow" href=/x><a href=/y><a rel=nofollower href=/z>'
  assert.equal(extract(html).links.length, 3)
  assert.deepEqual(
    extract(html, {}, { honourNofollow: true }).links.map((link) => link.url),
    ['http://a.test/y', 'http://a.test/z'],
  )
})

test('a page gives each address once, with its first kind, ten thousand at most, and says how many are left out', () => {
  assert.deepEqual(found('<a href=x#1><img src=x><a href="./x">'), ['link /dir/x'])
  const many = Array.from({ length: 10_100 }, (_, i) => `<a href=/${i}>`).join('')
  const { links, linksDropped } = extract(`${many}${many}<a href="mailto:x">`)
  assert.deepEqual([links.length, linksDropped], [10_000, 100])
})

test('a page gives four million characters of addresses at most, however long its base is', () => {
  const many = Array.from({ length: 1_000 }, (_, i) => `<a href=${i}>`).join('')
  const base = `http://a.test/${'b'.repeat(8_000)}/`
  const { links, linksDropped } = extract(`<base href="${base}">${many}`)
  assert.deepEqual([links.length, linksDropped], [498, 502])
})

test('an address in a stylesheet that never ends is left out, and what follows is read', () => {
  const css = `a { background: url(${'x'.repeat(16_000_000)}) } b { background: url(next.png) }`
  assert.deepEqual(extractCssLinks(css, 'http://a.test/s.css'), {
    links: [{ url: 'http://a.test/next.png', kind: 'embed' }],
    linksDropped: 0,
  })
})

test('entities in attributes are decoded by the rules for attributes', () => {
  const cases: [string, string][] = [
    ['?a=1&amp;b=2', '?a=1&b=2'],
    ['?a=1&b=2&copy=3', '?a=1&b=2&copy=3'],
    ['?a=1&copy;', '?a=1©'],
    ['?a=1&copy', '?a=1©'],
    ['&#x2F;x&#47;y&amp;amp;', '/x/y&amp;'],
    ['&notit=1&lt;', '&notit=1<'],
    ['a"b&quot;c&#39;', 'a"b"c\''],
    ['& &; &#; &nosuch;', '& &; &#; &nosuch;'],
  ]
  for (const [raw, expected] of cases) assert.equal(decodeAttribute(raw), expected, raw)
})

test('the short cut for entities equals the full table', () => {
  const unit = fc.constantFrom(
    '&',
    'amp',
    ';',
    '=',
    'a',
    'copy',
    'lt',
    '#',
    '38',
    'x26',
    '/',
    '?',
    ' ',
    '"',
  )
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 12 }), (value) => {
      let expected = ''
      const parser = new Parser({ onattribute: (_, text) => void (expected = text) })
      parser.end(`<a x='${value}'>`)
      assert.equal(decodeAttribute(value), expected)
      decodeTitle(value)
    }),
    { numRuns: RUNS },
  )
})

test('srcset is split as browsers split it', () => {
  const cases: [string, string[]][] = [
    ['a.png', ['a.png']],
    ['a.png 1x,b.png 2x', ['a.png', 'b.png']],
    ['a.png, b.png', ['a.png', 'b.png']],
    ['a,b.png 1x', ['a,b.png']],
    ['  ,, a.png 100w , b.png 200w,', ['a.png', 'b.png']],
    ['a.png calc(1,2) 1x, b.png', ['a.png', 'b.png']],
    ['data:image/png;base64,AA== 1x, b.png 2x', ['data:image/png;base64,AA==', 'b.png']],
    ['', []],
    [' , ', []],
  ]
  for (const [srcset, urls] of cases) assert.deepEqual(srcsetUrls(srcset), urls, srcset)
})

test('stylesheets give imports and pictures', () => {
  const css = `@charset "utf-8"; @import url("a.css") screen; @import 'b.css';
    @namespace svg url(http://www.w3.org/2000/svg);
    /* url(no.png) */ a { background: URL( 'c.png' ), url(d\\29 .png) } @font-face { src: url(#x), url() }
    .u { content: "x"; cursor: url(data:image/png;base64,AA) } /* url(no2.png)`
  assert.deepEqual(
    extractCssLinks(css, 'http://a.test/s/s.css').links.map(
      ({ kind, url }) => `${kind} ${url.slice(13)}`,
    ),
    ['stylesheet /s/a.css', 'stylesheet /s/b.css', 'embed /s/c.png', 'embed /s/d).png'],
  )
})

test('anchors and pictures equal those that htmlparser2 finds', () => {
  const url = fc.constantFrom(
    'x',
    '/y',
    '../z',
    'http://b.test/',
    '?q=1&amp;r',
    '#f',
    'mailto:m',
    ' s ',
    'ü',
  )
  const part = fc.oneof(
    url.map((href) => `<a class=k href="${href}">t</a>`),
    url.map((src) => `<IMG alt='>' src='${src}'/>`),
    fc.constantFrom(
      'text',
      '<!-- <a href=c> -->',
      '<script>"<a href=s>"</script>',
      '<p ',
      '<p>',
      '">',
      "'",
      '<',
    ),
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 10 }), (parts) => {
      const html = parts.join('')
      const expected = new Set<string>()
      const add = (reference: string | undefined): void => {
        if (reference === undefined || reference === '' || reference.startsWith('#')) return
        const canonical = canonicalUrl(reference, URL_OF_PAGE)
        if (canonical !== null) expected.add(canonical)
      }
      const parser = new Parser({
        onopentag: (name, { href, src }) =>
          name === 'a' ? add(href) : name === 'img' ? add(src) : undefined,
      })
      parser.end(html)
      assert.deepEqual(
        extract(html).links.map((link) => link.url),
        [...expected],
      )
    }),
    { numRuns: RUNS },
  )
})

test('no text, header or address makes the extraction fail', () => {
  const unit = fc.constantFrom(
    ...[
      [
        '<a href=',
        '<img srcset="',
        '<style>',
        '</style>',
        'url(',
        '@import ',
        '<base href=',
        '<meta ',
        '/*',
      ],
      [
        'http-equiv=refresh content=',
        '0;url=',
        '"',
        "'",
        '>',
        ' ',
        '&',
        ';',
        '\\',
        '(',
        ')',
        ',',
        '//',
        '\0',
        '漢',
      ],
    ].flat(),
  )
  const text = fc.string({ unit, maxLength: 20 })
  fc.assert(
    fc.property(text, text, fc.oneof(fc.webUrl(), fc.string()), (page, header, url) => {
      const { links } = extractLinks({ text: page, url, linkHeaders: [header], location: header })
      for (const link of links) assert.equal(canonicalUrl(link.url), link.url)
      extractCssLinks(page, url)
    }),
    { numRuns: RUNS },
  )
})
