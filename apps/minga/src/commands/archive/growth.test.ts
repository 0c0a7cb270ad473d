// Goal: the growth of an archive is printed as text, CSV and JSON. Method: figures written by hand, and the
// real command line on a folder without a station.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import type { ArchiveGrowthView, GrowthPart } from '@minga/protocol'
import { growthPlot, growthText, signedBytes } from './growth.ts'
import { runMinga, type Ended } from '../../../test/commands/minga-fixture.ts'

const DAY_MS = 86_400_000
const GB = 1e9
const NOW = Date.UTC(2026, 4, 6)

const GROWING: GrowthPart = {
  bytes: 40 * GB,
  bytesPerDay: { likely: GB, low: 0.5 * GB, high: 2 * GB },
  basis: 'weeks',
  setAsideBytes: 0,
  outlook: 'dated',
  fullAt: { earliest: NOW + 30 * DAY_MS, likely: NOW + 60 * DAY_MS, latest: null },
  capacityBytes: 100 * GB,
}
const SAMPLES = Array.from({ length: 41 }, (_, i) => ({
  at: NOW - (40 - i) * DAY_MS,
  bytes: i * GB,
}))
const VIEW: ArchiveGrowthView = {
  at: NOW,
  archive: { ...GROWING, samples: SAMPLES },
  collections: [{ id: 3, name: 'Press', ...GROWING, outlook: 'never', fullAt: null }],
  collectionsLeftOut: 0,
}

test('Lists, graphs, comparison, console: the console tells growth, its interval and the day the disk is full', () => {
  const text = growthText(VIEW, 80)
  assert.match(text, /^stored {2}40\.0 GB of 100\.0 GB that fit$/m)
  assert.match(text, /^growth {2}1\.0 GB\/day \[500\.0 MB to 2\.0 GB\]$/m)
  assert.match(text, /^full {4}2026-07-05 \[2026-06-05 to not foreseeable\]$/m)
  assert.match(text, /^3 {11}40\.0 GB .* not in the foreseeable future {2}Press$/m)
})

test('what is not known yet, already full or set aside is said so', () => {
  const unknown = { ...GROWING, bytesPerDay: null, outlook: 'unknown', basis: 'days' } as const
  const young = { ...unknown, samples: [] }
  const text = growthText({ ...VIEW, archive: young, collections: [] }, 80)
  assert.match(text, /growth {2}not known yet\nfull {4}not known yet\n.*less than two weeks/)
  assert.ok(!text.includes('COLLECTION'))
  const full: GrowthPart = { ...GROWING, outlook: 'full', setAsideBytes: 7 * GB }
  const view = { ...VIEW, archive: { ...full, samples: [] } }
  assert.match(growthText(view, 80), /full {4}now\n.*7\.0 GB more/)
})

test('the plot rises with what is stored, and is never wider than the terminal', () => {
  const lines = growthPlot(SAMPLES, 60).split('\n')
  assert.ok(lines.every((line) => line.length <= 60))
  assert.match(lines[0]!, /^40\.0 GB {2,}.*█$/)
  assert.match(lines[7]!, /^ {8}.{3,}█{10,}$/)
  assert.match(lines[8]!, /2026-03-27 +2026-05-06$/)
  assert.equal(growthPlot([], 80), '')
  assert.deepEqual([-1.5 * GB, -0.2, 999.6].map(signedBytes), ['-1.5 GB', '0 B', '1.0 KB'])
})

const folder = mkdtempSync(path.join(tmpdir(), 'minga-growth-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const minga = (...args: string[]): Promise<Ended> => runMinga(args)

test('a folder that no station serves is reported, and one that does not exist is a mistake', async () => {
  const there = ['--data', folder]
  assert.equal((await minga('archive', 'growth', ...there)).code, 2)
  await minga('watch', 'add', 'https://a.test/', ...there)
  const { code, out } = await minga('archive', 'growth', '--json', ...there)
  assert.equal(code, 0)
  const view = JSON.parse(out) as ArchiveGrowthView
  assert.deepEqual([view.archive.bytes, view.archive.outlook, view.collections], [0, 'unknown', []])
  assert.ok(view.archive.capacityBytes! > 0)
  assert.match((await minga('archive', 'growth', ...there)).out, /growth {2}not known yet/)
})
