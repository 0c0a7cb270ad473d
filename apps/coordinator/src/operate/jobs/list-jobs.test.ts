// Goal: everything that works in the background is in one list, each once, newest first, in words that all kinds share,
// and only for those who may see it. Method: a store of each engine with rows of every kind, many of one moment.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { JOB_KINDS, JOB_STATES, type JobKind, type JobState } from '@minga/protocol'
import type { Store } from '@minga/store'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import type { JobRow, JobsAsked } from './job-rows.ts'
import type {
  PutRows,
  JobsFixtureOperations,
} from '../../../test/operate/jobs/jobs-fixture-operations.ts'

const OPERATIONS = new URL('../../../test/operate/jobs/jobs-fixture-operations.ts', import.meta.url)
  .href
const SPEC = (kind: string, more: object = {}): string =>
  JSON.stringify({ kind, seeds: [`http://${kind}.test/`], ...more })
const ALL = Object.fromEntries(JOB_KINDS.map((kind) => [kind, null])) as JobsAsked['sees']

const EXTRACT = { table: 'prices', rules: [{ field: 'price', from: 'css', select: '.price' }] }

/** Some of every kind; all but the first few of the same moment. */
const ROWS: PutRows[] = [
  {
    table: 'collections',
    rows: [
      ['running', 'ann', SPEC('crawl')],
      ['paused', 'bob', SPEC('crawl')],
      ['finished', 'ann', SPEC('crawl', { extract: EXTRACT })],
      ['cancelled', null, SPEC('crawl')],
      ['running', 'ann', SPEC('watch')],
      ['running', null, SPEC('requests')],
    ].map(([state, owner, spec], i) => ({
      id: i + 1,
      identity: `c${i}`,
      spec: spec!,
      state: state!,
      owner: owner!,
      created_at: 900 + i,
      found: 10,
      queued: 4,
    })),
  },
  {
    table: 'lake_queries',
    rows: ['running', 'done', 'failed', 'cancelled'].map((state, i) => ({
      id: `q${i}`,
      owner: i === 0 ? 'ann' : 'bob',
      kind: i === 1 ? 'import' : 'query',
      ask: JSON.stringify({ queries: ['books-1'] }),
      terms: '{}',
      weight: 1,
      turn: 0,
      state,
      error:
        state === 'failed' ? JSON.stringify({ code: 'MINGA_BAD_QUERY', message: 'No.' }) : null,
      stages_left: 0,
      total: 8,
      done: 3,
      bytes_total: 0,
      made_at: 1_000,
      started_at: i === 0 ? null : 1_001,
      seen_at: 1_000,
      files: 'all',
    })),
  },
  {
    table: 'lake_tasks',
    rows: [1, 2].map((task) => ({
      query: 3,
      stage: 0,
      task,
      state: 'void',
      attempts: 2,
      deaths: 1,
    })),
  },
  {
    table: 'wiki_tasks',
    rows: ['waiting', 'failed'].map((state) => ({
      kind: 'extract',
      arguments: JSON.stringify({ address: 'https://wiki.test/', owner: 'ann' }),
      state,
      attempts: 2,
      limits: '{}',
      progress: JSON.stringify({ pages: 9, pagesDone: 4 }),
      error: state === 'failed' ? 'It refused us (MINGA_HTTP_403).' : null,
      created_at: 1_000,
    })),
  },
  {
    table: 'versions',
    rows: ['paused', 'truncated'].map((state, i) => ({
      collection_id: 5,
      number: i + 1,
      state,
      reason: i === 0 ? null : 'max-pages',
      cause: 'asked',
      started_at: 1_000,
      documents: 7,
    })),
  },
  {
    table: 'batches',
    rows: ['filling', 'ended'].map((state, i) => ({
      id: `b${i}`,
      client: 'bob',
      fingerprint: '-',
      state,
      priority: 0,
      max_age_ms: 0,
      terms: '{}',
      total: 5,
      captured: 2,
      failed: 1,
      created_at: 1_000,
    })),
  },
  {
    table: 'load_tests',
    rows: ['running', 'aborted'].map((state, i) => ({
      id: `l${i}`,
      account: 'bob',
      host: 'load.test',
      proof: 'p',
      plan: '{}',
      state,
      reason: i === 1 ? 'Too slow.' : null,
      created_at: 1_000,
    })),
  },
  {
    table: 'neutrality_monitors',
    rows: [
      {
        id: 'm',
        account: 'ann',
        name: 'News',
        urls: '[]',
        place_kind: 'country',
        devices_per_place: 1,
        run_ms: 1,
        created_at: 1,
      },
    ],
  },
  {
    table: 'neutrality_runs',
    rows: [1, 2].map((no) => ({
      monitor: 'm',
      no,
      started_at: 1_000,
      until: 2_000,
      ended_at: no === 1 ? 1_500 : null,
    })),
  },
  {
    table: 'alert_rules',
    rows: [
      {
        id: 'r',
        account: 'ann',
        collection_id: 5,
        channel: 'webhook',
        target: '-',
        settings: '{}',
        after_visit_id: 0,
        created_at: 1,
      },
    ],
  },
  {
    table: 'alert_deliveries',
    rows: ['waiting', 'failed'].map((state, i) => ({
      id: `d${i}`,
      rule_id: 'r',
      channel: 'webhook',
      kind: 'change',
      state,
      alerts: 3,
      tries: i * 4,
      problem: i === 1 ? 'HTTP 500' : null,
      created_at: 1_000,
    })),
  },
  {
    table: 'takedowns',
    rows: [1, 2, 3].map((capture) => ({
      capture_id: capture,
      host_id: 1,
      hash: capture,
      url: `http://gone.test/${capture}`,
      captured_at: 1,
      kind: 'response',
      digest: '-',
      file: 'f',
      offset_bytes: capture,
      length_bytes: 1,
      reason: capture === 3 ? 'another' : 'asked',
      by_whom: 'operator',
      state: capture === 1 ? 'asked' : 'done',
      asked_at: 1_000,
    })),
  },
  {
    table: 'place_maps',
    rows: [1, 2, 3].map((epoch) => ({
      epoch,
      is_whole: epoch === 1 ? 1 : 0,
      writer: 'w',
      at: 1_000,
      reason: 'asked',
      why: '-',
      way: 'full',
      hosts: 12,
    })),
  },
  {
    table: 'collection_sweeps',
    rows: [{ collection_id: 2, step: 'back', host_id: 0, priority: 0, hash: 0 }],
  },
  {
    table: 'federation_outbox',
    rows: [1, 2].map((seq) => ({ seq, station: 'st_lima', kind: 'urls', entries: 5, payload: '' })),
  },
  { table: 'federation_handovers', rows: [{ host: 'h.test', to_station: 'st_lima', epoch: 1 }] },
]

