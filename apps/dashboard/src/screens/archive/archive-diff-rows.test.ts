// Goal: differences read well by word and by line, with what is around them, and no change is left out. Method:
// small comparisons whose rows are known.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DiffBlockView } from '@minga/protocol'
import { changeAfter, diffRows, type DiffRow } from './archive-diff-rows.ts'

const same = (text: string): DiffBlockView => ({ kind: 'same', before: text, after: text })
const EDITED: DiffBlockView = {
  kind: 'edited',
  before: 'The first edition',
  after: 'The second edition',
  words: [
    { kind: 'same', text: 'The' },
    { kind: 'removed', text: 'first' },
    { kind: 'added', text: 'second' },
    { kind: 'same', text: 'edition' },
  ],
}
const whole = { unit: 'word', isOnlyChanges: false } as const
const textOf = (runs: readonly { kind: string; text: string }[]): string =>
  runs.map(({ kind, text }) => `${kind[0]}:${text}`).join(' ')

test('by word an edited block shows what went on one side and what came on the other', () => {
  const [row] = diffRows([EDITED], whole) as DiffRow[]
  assert.equal(textOf(row!.before), 's:The r:first s:edition')
  assert.equal(textOf(row!.after), 's:The a:second s:edition')
  assert.equal(textOf(row!.inline), 's:The r:first a:second s:edition')
})

test('by line an edited block went as a whole and came as a whole', () => {
  const [row] = diffRows([EDITED], { ...whole, unit: 'line' }) as DiffRow[]
  assert.equal(textOf(row!.before), 'r:The first edition')
  assert.equal(textOf(row!.after), 'a:The second edition')
  assert.equal(textOf(row!.inline), 'r:The first edition a:The second edition')
})

test('only changes leaves what is around them and says how much it folds', () => {
  const blocks = ['a', 'b', 'c', 'd', 'e', 'f'].map(same)
  blocks.splice(3, 0, { kind: 'added', after: 'new' })
  const rows = diffRows(blocks, { unit: 'word', isOnlyChanges: true })
  assert.deepEqual(
    rows.map((row) => (row.kind === 'folded' ? row.count : row.kind)),
    [1, 'same', 'same', 'added', 'same', 'same', 1],
  )
  assert.equal(diffRows(blocks, whole).length, 7)
})

test('changes are counted, and steps go round at the ends', () => {
  const rows = diffRows([EDITED, same('a'), { kind: 'removed', before: 'b' }], whole) as DiffRow[]
  assert.deepEqual(
    rows.map(({ change }) => change),
    [0, null, 1],
  )
  assert.equal(changeAfter(null, 1, 2), 0)
  assert.equal(changeAfter(null, -1, 2), 1)
  assert.equal(changeAfter(1, 1, 2), 0)
  assert.equal(changeAfter(0, -1, 2), 1)
  assert.equal(changeAfter(0, 1, 0), null)
})

test('what is ignored as noise is shown and marked, and is no change to step to', () => {
  const blocks = [
    same('a'),
    { ...EDITED, isIgnored: true as const },
    ...['b', 'c', 'd'].map(same),
    EDITED,
  ]
  const rows = diffRows(blocks, { unit: 'word', isOnlyChanges: true }) as DiffRow[]
  assert.deepEqual(
    rows
      .map(({ kind, change, isIgnored }) => [kind, change, isIgnored])
      .filter(([kind]) => kind === 'edited'),
    [
      ['edited', null, true],
      ['edited', 0, false],
    ],
  )
})
