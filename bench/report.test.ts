// Goal: the figures that are published are computed and printed as the document says.
// Method: small made-up samples and profiles whose answers are known beforehand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { frontierTable, type Phase } from './frontier-report.ts'
import { summarise } from './profile-summary.ts'
import { figure, markdownTable, median, medianWithSpread } from './report.ts'

test('the median of an even number of runs lies between the middle two', () => {
  assert.equal(median([9, 1, 5]), 5)
  assert.equal(median([4, 1, 3, 2]), 2.5)
})

test('figures keep three digits, and whole numbers stay whole', () => {
  assert.deepEqual([0, 0.1256, 12.34, 1234.5, 20_000, Number.NaN].map(figure), [
    '0',
    '0.126',
    '12.3',
    '1,235',
    '20,000',
    '–',
  ])
})

test('a table has one column per key and one line per row', () => {
  const table = markdownTable([
    { crawler: 'a', 'pages/s': '1' },
    { crawler: 'bb', 'pages/s': '22' },
  ])
  assert.deepEqual(table.split('\n'), [
    '| crawler | pages/s |',
    '| ------- | ------: |',
    '| a       |       1 |',
    '| bb      |      22 |',
  ])
})

test('a median shows its spread unless there is none', () => {
  assert.equal(medianWithSpread([9000, 1000, 5000]), '5,000 (1,000–9,000)')
  assert.equal(medianWithSpread([1000, 1000.2]), '1,000')
  assert.equal(medianWithSpread([7]), '7')
})

test('runs of one phase make one row: medians of pace, the highest memory', () => {
  const phase = (what: string, seconds: number, rssBytes: number): Phase => {
    return { what, urls: 1200, seconds, cpuSeconds: 2, rssBytes }
  }
  const phases = [phase('found', 1, 5e6), phase('grown', 3, 7e6), phase('found', 4, 6e6)]
  assert.deepEqual(
    frontierTable([...phases, phase('found', 2, 4e6)])
      .split('\n')
      .slice(2),
    [
      '| found |    3 | 1,200 | 600 (300–1,200) |                 600 |       6 |',
      '| grown |    1 | 1,200 |             400 |                 600 |       7 |',
    ],
  )
})

test('a profile is summed by function, and idling is not work', () => {
  const node = (id: number, functionName: string): Parameters<typeof summarise>[0]['nodes'][0] => ({
    id,
    callFrame: { functionName, url: '', lineNumber: 0 },
  })
  const profile = {
    nodes: [node(1, '(idle)'), node(2, 'parse'), node(3, 'hash')],
    samples: [1, 2, 3, 2],
    timeDeltas: [9000, 1000, 2000, 3000],
  }
  assert.deepEqual(summarise(profile, 1), { busyMs: 6, costs: [{ name: 'parse', ms: 4 }] })
})
