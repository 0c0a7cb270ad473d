// Goal: what people edit is a change, what changes by itself is none, and the size of a change is
// estimated soundly. Method: labelled pairs of synthetic pages on held-out seeds, wordings of real
// sites, and small pages around a threshold; the tables of the documentation are compared with the
// run.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { compareSketches, magnitudeOf, type Change } from './compare.ts'
import {
  detectionTable,
  heldOutScores,
  rocTable,
  scoreWordings,
} from '../../test/detect/detection-table-fixture.ts'
import { htmlPage } from '../../test/detect/page-pairs-fixture.ts'
import { sketchOf } from './sketch.ts'

const WHOLE = { include: [], exclude: [] }

function change(before: string, after: string, threshold = 0.01): Change {
  const sketches = [before, after].map((html) => sketchOf(htmlPage(html), WHOLE))
  return compareSketches(sketches[0]!, sketches[1]!, { mask: null, threshold })
}

const IS_LONG = process.env['MINGA_LONG'] === '1'
const scores = heldOutScores(IS_LONG ? 1 : 0.25)

test('Change detection with magnitude: precision and recall are at least 0.97 on held-out seeds, kind by kind', () => {
  assert.ok(scores.precision >= 0.97, `precision ${scores.precision}`)
  assert.ok(scores.recall >= 0.97, `recall ${scores.recall}`)
  for (const { kind, right, pairs } of scores.kinds) {
    assert.ok(right / pairs >= 0.97, `${kind}: ${right} of ${pairs}`)
  }
})

test('Change detection with magnitude: noise has magnitude 0 and larger edits have larger magnitudes', () => {
  const mean = (kind: string): number =>
    scores.kinds.find((score) => score.kind === kind)?.meanMagnitude ?? NaN
  for (const { kind, label, right, pairs, meanMagnitude } of scores.kinds) {
    if (label === 'noise' && right === pairs) assert.equal(meanMagnitude, 0, kind)
  }
  const rising = ['one word', 'a sentence added', 'half of the text', 'another page'].map(mean)
  assert.deepEqual(
    rising,
    rising.toSorted((a, b) => a - b),
  )
  assert.ok(mean('a redesign with the same text') > 0.1)
})

test('Change detection with magnitude: no threshold lets noise through that a lower one holds back', () => {
  const rates = rocTable(scores)
    .split('\n')
    .slice(2)
    .map((row) => row.split('|').slice(2, 4).map(Number))
  for (const [index, [changes, noise]] of rates.entries()) {
    assert.ok(changes! <= (rates[index - 1]?.[0] ?? 1) && noise! <= (rates[index - 1]?.[1] ?? 1))
    assert.ok(noise! <= 0.01, `noise ${noise}`)
  }
  assert.ok(rates[0]![0]! >= 0.97)
})

const skip = IS_LONG ? false : 'with MINGA_LONG=1, which runs all seeds of the tables'

test('the tables of the documentation are those of this run', { skip }, () => {
  const page = new URL('../../../../docs/change-detection.md', import.meta.url)
  const text = readFileSync(page, 'utf8')
  const rows = (table: string): string[] =>
    table.split('\n').map((row) => row.replace(/\s+/g, ' ').replace(/-{3,}/g, '---'))
  const written = new Set(rows(text))
  for (const row of rows(`${detectionTable(scores)}\n${rocTable(scores)}`)) {
    assert.ok(written.has(row), `docs/change-detection.md lacks: ${row}`)
  }
})

test('wordings of real sites that change by themselves are noise and edits that look alike are not', () => {
  assert.deepEqual(scoreWordings(), { falseAlarms: [], missed: [] })
})

/** Fifty paragraphs of ten words: an edit of one paragraph is two per cent of the words. */
const ARTICLE = Array.from(
  { length: 50 },
  (_, index) =>
    `<p>alpha beta gamma delta epsilon zeta eta theta iota kappa${'x'.repeat(index)}</p>`,
)
const article = (paragraphs: string[]): string =>
  `<html><body><h4>Title</h4>${paragraphs.join('')}</body></html>`

