// Goal: whatever form of address or title a user writes, the same page of the right wiki is looked for.
// Method: a table of addresses as MediaWiki writes them, titles in languages, and what must be refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { BadWikiAddress } from '../errors.ts'
import { SITE, TICKET } from '../../test/api/answer-fixture.ts'
import { candidatesOf, firstStep, readWikiAddress, wantedOn } from './wiki-address.ts'

function apis(text: string): string[] {
  return candidatesOf(text)
    .filter(({ kind }) => kind === 'api')
    .map(({ url }) => url)
}

test('Extract by title/url/locale: every form of a page address names the same page', () => {
  const forms = [
    'https://en.wikipedia.org/wiki/AC/DC',
    'https://en.wikipedia.org/wiki/AC%2FDC',
    'https://en.wikipedia.org/w/index.php?title=AC/DC&action=history',
    'https://en.wikipedia.org/w/index.php?action=edit&title=AC%2FDC#top',
    'https://en.wikipedia.org/w/index.php/AC/DC',
    'https://en.m.wikipedia.org/wiki/AC/DC#History',
    'http://en.wikipedia.org/wiki/AC/DC?oldid=12',
    '//en.wikipedia.org/wiki/AC/DC',
    'en.wikipedia.org/wiki/AC/DC',
    '  https://en.wikipedia.org/wiki/AC/DC  ',
  ]
  for (const form of forms) {
    const { wanted, url, locale } = readWikiAddress(form)
    assert.equal(wanted.title, 'AC/DC', form)
    assert.equal(new URL(url).hostname, 'en.wikipedia.org', form)
    assert.equal(locale, 'en', form)
  }
})

test('Extract by title/url/locale: titles keep their escapes, signs and scripts', () => {
  const titles: [string, string][] = [
    ['https://wiki.example/wiki/C%2B%2B', 'C++'],
    ['https://wiki.example/wiki/C++', 'C++'],
    ['https://wiki.example/w/index.php?title=C%2B%2B', 'C++'],
    ['https://wiki.example/w/index.php?title=Black+cat', 'Black cat'],
    ['https://wiki.example/wiki/Black_cat', 'Black cat'],
    ['https://wiki.example/wiki/%E6%9D%B1%E4%BA%AC', '東京'],
    ['https://wiki.example/wiki/100%', '100%'],
    ['https://wiki.example/wiki/Talk:Caf%C3%A9_?action=history', 'Talk:Café'],
    ['https://wiki.example/index.php/Caf%C3%A9', 'Café'],
    ['https://wiki.example/Short_path', 'Short path'],
    ['https://zh.wikipedia.org/zh-hant/%E8%B2%93', '貓'],
    ['https://wiki.example/mediawiki/index.php?title=:File:A.png', 'File:A.png'],
  ]
  for (const [url, title] of titles) assert.equal(readWikiAddress(url).wanted.title, title, url)
})

test('Extract by title/url/locale: numbers of pages and revisions are asked for as such', () => {
  const { wanted } = readWikiAddress('https://wiki.example/w/index.php?curid=42')
  assert.deepEqual(wanted, { title: null, pageId: 42, revId: null })
  for (const url of [
    'https://wiki.example/w/index.php?oldid=77',
    'https://wiki.example/wiki/Special:Permalink/77',
    'https://wiki.example/wiki/Special:PermanentLink/77',
    'https://wiki.example/wiki/Special:Diff/76/77',
  ]) {
    assert.deepEqual(readWikiAddress(url).wanted, { title: null, pageId: null, revId: 77 }, url)
  }
  const api = readWikiAddress('https://wiki.example/api.php?action=query&titles=Cat&format=json')
  assert.equal(api.wanted.title, 'Cat')
  assert.equal(readWikiAddress('https://wiki.example/').wanted.title, null)
  assert.equal(readWikiAddress('https://wiki.example/wiki/').wanted.title, null)
})

