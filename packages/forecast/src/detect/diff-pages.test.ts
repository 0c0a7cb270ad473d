// Goal: people see what came, went, moved and was edited, and a hostile page cannot escape from the view.
// Method: small pages with known differences, properties over drawn texts, the views as text and HTML.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { diffPages, type PageDiff } from './diff-pages.ts'
import { diffAsHtml, diffAsText, diffSideBySide } from './diff-views.ts'
import { largePage } from '../../test/detect/large-page-fixture.ts'
import { maskFrom } from '../../test/detect/learnt-noise.ts'
import type { PageBody } from './page-body.ts'
import { htmlPage, pagePairs } from '../../test/detect/page-pairs-fixture.ts'
import { diffWords } from './word-diff.ts'

const WHOLE = { include: [], exclude: [] }
const diff = (before: string, after: string): PageDiff =>
  diffPages(htmlPage(before), htmlPage(after), { selectors: WHOLE })
const kinds = ({ blocks }: PageDiff): string[] => blocks.map(({ kind }) => kind)
const list = (items: string[]): string => `<ul><li>${items.join('</li><li>')}</li></ul>`

test('added, removed and edited blocks are distinguished', () => {
  const result = diff(
    '<h1>Title</h1><p>The first paragraph is long enough to be known again.</p><p>This one goes.</p><p>End of it.</p>',
    '<h1>Title</h1><p>The first paragraph is short enough to be known again.</p><p>End of it.</p><p>Altogether new words.</p>',
  )
  assert.deepEqual(kinds(result), ['same', 'edited', 'removed', 'same', 'added'])
  assert.deepEqual(
    result.blocks[1]?.words?.filter(({ kind }) => kind !== 'same'),
    [
      { kind: 'removed', text: 'long' },
      { kind: 'added', text: 'short' },
    ],
  )
  assert.equal(result.changed, true)
})

test('a re-ordered list is shown as moved and is no change', () => {
  const result = diff(list(['one', 'two', 'three', 'four']), list(['four', 'one', 'two', 'three']))
  assert.deepEqual(kinds(result), ['moved', 'same', 'same', 'same'])
  assert.equal(result.changed, false)
  assert.match(diffAsText(result), /^No change: parts only moved\.\n> four/)
})

test('repeated blocks are matched one to one', () => {
  const result = diff(list(['x', 'x', 'x', 'y']), list(['x', 'x', 'y']))
  assert.deepEqual(kinds(result).toSorted(), ['removed', 'same', 'same', 'same'])
})

test('noise is shown as it stands and not as a difference', () => {
  const result = diff(
    '<h1>T</h1><p>12 comments, 3 minutes ago</p>',
    '<h1>T</h1><p>14 comments, 9 minutes ago</p>',
  )
  assert.deepEqual(result.blocks[1], {
    kind: 'same',
    before: '12 comments, 3 minutes ago',
    after: '14 comments, 9 minutes ago',
  })
})

test('a changed link target and a changed alternative text are shown', () => {
  const result = diff(
    '<p><a href="/a">x</a></p><img src="/i" alt="old">',
    '<p><a href="/b">x</a></p><img src="/i" alt="new">',
  )
  const text = diffAsText(result)
  assert.match(text, /\+ → .*\/section|\+ → \{\+https:\/\/www\.example\.org\/b\+\}/)
  assert.match(text, /\{\+\[new\]\+\}/)
})

test('what differs in an ignored region is shown with the label "ignored as noise"', () => {
  const page = (teaser: string, text = 'text'): PageBody =>
    htmlPage(`<h1>T</h1><p>${text}</p><aside class="r"><b>${teaser}</b></aside>`)
  const mask = maskFrom(page('one'), page('two'), page('one'))
  const options = { selectors: WHOLE, mask }
  const result = diffPages(page('one'), page('three'), options)
  assert.equal(result.changed, false)
  assert.deepEqual(kinds(result), ['same', 'same', 'edited'])
  assert.deepEqual(
    result.blocks.map(({ isIgnored }) => isIgnored),
    [undefined, undefined, true],
  )
  assert.match(diffAsText(result), /^No change: only regions differ that are ignored as noise\.$/m)
  assert.match(diffAsText(result), /^~ ignored as noise: \+ \{\+three\+\}$/m)
  for (const html of [diffAsHtml(result, { title: 'T' }), diffSideBySide(result)]) {
    assert.match(html, /class="edited ignored"/)
    assert.match(html, /<small>ignored as noise<\/small>/)
  }
  const edited = diffPages(page('one'), page('three', 'other words'), options)
  assert.equal(edited.changed, true)
  assert.equal(edited.blocks.filter(({ isIgnored }) => isIgnored).length, 1)
})

