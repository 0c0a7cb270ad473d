// Goal: only a fetch that was requested as a twin, and came in time, teaches noise. Method: the pure rules with one
// page that differs, as a twin in time, too late, compared with another capture, failed, and as no twin at all.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeNoise, encodeSketch, sketchOf, twinEvidence, type PageBody } from '@minga/forecast'
import { watchSettings } from '@minga/protocol'
import { decideVisit, type Deciding, type Visit } from './decide-visit.ts'
import type { ForecastRow, WatchRow } from '../plan/forecast-rows.ts'

const WHOLE = { include: [], exclude: [] }
const VISITED_AT = 1_000_000
const TWIN = { visit_id: 7, visited_at: VISITED_AT, capture_id: 3, due_at: VISITED_AT + 1_000 }

function page(text: string): PageBody {
  const body = Buffer.from(`<h1>News</h1><p class="quote">${text}</p>`)
  const kind = { url: 'http://a.test/', mime: 'text/html', status: 200, charset: 'utf-8' }
  return { ...kind, body, isTruncated: false }
}

function decide(afterMs: number, more: Partial<Deciding> = {}, comparedWith = 3): Visit {
  const [before, after] = [page('Some words'), page('Others altogether')]
  const place = { hostId: 2, hash: 5 }
  const evidence = twinEvidence(before, after, WHOLE)!
  const reading = {
    sketch: encodeSketch(sketchOf(after, WHOLE)),
    reason: null,
    former: [],
    twins: [{ ...place, captureId: comparedWith, evidence }],
  }
  const at = VISITED_AT + afterMs
  return decideVisit({
    forecast: { host_id: 2, hash: 5, changes: 0 } as ForecastRow,
    watch: { settings: watchSettings.parse({ name: 'A' }) } as WatchRow,
    memory: {
      sketch: encodeSketch(sketchOf(before, WHOLE)),
      states: '[]',
      noise: null,
      noise_regions: 0,
    },
    finding: { type: 'seen', at, digest: 'new', bytes: 10, reading, ...place },
    captureId: 4,
    formerDigest: 'old',
    twin: { ...TWIN, out_since: VISITED_AT + 1_200 },
    ...more,
  })
}

const learnt = ({ memory }: Visit): number =>
  memory?.noise == null ? 0 : decodeNoise(memory.noise).twins

test('a twin in time teaches, is of the visit that it was requested for, and is no visit itself', () => {
  const visit = decide(5_000)
  assert.deepEqual([visit.isTwin, learnt(visit)], [true, 1])
  assert.deepEqual(visit.twin, { visitId: 7, visitedAt: VISITED_AT })
})

test('a twin that came later than five seconds, failed or has lost its pair teaches nothing', () => {
  const failed = { type: 'failed', at: VISITED_AT + 2_000, code: 'MINGA_HTTP_503' } as const
  const cases = [decide(5_001), decide(2_000, { finding: failed }), decide(2_000, {}, 9)]
  for (const visit of cases) {
    assert.deepEqual([visit.isTwin, learnt(visit), visit.twin], [true, 0, null])
  }
})

test('a visit that was not requested as a twin is an observation, one second after another', () => {
  const visit = decide(1_000, { twin: null })
  assert.deepEqual([visit.outcome, visit.isTwin, learnt(visit)], ['changed', false, 0])
})
