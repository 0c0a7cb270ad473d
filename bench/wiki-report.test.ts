// Goal: the wiki's figures are computed and judged as the document says. Method: made-up measurements.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MINGA, SAXES } from './wiki-peers.ts'
import { wikiReport, type WikiFigures } from './wiki-report.ts'

const FIGURES: WikiFigures = {
  dump: { name: 'a dump', xmlBytes: 200e6 },
  passes: new Map([
    [SAXES, { seconds: 2, cpuSeconds: 2, peakRssBytes: 100e6 }],
    [MINGA, { seconds: 5, cpuSeconds: 8, peakRssBytes: 300e6 }],
  ]),
  stored: { wiki: 'w', pages: 2, revisions: 1_000, rawBytes: 100e6, storedBytes: 3e6 },
  reads: {
    coldMs: Array.from({ length: 100 }, (_, i) => i + 1),
    warmMs: Array.from({ length: 100 }, () => 1),
    nearMs: [1],
    sampled: { rawBytes: 10, gzipBytes: 4 },
    authorship: { revisions: 5_000, meanBytes: 20_000, seconds: 4, tokens: 3_000 },
    metrics: [
      { name: 'count', firstMs: 900, medianMs: 10, worstMs: 20 },
      { name: 'bursts', firstMs: 50, medianMs: 199, worstMs: 300 },
    ],
    peakMb: 400,
  },
  packed: new Map([['xz -9', 2e6]]),
}

const lineOf = (text: string, start: string): string =>
  text.split('\n').find((line) => line.startsWith(`| ${start}`)) ?? ''

test('rates are of the whole command, and ratios are Minga against the other', () => {
  const report = wikiReport(FIGURES)
  assert.match(lineOf(report, 'saxes'), /\| +100 \| +500 \| +0\.400× \|/)
  assert.match(lineOf(report, 'the dump by xz'), /\| +2 \| +2\.00 % \| +1\.50× \|/)
  assert.match(lineOf(report, 'each text by gzip'), /\| +40 \| +40\.00 % \|/)
})

test('a quantile is a value that was measured', () => {
  assert.match(
    lineOf(wikiReport(FIGURES), 'random, cold'),
    /50\.00 \| +90\.00 \| +99\.00 \| +100\.00 \|/,
  )
})

test('each target is met or missed, and one that was not measured is not judged', () => {
  const report = wikiReport(FIGURES)
  assert.match(lineOf(report, 'import at least'), /0\.400× \| missed/)
  assert.match(lineOf(report, 'at most 1.5× xz'), /1\.50× \| +met/)
  assert.match(lineOf(report, 'p99 of a random read'), /99\.00 ms \| missed/)
  assert.match(lineOf(report, 'each metric'), /199 ms \(bursts\) \| +met/)
  assert.equal(lineOf(wikiReport({ ...FIGURES, packed: new Map() }), 'at most'), '')
})
