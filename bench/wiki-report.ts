/** The tables of `bench:wiki`. */
import type { Measured } from './measured-process.ts'
import { figure, markdownTable, quantile } from './report.ts'
import type { BenchDump } from './wiki-dump.ts'
import { MINGA, SAXES, type StoredWiki, type WikiPeer } from './wiki-peers.ts'
import type { ReadFigures } from './wiki-reads-main.ts'

export interface WikiFigures {
  dump: Pick<BenchDump, 'name' | 'xmlBytes'>
  passes: ReadonlyMap<WikiPeer, Pick<Measured, 'seconds' | 'cpuSeconds' | 'peakRssBytes'>>
  stored: StoredWiki
  reads: ReadFigures
  packed: ReadonlyMap<string, number>
}

const MB = 1e6
const XZ = 'xz -9'
const READ_P99_MS = 10
const AUTHORSHIP_S = 10
const METRIC_MS = 200
const OF_SAXES = 0.5
const OF_XZ = 1.5

export function wikiReport(figures: WikiFigures): string {
  const { dump, stored, reads } = figures
  const { revisions, meanBytes, seconds, tokens } = reads.authorship
  return [
    `${dump.name}: ${figure(stored.pages)} pages, ${figure(stored.revisions)} revisions, ` +
      `${figure(stored.rawBytes / MB)} MB of text, ${figure(dump.xmlBytes / MB)} MB of XML.`,
    'Reading it in:',
    importTable(figures),
    'On disk:',
    sizeTable(figures),
    'One text of any revision, through the opened store, ms:',
    readTable(reads),
    `Authors of ${figure(tokens)} words after ${figure(revisions)} revisions of ` +
      `${figure(meanBytes / 1e3)} KB: ${seconds.toFixed(2)} s, reading included. ` +
      `Memory of the reading process at most ${figure(Math.round(reads.peakMb))} MB.`,
    `Metrics over ${figure(stored.revisions)} revisions, ms (first answer, then five more):`,
    metricTable(reads),
    'Against the targets:',
    targetTable(figures),
  ].join('\n\n')
}

function importTable({ passes, dump, stored }: WikiFigures): string {
  const ours = passes.get(MINGA)?.seconds ?? Number.NaN
  return markdownTable(
    [...passes].map(([{ name }, { seconds, cpuSeconds, peakRssBytes }]) => ({
      reader: name,
      'MB/s of XML': figure(dump.xmlBytes / MB / seconds),
      'revisions/s': figure(Math.round(stored.revisions / seconds)),
      'Minga is': `${figure(seconds / ours)}×`,
      'command s': figure(seconds),
      'CPU s': figure(cpuSeconds),
      'peak MB': figure(Math.round(peakRssBytes / MB)),
    })),
  )
}

function sizeTable({ dump, stored, reads, packed }: WikiFigures): string {
  const { rawBytes, gzipBytes } = reads.sampled
  const sizes: [string, number][] = [
    ['text of all revisions', stored.rawBytes],
    ['the dump', dump.xmlBytes],
    ['each text by gzip -6 (sample)', (gzipBytes / rawBytes) * stored.rawBytes],
    ...[...packed].map(([name, bytes]): [string, number] => [`the dump by ${name}`, bytes]),
    ['**Minga**, packs and tables', stored.storedBytes],
  ]
  return markdownTable(
    sizes.map(([name, bytes]) => ({
      'kept as': name,
      MB: figure(bytes / MB),
      'of the text': `${((100 * bytes) / stored.rawBytes).toFixed(2)} %`,
      'Minga is': `${figure(stored.storedBytes / bytes)}×`,
    })),
  )
}

function readTable({ coldMs, warmMs, nearMs }: ReadFigures): string {
  const rows = [
    ['random, cold', coldMs],
    ['random, again', warmMs],
    ['one page, in order', nearMs],
  ] as const
  return markdownTable(
    rows.map(([name, times]) => ({
      read: name,
      reads: figure(times.length),
      p50: quantile(times, 0.5).toFixed(2),
      p90: quantile(times, 0.9).toFixed(2),
      p99: quantile(times, 0.99).toFixed(2),
      worst: quantile(times, 1).toFixed(2),
    })),
  )
}

function metricTable({ metrics }: ReadFigures): string {
  return markdownTable(
    metrics.map(({ name, firstMs, medianMs, worstMs }) => ({
      metric: name,
      first: firstMs.toFixed(0),
      median: medianMs.toFixed(0),
      worst: worstMs.toFixed(0),
    })),
  )
}

type TargetRow = [target: string, measured: string, isMet: boolean]

const ofXzRow = (ofXz: number): TargetRow => [
  `at most ${OF_XZ}× ${XZ} of the dump`,
  `${figure(ofXz)}×`,
  ofXz <= OF_XZ,
]

function targetTable({ passes, stored, reads, packed }: WikiFigures): string {
  const ofSaxes =
    (passes.get(SAXES)?.seconds ?? Number.NaN) / (passes.get(MINGA)?.seconds ?? Number.NaN)
  const ofXz = stored.storedBytes / (packed.get(XZ) ?? Number.NaN)
  const p99 = quantile(reads.coldMs, 0.99)
  const slowest = reads.metrics.toSorted((a, b) => b.medianMs - a.medianMs)[0]
  const rows: TargetRow[] = [
    [`import at least ${OF_SAXES}× a bare saxes pass`, `${figure(ofSaxes)}×`, ofSaxes >= OF_SAXES],
    ...(packed.has(XZ) ? [ofXzRow(ofXz)] : []),
    [`p99 of a random read under ${READ_P99_MS} ms`, `${p99.toFixed(2)} ms`, p99 < READ_P99_MS],
    [
      `authors of 5,000 revisions under ${AUTHORSHIP_S} s`,
      `${reads.authorship.seconds.toFixed(2)} s (${figure(reads.authorship.revisions)})`,
      reads.authorship.seconds < AUTHORSHIP_S,
    ],
    [
      `each metric under ${METRIC_MS} ms`,
      `${slowest?.medianMs.toFixed(0)} ms (${slowest?.name})`,
      (slowest?.medianMs ?? Number.NaN) < METRIC_MS,
    ],
  ]
  return markdownTable(
    rows.map(([target, measured, isMet]) => ({ target, measured, '': isMet ? 'met' : 'missed' })),
  )
}
