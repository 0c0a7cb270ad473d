// Goal: every page shows the same figures in the same order, and says nothing where there is nothing to say. Method:
// measures of a page with one edit and of one with a quarrel.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFormat } from '../../format.ts'
import { measureFigures, type PageMeasured } from './measure-figures.ts'

const KINDS = {
  anonymous: 0,
  bot: 0,
  hidden: 0,
  imported: 0,
  registered: 0,
  temporary: 0,
  unknown: 0,
}
const SPREAD = { medianBytes: 12, p10Bytes: 12, p90Bytes: 12 }

const LONE: PageMeasured = {
  revisions: 1,
  split: { edits: 1, minor: 0, kinds: { ...KINDS, registered: 1 } },
  inequality: { gini: 0, editors: 1, edits: 1, topTenth: 1 },
  gaps: { gaps: 0, ms: null },
  sessions: { sessions: 1, editors: 1, edits: null, ms: null },
  sizes: {
    known: 1,
    unknown: 0,
    grew: 1,
    shrank: 0,
    same: 0,
    addedBytes: 12,
    removedBytes: 0,
    netBytes: 12,
    ...SPREAD,
  },
  reverts: { reverts: 0, undone: 0, ofOneself: 0, pairs: [] },
  wars: [],
  bursts: [],
}

const format = createFormat('en')
const shown = (measures: PageMeasured) =>
  Object.fromEntries(measureFigures(measures, format).map(({ name, value }) => [name, value]))

test('a page with one edit has no gaps to speak of', () => {
  const figures = shown(LONE)
  assert.deepEqual(
    [figures['gapMedian'], figures['sessionMedian'], figures['controversy'], figures['bots']],
    [null, null, '0', '0%'],
  )
})

test('shares are of all revisions, and both pages have the same figures', () => {
  const war = {
    wiki: 'w',
    pageId: 1,
    title: 'A',
    editors: 3,
    reverts: 4,
    controversy: 12,
    pairs: [],
  }
  const spread = { mean: 1, median: 3_600_000, p90: 1, longest: 86_400_000 }
  const busy: PageMeasured = {
    ...LONE,
    revisions: 8,
    split: { edits: 8, minor: 2, kinds: { ...KINDS, bot: 4 } },
    inequality: { ...LONE.inequality, gini: 0.456 },
    gaps: { gaps: 7, ms: spread },
    wars: [war],
  }
  const figures = shown(busy)
  assert.deepEqual(
    ['minor', 'bots', 'gini', 'gapMedian', 'gapLongest', 'fighters', 'controversy'].map(
      (name) => figures[name],
    ),
    ['25%', '50%', '0.46', '1 hr', '1 day', '3', '12'],
  )
  assert.deepEqual(Object.keys(figures), Object.keys(shown(LONE)))
})