test('the words of an edited block give back both versions, whatever they are', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', 'dd', 'e1'), { minLength: 1, maxLength: 30 })
  fc.assert(
    fc.property(text, text, (before, after) => {
      const runs = diffWords(before.join(' '), after.join(' '))
      const side = (not: string): string =>
        runs
          .filter(({ kind }) => kind !== not)
          .map((run) => run.text)
          .join(' ')
      assert.equal(side('added'), before.join(' '))
      assert.equal(side('removed'), after.join(' '))
    }),
    { seed: 3, numRuns: 500 },
  )
})

test('every block of both versions is shown exactly once, whatever the versions', () => {
  const blocks = fc.array(fc.integer({ min: 0, max: 8 }), { maxLength: 25 })
  fc.assert(
    fc.property(blocks, blocks, (before, after) => {
      const page = (numbers: number[]): string => list(numbers.map((n) => `item w${n} of the list`))
      const result = diff(page(before), page(after))
      const count = (side: 'before' | 'after'): string[] =>
        result.blocks
          .flatMap((block) => (block[side] === undefined ? [] : [block[side]]))
          .toSorted()
      const expected = (numbers: number[]): string[] =>
        numbers.map((n) => `item w${n} of the list`).toSorted()
      assert.deepEqual(count('before'), expected(before))
      assert.deepEqual(count('after'), expected(after))
    }),
    { seed: 4, numRuns: 400 },
  )
})

test('the views are escaped, hold no script and nothing that is fetched', () => {
  const hostile =
    '<p>&lt;script&gt;alert(1)&lt;/script&gt; &lt;img src=x onerror=alert(1)&gt; " \' &amp;</p>'
  const result = diff('<p>before words</p>', hostile)
  const title = '</title><script>alert(2)</script>'
  for (const html of [
    diffAsHtml(result, { title }),
    diffSideBySide(result, { title, before: '<b>', after: '"' }),
  ]) {
    assert.doesNotMatch(html, /<script|<img|<iframe|<link|javascript:|https?:|@import|url\(/i)
    assert.match(html, /&lt;script&gt;/)
    assert.match(html, /<!doctype html>/)
  }
})

test('the side-by-side view has a row per block and marks words on both sides', () => {
  const result = diff('<p>one two three four five</p>', '<p>one two three four six</p>')
  const html = diffSideBySide(result)
  assert.match(
    html,
    /<td>one two three four <del>five<\/del><\/td><td>one two three four <ins>six<\/ins><\/td>/,
  )
})

test('the text view shows neighbours of a difference and sums up the rest', () => {
  const items = Array.from({ length: 40 }, (_, index) => `entry number ${index} of forty`)
  const text = diffAsText(diff(list(items), list(items.with(20, 'entry number 20 of fifty'))))
  assert.equal(text.split('\n').filter((line) => line.startsWith('@@')).length, 2)
  assert.match(text, /- entry number 20 of \[-forty-\]\n\+ entry number 20 of \{\+fifty\+\}/)
  assert.match(text, /^Changed: content \d/)
})

test('binaries have figures and no blocks', () => {
  const pdf = (text: string): PageDiff['content'] =>
    diffPages(
      htmlPage('%PDF 1', { mime: 'application/pdf' }),
      htmlPage(text, { mime: 'application/pdf' }),
      { selectors: WHOLE },
    ).content
  assert.equal(pdf('%PDF 2'), 1)
  assert.equal(pdf('%PDF 1'), 0)
})

test('the difference of two pages of 5 MB is cut at a readable length, and says so', () => {
  const result = diffPages(largePage(5_000_000), largePage(5_000_000, { isEdited: true }), {
    selectors: WHOLE,
  })
  assert.equal(result.changed, true)
  assert.equal(result.truncatedAt, 20_000)
  assert.match(diffAsText(result), /Only the first 20000 blocks/)
})

test('figures of a difference are those of the comparison, for every kind of pair', () => {
  for (const pair of pagePairs(5)) {
    const result = diffPages(pair.before, pair.after, { selectors: WHOLE })
    const differs = result.blocks.some(({ kind }) => kind !== 'same' && kind !== 'moved')
    if (result.content > 0 && !result.reasons.includes('exchanged')) assert.ok(differs, pair.kind)
  }
})