const EXPECTED: Record<JobKind, JobState[]> = {
  collection: ['cancelled', 'done', 'paused', 'running'],
  query: ['cancelled', 'done', 'failed', 'waiting'],
  wiki: ['failed', 'waiting'],
  harvest: ['done', 'paused'],
  batch: ['done', 'waiting'],
  'load-test': ['cancelled', 'running'],
  neutrality: ['done', 'running'],
  delivery: ['failed', 'waiting'],
  takedown: ['done', 'running'],
  map: ['cancelled', 'done', 'running'],
  extract: ['done'],
  sweep: ['running'],
  exchange: ['waiting', 'waiting'],
}
const COUNT = Object.values(EXPECTED).flat().length

async function openFilled(engine: (typeof ENGINES)[number]): Promise<Store<JobsFixtureOperations>> {
  const store = await (
    await engine.home()
  ).openHere<JobsFixtureOperations>({ operations: OPERATIONS })
  after(() => store.close())
  for (const rows of ROWS) await store.call('putRows', rows)
  return store
}

const engines = ENGINES.filter(({ skip }) => !skip)
const opened = await Promise.all(engines.map(openFilled))

for (const [i, { name }] of engines.entries()) {
  describe(`The list of jobs on ${name}`, () => {
    const store = opened[i]!
    const read = (asked: Partial<JobsAsked> = {}): Promise<JobRow[]> =>
      store.call('listJobs', { sees: ALL, limit: 1_000, ...asked })
    const nameOf = ({ kind, id }: JobRow): string => `${kind} ${id}`

    test('every kind is there, its states in the words of all', async () => {
      const jobs = await read()
      for (const kind of JOB_KINDS) {
        const states = jobs.filter((job) => job.kind === kind).map(({ state }) => state)
        assert.deepEqual(states.toSorted(), EXPECTED[kind], kind)
      }
      assert.equal(jobs.length, COUNT)
    })

    test('pages of any size hold each job once, newest first, however many are of one moment', async () => {
      const whole = await read()
      assert.deepEqual(
        whole.map(({ at }) => at),
        whole.map(({ at }) => at).toSorted((a, b) => b - a),
      )
      for (const limit of [1, 2, 7]) {
        const seen: JobRow[] = []
        for (;;) {
          const last = seen.at(-1)
          const page = await read({ limit, ...(last === undefined ? {} : { after: last }) })
          if (page.length === 0) break
          seen.push(...page)
          assert.ok(seen.length <= COUNT, 'a job came twice')
        }
        assert.deepEqual(seen.map(nameOf), whole.map(nameOf), `pages of ${limit}`)
      }
    })

    test('narrowed to a state or a kind it is what a look over everything finds', async () => {
      const whole = await read()
      for (const state of JOB_STATES) {
        const expected = whole.filter((job) => job.state === state)
        assert.deepEqual((await read({ state })).map(nameOf), expected.map(nameOf), state)
        const half = await read({ state, limit: 1 })
        assert.deepEqual(half.map(nameOf), expected.slice(0, 1).map(nameOf))
      }
      for (const kind of JOB_KINDS) {
        const expected = whole.filter((job) => job.kind === kind)
        assert.deepEqual((await read({ sees: { [kind]: null } })).map(nameOf), expected.map(nameOf))
      }
    })

    test('a user without wider rights sees only their own jobs, and nothing of hidden ones', async () => {
      const sees = {
        collection: 'ann',
        query: 'ann',
        batch: 'ann',
        delivery: 'ann',
        extract: 'bob',
      }
      const jobs = await read({ sees })
      assert.ok(jobs.length > 0)
      assert.ok(jobs.every(({ owner }) => owner === 'ann'))
      const kinds = new Set(jobs.map(({ kind }) => kind))
      assert.deepEqual([...kinds].toSorted(), ['collection', 'delivery', 'query'])
      assert.deepEqual(await read({ sees: {} }), [])
    })

    test('subject, progress, attempts and errors are given for each', async () => {
      const jobs = new Map((await read()).map((job) => [nameOf(job), job]))
      const failed = jobs.get('query q2')!
      assert.deepEqual(failed.error, { code: 'MINGA_BAD_QUERY', message: 'No.' })
      assert.deepEqual(
        [failed.subject, failed.attempts, failed.done, failed.total],
        ['books-1', 6, 3, 8],
      )
      assert.equal(jobs.get('query q1')!.about, 'import')
      const wiki = jobs.get('wiki 2')!
      assert.deepEqual(
        [wiki.subject, wiki.owner, wiki.done, wiki.total],
        ['https://wiki.test/', 'ann', 4, 9],
      )
      assert.equal(wiki.error?.code, 'MINGA_HTTP_403')
      const taken = [...jobs.values()].find(
        ({ kind, state }) => kind === 'takedown' && state === 'running',
      )!
      assert.deepEqual([taken.done, taken.total], [1, 2])
      assert.equal(jobs.get('collection 1')!.subject, 'http://crawl.test/')
      assert.deepEqual(jobs.get('exchange st_lima.urls')!.total, 10)
      assert.equal(jobs.get('delivery d1')!.error?.message, 'HTTP 500')
    })
  })
}
