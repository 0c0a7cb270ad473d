// Goal: links of old pages lead where browsers go. Method: addresses as Chromium writes them, and any text at all.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { extractLinks } from './links.ts'
import { readPageContent } from './page-content.ts'
import { withQueryIn } from './query-charset.ts'

test('a query is written in the charset of its page', () => {
  const cases: [string, string, string][] = [
    ['windows-1252', '/s?q=é€', '/s?q=%E9%80'],
    ['windows-1251', '?q=Мир', '?q=%CC%E8%F0'],
    ['koi8-r', '?q=Мир', '?q=%ED%C9%D2'],
    ['iso-8859-2', '?q=ž', '?q=%BE'],
    ['shift_jis', '?q=テスト', '?q=%83e%83X%83g'],
    ['shift_jis', '?q=ﾃ∪纊', '?q=%C3%81%BE%FA\\'],
    ['euc-jp', '?q=テ', '?q=%A5%C6'],
    ['euc-kr', '?q=한글', '?q=%C7%D1%B1%DB'],
    ['gbk', '?q=中文€', '?q=%D6%D0%CE%C4%80'],
    ['gb18030', '?q=中€', '?q=%D6%D0%A2%E3'],
    ['big5', '?q=中文十', '?q=%A4%A4%A4%E5%A4Q'],
  ]
  for (const [charset, reference, expected] of cases) {
    assert.equal(withQueryIn(charset, reference), expected, charset)
  }
})

test('what the charset lacks is sent as a form would send it', () => {
  assert.equal(withQueryIn('windows-1252', '?q=я😀'), '?q=%26%231103%3B%26%23128512%3B')
  assert.equal(withQueryIn('windows-1252', '?q=\ud83d!'), '?q=%26%2365533%3B!')
})

test('paths, fragments, escapes and pages in Unicode stay as they are', () => {
  for (const reference of ['/é', '/é#?é', '#?é', '?q=e', '?q=%C3%A9', '']) {
    assert.equal(withQueryIn('windows-1252', reference), reference)
  }
  assert.equal(withQueryIn('windows-1252', '/é?é#é'), '/é?%E9#é')
  for (const charset of ['utf-8', 'utf-16le', 'iso-2022-jp']) {
    assert.equal(withQueryIn(charset, '?q=é'), '?q=é')
  }
})

test('links, images and sets of images of a page are written so, headers and styles are not', () => {
  const text = [
    '<a href="/suche?q=&eacute;">x</a><img src="/bild?n=ü" srcset="/bild?n=ö 2x">',
    '<p style="background:url(/stil?n=ä)"></p>',
  ].join('')
  const url = 'https://alt.example/'
  const linkHeaders = ['</kopf?n=ß>; rel="next"']
  const { links } = extractLinks({ text, charset: 'windows-1252', url, linkHeaders })
  assert.deepEqual(links.map((link) => link.url.slice(url.length)).toSorted(), [
    'bild?n=%F6',
    'bild?n=%FC',
    'kopf?n=%C3%9F',
    'stil?n=%C3%A4',
    'suche?q=%E9',
  ])
})

test('the charset is the one in which the page was read', () => {
  const body = Buffer.from('<meta charset=windows-1251><a href="?q=\xcc\xe8\xf0">', 'latin1')
  const { links } = readPageContent(
    {
      url: 'https://alt.example/',
      kind: 'page',
      status: 200,
      headers: [['Content-Type', 'text/html']],
      body,
    },
    'MingaBot',
  )
  assert.deepEqual(links, ['https://alt.example/?q=%CC%E8%F0'])
})

test('any query in any charset keeps its ASCII and becomes nothing but ASCII', () => {
  const charsets = ['windows-1252', 'shift_jis', 'big5', 'gb18030', 'euc-kr', 'iso-8859-7']
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.constantFrom(...charsets),
      (text, charset) => {
        const query = text.replaceAll('#', '')
        const written = withQueryIn(charset, `?${query}`)
        assert.match(written, /^[\0-\x7f]*$/)
        if (/^[\0-\x7f]*$/.test(query)) assert.equal(written, `?${query}`)
      },
    ),
  )
})