test('Important-change rule: content (γ) just above the threshold is important and just below is not', () => {
  const before = article(ARTICLE)
  const one = change(before, article([...ARTICLE, '<p>one two three four five six</p>']))
  assert.ok(one.content > 0 && one.magnitude >= one.content)
  const at = one.magnitude
  const again = (threshold: number): boolean =>
    change(before, article([...ARTICLE, '<p>one two three four five six</p>']), threshold)
      .isImportant
  assert.equal(again(at * 0.999), true)
  assert.equal(again(at), false)
  assert.equal(again(at * 1.001), false)
})

test('Important-change rule: looks (α) count a quarter and form changes (β) a half of what words count', () => {
  const before = article(ARTICLE)
  const visual = change(before, before.replace('<p>', '<p class="warning">'))
  assert.deepEqual([visual.structural, visual.content], [0, 0])
  assert.ok(visual.visual > 0)
  assert.ok(Math.abs(visual.magnitude - visual.visual / 4) < 1e-12)
  const field = before.replace('</body>', '<input name="a"></body>')
  const structural = change(field, field.replace('name="a"', 'name="b"'))
  assert.deepEqual([structural.visual, structural.content], [0, 0])
  assert.ok(structural.structural > 0)
  assert.ok(Math.abs(structural.magnitude - structural.structural / 2) < 1e-12)
  assert.equal(magnitudeOf(0, 0, 1), 1)
  assert.equal(magnitudeOf(1, 1, 0), 1 - 0.5 * 0.75)
})

test('Important-change rule: the same edit is less of a large page than of a small one', () => {
  const edit = (paragraphs: number): number => {
    const some = ARTICLE.slice(0, paragraphs)
    return change(article(some), article(some.with(0, '<p>quite other words than before were</p>')))
      .magnitude
  }
  const sizes = [50, 20, 5, 1].map(edit)
  assert.deepEqual(
    sizes,
    sizes.toSorted((a, b) => a - b),
  )
  assert.ok(sizes[0]! < 0.05 && sizes[3]! > 0.5)
})

test('Important-change rule: nothing is important at threshold 1 and every change is at threshold 0', () => {
  assert.equal(change('<p>a</p>', '<p>quite different</p>', 1).isImportant, false)
  assert.equal(
    change(article(ARTICLE), article(ARTICLE).replace('alpha', 'omega'), 0).isImportant,
    true,
  )
  assert.equal(change(article(ARTICLE), article(ARTICLE), 0).isImportant, false)
})

test('a page that changed in all three ways names its reasons', () => {
  const { reasons, changed } = change(
    '<title>a</title><p>words of old</p><img src="/a.png">',
    '<title>b</title><p>words of new</p><p>more</p><img src="/b.png">',
  )
  assert.equal(changed, true)
  assert.deepEqual(new Set(reasons), new Set(['words', 'title', 'structure', 'look']))
})

test('a re-ordered list has moved and is no change, but values exchanged between its items are one', () => {
  const list = (items: string[]): string => `<ul><li>${items.join('</li><li>')}</li></ul>`
  const moved = change(list(['one', 'two', 'three']), list(['three', 'one', 'two']))
  assert.deepEqual([moved.changed, moved.reasons], [false, ['moved']])
  const priced = (a: number, b: number): string =>
    list([`<div>Apples</div><div>${a} €</div>`, `<div>Pears</div><div>${b} €</div>`])
  assert.deepEqual(change(priced(10, 20), priced(20, 10)).reasons, ['exchanged'])
})

test('the same words in new markup are a change of structure and look, not of content', () => {
  const { content, structural, reasons } = change(
    '<table><tr><td>Opening hours:</td><td>daily from nine</td></tr></table>',
    '<dl class="hours"><dt>Opening hours:</dt><dd>daily from nine</dd></dl>',
  )
  assert.ok(structural > 0)
  assert.equal(content, 0)
  assert.deepEqual(reasons, ['reflowed', 'structure', 'look'])
})
