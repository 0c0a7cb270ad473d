// Goal: the words of a page are those that people read. Method: small pages of each kind.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pageText } from './page-text.ts'

const textOf = (body: string | Buffer, mime = 'text/html'): string | null =>
  pageText({
    url: 'http://a.test/',
    mime,
    status: 200,
    body: Buffer.from(body),
    charset: null,
    isTruncated: false,
  })
const wordsOf = (body: string, mime?: string): string[] =>
  textOf(body, mime)!
    .split(/\s+/)
    .filter((word) => word !== '')

test('scripts, styles and comments are not read, title, text and what stands behind them are', () => {
  const page =
    '<html><head><title>One</title><style>two{}</style><meta name="x" content="three"></head><body><script>four()</script>five<!-- six --><p>seven</body></html>'
  assert.deepEqual(wordsOf(page), ['One', 'five', 'seven'])
})

test('a word whose letters only look different is one word, and blocks part words', () => {
  assert.deepEqual(wordsOf('<p>D<b>ou</b>ro<p>rio<br>Tejo<ul><li>a<li>b</ul>'), [
    'Douro',
    'rio',
    'Tejo',
    'a',
    'b',
  ])
})

test('XML, JSON and plain text have words, a picture has none', () => {
  assert.deepEqual(wordsOf('<?xml version="1.0"?><r><t>one</t><t>two</t></r>', 'text/xml'), [
    'one',
    'two',
  ])
  assert.match(textOf('{"title":"rio"}', 'application/json')!, /rio/)
  assert.equal(textOf('plain', 'text/plain'), 'plain')
  assert.equal(textOf(Buffer.from([137, 80, 78, 71, 0]), 'image/png'), null)
})