test('Extract by title/url/locale: a title goes to the default wiki in its language', () => {
  const host = (text: string, options = {}) => new URL(readWikiAddress(text, options).url).host
  assert.equal(host('RabbitMQ'), 'en.wikipedia.org')
  assert.equal(host('RabbitMQ', { locale: 'es' }), 'es.wikipedia.org')
  assert.equal(host('es:RabbitMQ'), 'es.wikipedia.org')
  assert.equal(host('ES:RabbitMQ', { locale: 'fr' }), 'es.wikipedia.org')
  assert.equal(host('zh-yue:貓'), 'zh-yue.wikipedia.org')
  assert.equal(host('simple:Cat'), 'simple.wikipedia.org')
  assert.equal(readWikiAddress('es:RabbitMQ').wanted.title, 'RabbitMQ')
  assert.equal(readWikiAddress('es:RabbitMQ').locale, 'es')
  const voyage = { defaultWiki: 'https://en.wikivoyage.org/', locale: 'de' }
  assert.equal(host('Berlin', voyage), 'de.wikivoyage.org')
  const own = { defaultWiki: 'https://wiki.example/', locale: 'es' }
  assert.equal(host('Berlin', own), 'wiki.example')
  assert.equal(readWikiAddress('es:Berlin', own).wanted.title, 'es:Berlin')
  assert.equal(readWikiAddress('Berlin', own).locale, null)
  assert.equal(host('Berlin', { defaultWiki: 'wiki.example' }), 'wiki.example')
})

test('Extract by title/url/locale: a namespace is no language, and an address brings its own', () => {
  for (const title of [
    'Help:Contents',
    'Talk:Cat',
    'AC/DC',
    'Node.js',
    'WP:About',
    'Dr. No/Cast',
  ]) {
    const { url, wanted } = readWikiAddress(title)
    assert.equal(new URL(url).host, 'en.wikipedia.org', title)
    assert.equal(wanted.title, title)
  }
  const { url, locale } = readWikiAddress('https://fr.wikipedia.org/wiki/Chat', { locale: 'es' })
  assert.equal(new URL(url).host, 'fr.wikipedia.org')
  assert.equal(locale, 'fr')
  assert.equal(readWikiAddress('https://commons.m.wikimedia.org/wiki/A').locale, null)
  assert.equal(
    new URL(readWikiAddress('https://m.wikidata.org/wiki/Q1').url).host,
    'www.wikidata.org',
  )
})

test('what leads nowhere is refused with a reason', () => {
  for (const text of ['', '   ', 'ftp://wiki.example/', 'https://', ':#only a fragment']) {
    if (text.startsWith('ftp')) {
      // Not an address of the web, so it can only be a title; the wiki judges it.
      assert.equal(readWikiAddress(text).wanted.title, text)
    } else assert.throws(() => readWikiAddress(text), BadWikiAddress, text)
  }
  assert.throws(() => readWikiAddress('Cat', { locale: 'not a language' }), BadWikiAddress)
  assert.throws(() => readWikiAddress('Cat', { defaultWiki: 'https://' }), BadWikiAddress)
})

test('api.php is looked for where the address says it most surely is', () => {
  assert.equal(
    apis('https://wiki.example/deep/api.php?action=help')[0],
    'https://wiki.example/deep/api.php',
  )
  assert.equal(
    apis('https://wiki.example/m/index.php?title=A')[0],
    'https://wiki.example/m/api.php',
  )
  assert.equal(apis('https://wiki.example/wiki/A')[0], 'https://wiki.example/w/api.php')
  const [page, ...others] = candidatesOf('https://wiki.example/A?action=history&x=1')
  assert.deepEqual(page, { kind: 'page', url: 'https://wiki.example/A?x=1' })
  assert.deepEqual(
    others.map(({ url }) => new URL(url).pathname),
    ['/w/api.php', '/api.php', '/wiki/api.php', '/mediawiki/api.php'],
  )
  const step = firstStep(readWikiAddress('https://wiki.example/wiki/A'), TICKET)
  assert.equal(step.kind, 'siteinfo')
  assert.equal(firstStep(readWikiAddress('https://wiki.example/A'), TICKET).kind, 'discover')
})

test('a title is read again when the wiki has reported where its articles are', () => {
  const site = { ...SITE, articlePath: '/docs/$1' }
  const address = readWikiAddress('https://wiki.example/docs/Black_cat/Tail')
  assert.equal(address.wanted.title, 'docs/Black cat/Tail')
  assert.equal(wantedOn(site, address).title, 'Black cat/Tail')
  const whole = { ...SITE, articlePath: 'https://wiki.example/docs/$1' }
  assert.equal(wantedOn(whole, address).title, 'Black cat/Tail')
  const plain = readWikiAddress('Black cat', { defaultWiki: 'https://wiki.example/' })
  assert.equal(wantedOn(SITE, plain).title, 'Black cat')
})

test('any text gives an address or a refusal, never a crash', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl(), fc.webPath()), (text) => {
      try {
        const { candidates, url } = readWikiAddress(text)
        assert.ok(candidates.length > 0)
        assert.ok(URL.canParse(url))
      } catch (error) {
        assert.ok(error instanceof BadWikiAddress, String(error))
      }
    }),
    { seed: 6, numRuns: 500 },
  )
})
