// Goal: whatever machines do, a course ends, exceeds no ceiling, and says what happened. Method: a
// small site played by hand on a clock of numbers; machines that fail at chosen moments.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  LatencyHistogram,
  LOAD_DEAD_MAN_MS,
  type LoadOrder,
  type LoadReport,
} from '@minga/protocol'
import { LoadCourse } from './load-course.ts'
import type { LoadPlan } from './plan.ts'

const PLAN: LoadPlan = {
  urls: ['http://site.test/'],
  visitorsMax: 16,
  stepMs: 5_000,
  thinkMs: 0,
  answerMsMax: 10_000,
  bears: { p95Ms: 500, errorRate: 0.01 },
  ceilings: {
    requestsPerSecond: 400,
    bytes: 1e9,
    durationMs: 600_000,
    errorRate: 0.5,
    p95Ms: 5_000,
  },
}

interface Answering {
  latencyMs: (visitors: number) => number
  errorsOf?: (requests: number) => LoadReport['errors']
  bytes?: number
}

/** Machines that report once a second what a site with this temper answers. */
class Play {
  readonly course: LoadCourse
  readonly orders = new Map<string, LoadOrder>()
  readonly silent = new Set<string>()
  atMs = 0
  #no = 0
  readonly #site: Answering

  constructor(machines: string[], site: Answering, plan: Partial<LoadPlan> = {}) {
    this.course = new LoadCourse({ ...PLAN, ...plan }, machines, 0)
    this.#site = site
    for (const machine of machines) this.course.join(machine, 0)
    for (const machine of machines) this.orders.set(machine, this.report(machine, 0))
  }

