// Goal: a page is cut into the blocks that people see, however its markup is written. Method: the
// texts that a reader of parts receives, for tidy and for broken markup.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareSketches } from './compare.ts'
import { htmlPage, pagePairs } from '../../test/detect/page-pairs-fixture.ts'
import type { TextPart } from './page-parts.ts'
import { sketchPage, sketchOf } from './sketch.ts'

const WHOLE = { include: [], exclude: [] }

function parts(html: string): TextPart[] {
  const told: TextPart[] = []
  sketchPage(htmlPage(html), WHOLE, (part) => told.push(part))
  return told
}
const texts = (html: string): string[] => parts(html).map(({ text }) => text)
const isSame = (before: string, after: string): boolean =>
  !compareSketches(sketchOf(htmlPage(before), WHOLE), sketchOf(htmlPage(after), WHOLE), {
    mask: null,
    threshold: 0,
  }).changed

test('inline elements stay in their sentence and blocks stand alone', () => {
  assert.deepEqual(texts('<div>One <b>bold</b> and <i>more</i><p>Two<br>lines</p>rest</div>'), [
    'One bold and more',
    'Two lines',
    'rest',
  ])
})

test('a row of a table is one text, and blocks inside its cells are their own', () => {
  assert.deepEqual(
    texts('<table><tr><td>Name<td>12<tr><td>Other</td><td><p>a</p><p>b</p></td></tr></table>'),
    ['Name | 12', 'Other |', 'a', 'b'],
  )
})

test('end tags that browsers imply need not be there', () => {
  assert.equal(
    isSame(
      '<ul><li>a<li>b<li>c</ul><p>x<p>y',
      '<ul><li>a</li><li>b</li><li>c</li></ul><p>x</p><p>y</p>',
    ),
    true,
  )
  assert.equal(
    isSame('<dl><dt>a<dd>b<dt>c<dd>d</dl>', '<dl><dt>a</dt><dd>b</dd><dt>c</dt><dd>d</dd></dl>'),
    true,
  )
  assert.equal(isSame('<p>a<div>b</div>', '<p>a</p><div>b</div>'), true)
})

test('stray end tags do not close what is around a table', () => {
  assert.deepEqual(texts('<div id="a"><table><tr><td>x</div></p></td></tr></table>y</div>'), [
    'x',
    'y',
  ])
})

test('scripts, styles, comments, templates, hidden fields and the content of frames are left out', () => {
  const unseen =
    '<script>a</script><style>b</style><!-- c --><template><p>d</p></template><noscript>e</noscript><input type="hidden" value="f"><iframe>g</iframe><svg><text>h</text></svg><textarea>i</textarea>'
  assert.deepEqual(texts(`<p>seen</p>${unseen}<p>also</p>`), ['seen', 'also'])
})

test('links, alternative texts, buttons and descriptions are included next to the text', () => {
  const told = parts(
    '<meta name="description" content="About"><p><a href="../x?utm_source=a#top">go</a></p><img src="/i.png" alt="Bridge"><input type="submit" value="Send">',
  )
  assert.deepEqual(
    told.map(({ kind, text }) => `${kind} ${text}`),
    ['text About', 'link https://www.example.org/x', 'text go', 'image Bridge', 'text Send'],
  )
})

test('items of one list share a place, and the same list in another box has another', () => {
  const box = (id: string): string =>
    `<div id="${id}"><ul><li>a${id}</li><li>b${id}</li></ul></div>`
  const [a, b, c, d] = parts(box('news') + box('links')).map(({ place }) => place)
  assert.equal(a, b)
  assert.equal(c, d)
  assert.notEqual(a, c)
})

test('a text of megabytes without a tag is cut into sentences, so that an edit is only one of them', () => {
  const long = (word: string): string =>
    Array.from(
      { length: 30_000 },
      (_, index) => `Sentence ${index} tells of ${index === 77 ? word : 'boats'}.`,
    ).join(' ')
  const [before, after] = ['boats', 'ships'].map((word) =>
    sketchOf(htmlPage(`<p>${long(word)}</p>`), WHOLE),
  )
  const { changed, content } = compareSketches(before!, after!, { mask: null, threshold: 0 })
  assert.equal(changed, true)
  assert.ok(content < 0.001, String(content))
})

test('a change is one in both directions, with figures from 0 to 1', () => {
  for (const pair of pagePairs(6)) {
    const [before, after] = [sketchOf(pair.before, WHOLE), sketchOf(pair.after, WHOLE)]
    const there = compareSketches(before, after, { mask: null, threshold: 0 })
    const back = compareSketches(after, before, { mask: null, threshold: 0 })
    assert.equal(there.changed, back.changed, pair.kind)
    assert.ok(Math.abs(there.magnitude - back.magnitude) < 0.1, pair.kind)
    for (const figure of [there.visual, there.structural, there.content, there.magnitude]) {
      assert.ok(figure >= 0 && figure <= 1, pair.kind)
    }
  }
})
