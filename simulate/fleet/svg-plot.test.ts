// Goal: a figure is a well-formed drawing that shows every mean and every interval. Method: the text of
// a small plot, its tags counted and balanced.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { svgPlot, type Plot } from './svg-plot.ts'

const PLOT: Plot = {
  title: 'Time & <agents>',
  xLabel: 'agents',
  yLabel: 'seconds',
  xs: ['0', '1', '2'],
  isLine: true,
  series: [
    {
      name: 'ours',
      points: [
        { x: '0', mean: 100, halfWidth: 10 },
        { x: '1', mean: 60, halfWidth: 5 },
        { x: '2', mean: 31, halfWidth: NaN },
      ],
    },
  ],
}

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

test('every point is drawn, and every interval as a bar with two caps', () => {
  const svg = svgPlot(PLOT)
  assert.equal(count(svg, /<circle class="s0"[^>]*r="4"/g), 3)
  assert.equal(count(svg, /<line class="bar s0"/g), 2 * 3)
  assert.equal(count(svg, /<polyline/g), 1)
  assert.equal(count(svgPlot({ ...PLOT, isLine: false }), /<polyline/g), 0)
})

test('texts are escaped and tags are balanced', () => {
  const svg = svgPlot(PLOT)
  assert.match(svg, /Time &amp; &lt;agents>/)
  for (const tag of ['svg', 'style', 'text', 'g']) {
    assert.equal(
      count(svg, new RegExp(`<${tag}[ >]`, 'g')),
      count(svg, new RegExp(`</${tag}>`, 'g')),
    )
  }
  assert.doesNotMatch(svg, /NaN|Infinity|undefined/)
})

test('the axis ends at a round number above the highest bar, and there are colours for dark pages', () => {
  const svg = svgPlot(PLOT)
  assert.match(svg, />150</)
  assert.doesNotMatch(svg, />200</)
  assert.match(svg, /prefers-color-scheme: dark/)
})

test('a plot of nothing but zeros is still a plot', () => {
  const points = [{ x: '0', mean: 0, halfWidth: 0 }]
  assert.doesNotMatch(svgPlot({ ...PLOT, series: [{ name: 'none', points }] }), /NaN|Infinity/)
})
