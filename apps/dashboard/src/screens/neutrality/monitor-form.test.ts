// Goal: a monitor is asked for as the station takes it, and flags stand together where they belong.
// Method: examples, held against the station's own reading of the message.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monitorMessage } from '@minga/protocol'
import {
  DEVICE_COUNTS,
  EMPTY_MONITOR,
  flagsByUrl,
  monitorAsked,
  monitorProblemsOf,
  monitorStateOf,
  PATIENCE,
  PERIODS,
} from './monitor-form.ts'
import type { MonitorView, PlaceFlag } from '../../api/station-api.ts'

const typed = { ...EMPTY_MONITOR, name: ' Press ', urls: 'news.test\nhttp://b.test/' }

test('a name and addresses are enough, and without them it is said what is missing', () => {
  assert.deepEqual(monitorProblemsOf(EMPTY_MONITOR), { name: true, urls: true })
  const asked = monitorAsked(typed)
  assert.deepEqual(asked.urls, ['https://news.test', 'http://b.test/'])
  assert.deepEqual(asked, monitorMessage.parse({ name: 'Press', urls: asked.urls }))
})

test('every choice of the form is one that the station takes', () => {
  for (const everyHours of PERIODS) {
    for (const devicesPerPlace of DEVICE_COUNTS) {
      const asked = monitorAsked({ ...typed, everyHours, devicesPerPlace })
      assert.deepEqual(monitorMessage.parse(asked), asked)
    }
  }
})

test('patience has a least and a most', () => {
  for (const patienceMinutes of [String(PATIENCE.least), String(PATIENCE.most)]) {
    const form = { ...typed, patienceMinutes }
    assert.deepEqual(monitorProblemsOf(form), {})
    assert.ok(monitorMessage.safeParse(monitorAsked(form)).success)
  }
  for (const patienceMinutes of ['0', '1441', 'long', '']) {
    assert.deepEqual(monitorProblemsOf({ ...typed, patienceMinutes }), { patienceMinutes: true })
  }
})

test('a monitor runs, waits for its next run, or has no further one', () => {
  const run = { no: 1, startedAt: 1, endedAt: null, deviations: null }
  const monitor = { nextRunAt: null, history: [run] } as unknown as MonitorView
  assert.equal(monitorStateOf(monitor).word, 'running')
  assert.equal(monitorStateOf({ ...monitor, history: [{ ...run, endedAt: 2 }] }).word, 'over')
  assert.equal(monitorStateOf({ ...monitor, nextRunAt: 3, history: [] }).word, 'waiting')
})

test('flags of one address stand together by kind, with the confirmed places first', () => {
  const flag = (
    url: string,
    kind: PlaceFlag['kind'],
    place: string,
    isConfirmed: boolean,
  ): PlaceFlag => ({
    url,
    kind,
    place,
    isConfirmed,
    says: '',
    consensus: 'ok',
    sinceRun: 1,
  })
  const flags = [
    flag('a', 'blocked', 'XX', false),
    flag('b', 'content', 'XX', true),
    flag('a', 'blocked', 'YY', true),
    flag('a', 'certificate', 'YY', true),
  ]
  assert.deepEqual(flagsByUrl(flags), [
    {
      url: 'a',
      kinds: [
        {
          kind: 'blocked',
          places: [
            { place: 'YY', isConfirmed: true },
            { place: 'XX', isConfirmed: false },
          ],
        },
        { kind: 'certificate', places: [{ place: 'YY', isConfirmed: true }] },
      ],
    },
    { url: 'b', kinds: [{ kind: 'content', places: [{ place: 'XX', isConfirmed: true }] }] },
  ])
})
