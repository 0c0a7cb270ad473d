// Goal: what the rules of attention are about is found in the store of either engine, and what is over is not.
// Method: rows as the parts of a station would have written them.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import type {
  PutRows,
  JobsFixtureOperations,
} from '../../../test/operate/jobs/jobs-fixture-operations.ts'

const OPERATIONS = new URL('../../../test/operate/jobs/jobs-fixture-operations.ts', import.meta.url)
  .href
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const NOW = Date.UTC(2026, 4, 6)

/** Its number, its kind, whether it ended and when, and how many of its requests went well and wrong. */
const COLLECTIONS = [
  [1, 'crawl', 'finished', NOW - HOUR_MS, 0, 1],
  [2, 'crawl', 'finished', NOW - 8 * DAY_MS, 0, 1],
  [3, 'crawl', 'finished', NOW - HOUR_MS, 90, 9],
  [4, 'crawl', 'running', null, 50, 50],
  [5, 'requests', 'running', null, 0, 99],
  [6, 'watch', 'running', null, 5, 99],
  [7, 'watch', 'running', null, 5, 0],
] as const

const DEVICES = ['working', 'silent', 'held', 'paused', 'gone']

const ROWS: PutRows[] = [
  {
    table: 'collections',
    rows: COLLECTIONS.map(([id, kind, state, endedAt, captures, failed]) => ({
      id,
      identity: `c${id}`,
      spec: JSON.stringify({ kind, seeds: [`http://c${id}.test/`] }),
      state,
      created_at: NOW - 9 * DAY_MS,
      ended_at: endedAt,
      pages: captures,
      captures,
      failed,
    })),
  },
  {
    table: 'watches',
    rows: [6, 7].map((id) => ({
      collection_id: id,
      subject: 'page',
      name: `watch ${id}`,
      settings: '{}',
      created_at: 1,
      updated_at: 1,
    })),
  },
  {
    table: 'forecasts',
    rows: [6, 7].map((id) => ({
      collection_id: id,
      host_id: 1,
      hash: id,
      url: `http://c${id}.test/`,
      role: 'page',
      failures: id === 6 ? 4 : 0,
    })),
  },
  {
    table: 'event_log',
    rows: [
      ...[6, 7].map((id) => ['watch:lost', 2, String(id), '{}']),
      ...[1, 2, 3].map(() => ['process:replaced', 1, 'local-1', '{"role":"agent"}']),
      ['process:resting', 3, 'main', '{"role":"coordinator"}'],
    ].map(([code, level, subject, details], i) => ({
      at: NOW - HOUR_MS + i,
      level: level!,
      context: String(code).split(':', 1)[0]!,
      code: code!,
      subject: subject!,
      sentence: '-',
      text: '-',
      details: details!,
      times: 1,
    })),
  },
  {
    table: 'devices',
    rows: DEVICES.map((id) => ({
      id,
      owner: 'ann',
      name: id,
      public_key: id,
      state: id === 'paused' ? 'paused' : 'active',
      is_trusted: 1,
      enrolled_at: 1,
      seen_at: NOW - (id === 'gone' ? 9 * DAY_MS : 2 * HOUR_MS),
      os: '-',
      os_version: '-',
      software: '-',
      host_name: '-',
    })),
  },
  {
    table: 'device_trust',
    rows: [{ device: 'held', owner: 'ann', is_trusted: 0, state: 'quarantined', seen_at: NOW }],
  },
  { table: 'trust_log', rows: [{ at: 77, device: 'held', who: '-', action: 'quarantined' }] },
  {
    table: 'agents',
    rows: [{ boot: 'b', device: 'working', joined_at: NOW, last_beat_at: NOW, progress_at: NOW }],
  },
]

for (const engine of ENGINES.filter(({ skip }) => !skip)) {
  test(`what needs attention is found, and nothing else, on ${engine.name}`, async () => {
    const store = await (
      await engine.home()
    ).openHere<JobsFixtureOperations>({ operations: OPERATIONS })
    after(() => store.close())
    for (const rows of ROWS) await store.call('putRows', rows)
    const found = await store.call('attentionRows', { now: NOW })
    assert.deepEqual(
      found.collections.map(({ id, isFailed }) => [id, isFailed]),
      [
        [1, true],
        [4, false],
      ],
    )
    assert.deepEqual(
      found.watches.map(({ id, name, failures, failingUrl }) => [id, name, failures, failingUrl]),
      [
        [7, 'watch 7', 0, null],
        [6, 'watch 6', 4, 'http://c6.test/'],
      ],
    )
    assert.deepEqual(
      found.devices
        .map(({ id, isQuarantined, quarantinedAt }) => [id, isQuarantined, quarantinedAt])
        .toSorted((a, b) => String(a).localeCompare(String(b))),
      [
        ['held', true, 77],
        ['silent', false, null],
      ],
    )
    assert.deepEqual(
      found.processes.map(({ role, name, replaced, rests }) => [role, name, replaced, rests]),
      [
        ['coordinator', 'main', 0, 1],
        ['agent', 'local-1', 3, 0],
      ],
    )
  })
}
