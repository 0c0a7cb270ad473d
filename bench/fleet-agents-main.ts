/**
 * Simulated agents, in their own process next to the coordinator's.
 *   node fleet-agents-main.ts ORDER_FILE
 * Prints `ready`, works until its standard input closes, then prints what it saw as JSON.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { BEAT_EVERY_MS, systemClock, type Heartbeat } from '@minga/protocol'
import { BenchDevice } from './fleet-device.ts'
import type { AgentsOrder, IdleOrder, IdleReport, LoadOrder, LoadReport } from './fleet-orders.ts'
import { PreparedWeb } from './fleet-records.ts'

/** Devices that enrol at once: enough to keep a core busy with signatures. */
const ENROL_AT_ONCE = 64
/** First questions come within this time, as those of agents that did not arrive together. */
const SPREAD_MS = 5_000
const IDLE_ASK = { requestsMax: 2_000, hostsMax: 2_000 }

const ending = new AbortController()
const ended = once(ending.signal, 'abort')
const isOver = (): boolean => ending.signal.aborted

interface Beating {
  say: () => Heartbeat
  /** How long an answer took. */
  heard?: (ms: number) => void
}

async function beatOn(device: BenchDevice, { say, heard }: Beating): Promise<void> {
  while (!isOver()) {
    await systemClock.sleep(BEAT_EVERY_MS)
    const sentAtMs = systemClock.monotonicMs()
    await device.beat(say())
    heard?.(systemClock.monotonicMs() - sentAtMs)
  }
}

async function underLoad(order: LoadOrder, ready: () => void): Promise<LoadReport> {
  const web = new PreparedWeb(order.urls)
  const report: LoadReport = {
    asks: [],
    uploads: [],
    memberBytes: web.meanMemberBytes,
    checkSecondsPerResult: web.checkSecondsPerResult(),
  }
  const devices = Array.from({ length: order.agents }, () => new BenchDevice(order))
  await Promise.all(devices.map((device) => device.join()))
  ready()
  const replaying = devices.map((device) => replay(device, { order, web, report }))
  // Not until the last long poll is answered: nothing comes of it any more.
  await Promise.race([ended, Promise.all(replaying)])
  return report
}

interface Replaying {
  order: LoadOrder
  web: PreparedWeb
  report: LoadReport
}

async function replay(device: BenchDevice, { order, web, report }: Replaying): Promise<void> {
  const fences = new Set<number>()
  let progress = 0
  const beating = beatOn(device, { say: () => ({ progress, fences: [...fences] }) })
  while (!isOver()) {
    const at = systemClock.now()
    const askedAtMs = systemClock.monotonicMs()
    const { block, waitMs } = await device.ask({
      requestsMax: order.askMax,
      hostsMax: order.askMax,
    })
    if (block === null) {
      await systemClock.sleep(waitMs)
      continue
    }
    report.asks.push({ at, ms: systemClock.monotonicMs() - askedAtMs })
    fences.add(block.fence)
    for (const body of web.uploads(block, { boot: device.boot, size: order.uploadMax })) {
      const { accepted, stale } = await device.upload(body)
      report.uploads.push({ at: systemClock.now(), accepted, stale })
      progress += accepted
    }
    fences.delete(block.fence)
  }
  await beating
}

async function beingIdle(order: IdleOrder, ready: () => void): Promise<IdleReport> {
  const report: IdleReport = {
    beats: 0,
    asks: 0,
    failures: 0,
    firstFailure: null,
    slowestBeatMs: 0,
  }
  const arrived = Promise.withResolvers<void>()
  let left = order.agents
  const enrolSome = async (): Promise<void> => {
    while (left > 0) {
      left--
      const device = new BenchDevice(order)
      await device.join()
      void idle(device, { order, report, arrived: arrived.promise })
    }
  }
  await Promise.all(Array.from({ length: ENROL_AT_ONCE }, enrolSome))
  arrived.resolve()
  // Counted from when all are there.
  Object.assign(report, { beats: 0, asks: 0, slowestBeatMs: 0 })
  ready()
  await ended
  return report
}

interface Idling {
  order: IdleOrder
  report: IdleReport
  /** When all agents are there. */
  arrived: Promise<void>
}

/** Beats at once, since the silent are forgotten; asks when all are there: every hello wakes all
 * whose questions are open, which is the cost of arriving and not of being there. */
function idle(device: BenchDevice, { order, report, arrived }: Idling): Promise<void> {
  const failed = (error: unknown): void => {
    if (isOver()) return
    report.failures++
    report.firstFailure ??= error instanceof Error ? error.message : String(error)
  }
  const heard = (ms: number): void => {
    report.beats++
    report.slowestBeatMs = Math.max(report.slowestBeatMs, ms)
  }
  const asking = async (): Promise<void> => {
    await arrived
    await systemClock.sleep(SPREAD_MS * Math.random())
    while (!isOver()) {
      const { waitMs } = await device.ask(IDLE_ASK)
      report.asks++
      if (waitMs === 0) continue
      if (!order.keepsMain) await device.closeMain()
      await systemClock.sleep(waitMs)
    }
  }
  const beating = beatOn(device, { say: () => ({ progress: 0, fences: [] }), heard })
  return Promise.all([beating.catch(failed), asking().catch(failed)]).then(() => {})
}

process.stdin.once('end', () => ending.abort()).resume()
const order = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as AgentsOrder
const ready = (): void => console.log('ready')
const report = order.mode === 'load' ? underLoad(order, ready) : beingIdle(order, ready)
console.log(JSON.stringify(await report))
process.exit(0)