  report(machine: string, requests: number, hasStopped = false): LoadOrder {
    const order = this.orders.get(machine)
    const latencies = new LatencyHistogram()
    const errors = this.#site.errorsOf?.(requests) ?? {}
    for (let i = 0; i < requests; i++) latencies.add(this.#site.latencyMs(this.course.visitors))
    const report: LoadReport = {
      no: ++this.#no,
      step: order?.step ?? 0,
      requests,
      bytes: requests * (this.#site.bytes ?? 100),
      errors,
      latencies: latencies.buckets(),
      hasStopped,
      reason: null,
    }
    return this.course.heard(machine, report, this.atMs)
  }

  second(): void {
    this.atMs += 1_000
    this.course.tick(this.atMs)
    for (const [machine, order] of this.orders) {
      if (this.silent.has(machine)) continue
      if (!order.goOn) {
        this.report(machine, 0, true)
        continue
      }
      const each = 1_000 / this.#site.latencyMs(this.course.visitors)
      const requests = Math.round(Math.min(order.visitors * each, order.requestsPerSecond))
      this.orders.set(machine, this.report(machine, requests))
    }
  }

  untilOver(): this {
    for (let seconds = 0; this.course.phase !== 'over'; seconds++) {
      assert.ok(seconds < 1_000, 'the course does not end')
      this.second()
    }
    return this
  }
}

const CALM: Answering = { latencyMs: () => 100 }

test('visitors are divided among the machines and all steps are measured', () => {
  const { course } = new Play(['a', 'b', 'c'], CALM).untilOver()
  assert.deepEqual(course.end, { state: 'finished', reason: null })
  assert.deepEqual(
    course.steps.map(({ visitors }) => visitors),
    [1, 2, 4, 8, 16],
  )
  for (const { visitors, perSecond } of course.steps) {
    assert.ok(Math.abs(perSecond - visitors * 10) <= visitors, `${perSecond} at ${visitors}`)
  }
  assert.deepEqual(course.machines, { asked: 3, joined: 3, lost: 0 })
})

test('shares of visitors and of every ceiling add up to the whole at all times', () => {
  const play = new Play(['a', 'b', 'c'], CALM)
  for (let seconds = 0; seconds < 20; seconds++) {
    play.second()
    const orders = [...play.orders.values()].filter(({ step }) => step === play.course.step)
    const sum = (of: (order: LoadOrder) => number): number =>
      orders.reduce((total, order) => total + of(order), 0)
    assert.ok(sum(({ visitors }) => visitors) <= play.course.visitors)
    assert.ok(sum(({ requestsPerSecond }) => requestsPerSecond) <= 400 + 1e-9)
    assert.ok(sum(({ bytesLeft }) => bytesLeft) <= 1e9)
  }
})

test('a site that slows down is closed in on, and the test finishes by itself', () => {
  const site: Answering = { latencyMs: (visitors) => (visitors <= 11 ? 100 : 900) }
  const { course } = new Play(['a'], site).untilOver()
  assert.deepEqual(
    course.steps.map(({ visitors }) => visitors),
    [1, 2, 4, 8, 16, 12, 10, 11],
  )
})

test('a step in which nothing was counted yet lasts longer, and not for ever', () => {
  let latencyMs = Infinity
  const busy = new Play(['a'], { latencyMs: () => latencyMs })
  for (let seconds = 0; seconds < 12; seconds++) busy.second()
  assert.deepEqual([busy.course.visitors, busy.course.steps], [1, []])
  latencyMs = 100
  busy.untilOver()
  assert.deepEqual(
    busy.course.steps.map(({ visitors }) => visitors),
    [1, 2, 4, 8, 16],
  )
  const dead = new Play(['a'], { latencyMs: () => Infinity }).untilOver()
  assert.deepEqual(
    [dead.course.steps.map(({ visitors, requests }) => [visitors, requests]), dead.atMs],
    [[[1, 0]], 21_000],
  )
})

test('a share of errors beyond the ceiling stops the test within seconds', () => {
  const site: Answering = {
    latencyMs: () => 100,
    errorsOf: (requests) => ({ '5xx': Math.round(requests * 0.8) }),
  }
  const play = new Play(['a', 'b'], site).untilOver()
  assert.equal(play.course.end!.state, 'aborted')
  assert.match(play.course.end!.reason!, /^80\.0 % of the requests failed/)
  assert.ok(play.atMs <= 8_000)
})

test('answers slower than the ceiling stop the test', () => {
  const site: Answering = { latencyMs: (visitors) => (visitors < 128 ? 1_000 : 6_000) }
  const bears = { p95Ms: 2_000, errorRate: 0.01 }
  const play = new Play(['a'], site, { visitorsMax: 400, bears }).untilOver()
  assert.equal(play.course.end!.state, 'aborted')
  assert.match(play.course.end!.reason!, /longer than \d+ ms, the ceiling is 5000 ms/)
})

test('bytes and time have ceilings of their own', () => {
  const heavy = { ...CALM, bytes: 10_000 }
  const ceilings = { ...PLAN.ceilings, bytes: 1_000_000 }
  assert.match(
    new Play(['a'], heavy, { ceilings }).untilOver().course.end!.reason!,
    /1000000 bytes/,
  )
  const brief = { ...PLAN.ceilings, durationMs: 7_000 }
  const play = new Play(['a'], CALM, { ceilings: brief }).untilOver()
  assert.match(play.course.end!.reason!, /ceiling of 7 s/)
  assert.ok(play.atMs <= 9_000)
})

test('a silent machine is given up after its dead man switch, and its visitors go to the others', () => {
  const play = new Play(['a', 'b'], CALM, { stepMs: 30_000 })
  while (play.course.visitors < 8) play.second()
  const silentAtMs = play.atMs
  play.silent.add('b')
  const alone = (): number => play.orders.get('a')!.visitors
  while (alone() === 4) play.second()
  assert.ok(play.atMs - silentAtMs >= LOAD_DEAD_MAN_MS)
  assert.equal(alone(), 8)
  assert.match(play.course.notes.join(), /fell silent during step 4; the others took over/)
  // It comes back, but its result is not needed any more.
  assert.equal(play.report('b', 5).goOn, false)
  play.untilOver()
  assert.equal(play.course.end!.state, 'finished')
})

test('a report that is sent twice counts once', () => {
  const play = new Play(['a'], CALM)
  play.second()
  const before = play.course.totals.requests
  const again: LoadReport = {
    no: 1,
    step: 1,
    requests: 999,
    bytes: 0,
    errors: {},
    latencies: [],
    hasStopped: false,
    reason: null,
  }
  play.course.heard('a', again, play.atMs)
  assert.equal(play.course.totals.requests, before)
})

test('who asks for a stop is obeyed with the next answer, and the end waits for all machines', () => {
  const play = new Play(['a', 'b'], CALM)
  play.second()
  play.course.stop('aborted', 'The owner asked for it.', play.atMs)
  assert.equal(play.report('a', 3).goOn, false)
  assert.equal(play.course.phase, 'stopping')
  play.report('a', 0, true)
  play.report('b', 0, true)
  assert.equal(play.course.phase, 'over')
})

test('machines that do not come are not waited for, and without any there is no test', () => {
  const course = new LoadCourse(PLAN, ['a', 'b'], 0)
  assert.ok(course.awaits('b'))
  course.join('a', 9_000)
  assert.equal(course.phase, 'gathering')
  course.tick(10_000)
  assert.equal(course.phase, 'running')
  assert.ok(!course.awaits('b'))
  const nobody = new LoadCourse(PLAN, ['a'], 0)
  nobody.tick(120_000)
  assert.deepEqual([nobody.phase, nobody.end?.state], ['over', 'aborted'])
})

test('a stranger gets no order to go on', () => {
  const play = new Play(['a'], CALM)
  assert.equal(play.report('stranger', 10).goOn, false)
  assert.equal(play.course.totals.requests, 0)
})

test('when the last machine stops by itself, so does the test', () => {
  const play = new Play(['a'], CALM)
  play.second()
  play.report('a', 1, true)
  assert.equal(play.course.end!.state, 'aborted')
  assert.equal(play.course.phase, 'over')
})
