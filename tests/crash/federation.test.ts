// Goal: two stations collect a web together, survive the loss of one, and never come to a site too early. Method: real
// stations and agents as processes that call each other over HTTPS, one station killed -9 or stopped in the
// middle; judged by the web's own log and by what the dead one had announced.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { FAULT_POINTS, faultsEnv, killAt, type Child } from '@minga/testkit'
import { LONG, newFolder, newWeb } from './crash-fixture.ts'
import {
  assertClocksKept,
  assertWhole,
  federate,
  newCertificate,
  NO_OPENSSL,
  reached,
  RealStation,
} from './federation-fixture.ts'

const HOSTS = LONG ? 120 : 24
const PER_HOST = 16
const TOTAL = HOSTS * PER_HOST
const DELAY_MS = 400
const PATIENCE_MS = LONG ? 600_000 : 240_000

/** The hosts of a lost station wait for about 22 s; a station that only slept longer has also lost them. */
const SLEEP_MS = 40_000

async function endWell(crawl: Child): Promise<void> {
  const exit = await crawl.waitExit(PATIENCE_MS)
  assert.deepEqual(exit, { code: 0, signal: null }, crawl.stderr())
}

/** All but the steps after a loss, which the tests of exchange.test.ts interrupt one by one. */
const POINTS = FAULT_POINTS.filter(
  (point) => point.startsWith('federation:') && point !== 'federation:release-step',
)

describe('stations as processes', { skip: NO_OPENSSL }, () => {
  test('two stations collect a web together, and when one is killed the other collects the rest', async (t) => {
    const web = await newWeb({ hosts: HOSTS, pagesPerHost: PER_HOST, firstAddress: '127.0.90.1' })
    const { cert, key } = newCertificate()
    const lima = await RealStation.start('lima', { cert, key })
    const quito = await RealStation.start('quito', { cert, key })
    await federate([lima, quito], cert)
    const options = ['--scope', 'any', '--delay', String(DELAY_MS), '--json']
    const crawl = await lima.begin('crawl', ...web.seeds, ...options)
    await reached(web, { pages: 0.4 * TOTAL, stations: [lima, quito] })
    quito.signal('SIGKILL')
    // What it had sent has arrived by now; nothing comes any more.
    await sleep(1_000)
    const announced = await lima.announced()
    const before = new Set(
      web
        .hits()
        .filter((hit) => quito.isVisitor(hit))
        .map(({ url }) => url),
    )
    await endWell(crawl)

    assertWhole(web)
    assertClocksKept(web, DELAY_MS)
    assert.ok(announced.size > 0, 'it had announced what it had done')
    const again = web.refetched().map(({ url }) => url)
    t.diagnostic(
      `${TOTAL} pages: ${before.size} by the lost station, ${announced.size} announced, ${again.length} fetched again`,
    )
    assert.deepEqual(
      again.filter((url) => announced.has(url) || !before.has(url)),
      [],
      'only what the lost station had not announced was fetched again',
    )
  })

  test('a station that slept for too long wakes up and asks for nothing of what was taken from it', async () => {
    const web = await newWeb({ hosts: HOSTS, pagesPerHost: PER_HOST, firstAddress: '127.0.91.1' })
    const { cert, key } = newCertificate()
    const lima = await RealStation.start('lima', { cert, key })
    const quito = await RealStation.start('quito', { cert, key })
    await federate([lima, quito], cert)
    const options = ['--scope', 'any', '--delay', String(DELAY_MS), '--json']
    const crawl = await lima.begin('crawl', ...web.seeds, ...options)
    await reached(web, { pages: 0.3 * TOTAL, stations: [lima, quito] })
    quito.signal('SIGSTOP')
    await sleep(SLEEP_MS)
    const taken = web.hits().length
    quito.signal('SIGCONT')
    await endWell(crawl)

    assertWhole(web)
    assertClocksKept(web, DELAY_MS)
    const later = web.hits().slice(taken)
    const dialled = later.filter((hit) => quito.isVisitor(hit)).map(({ host }) => host)
    const seized = new Set(
      web
        .hits()
        .slice(0, taken)
        .filter((hit) => quito.isVisitor(hit))
        .map(({ host }) => host),
    )
    assert.deepEqual(
      dialled.filter((host) => seized.has(host)),
      [],
    )
  })

  test('coordinators that are killed in the middle of an exchange or a handover lose nothing', async () => {
    const web = await newWeb({ hosts: HOSTS, pagesPerHost: PER_HOST, firstAddress: '127.0.92.1' })
    const { cert, key } = newCertificate()
    // Hosts are handed over once, in one go; the rest happens all the time.
    const faults = POINTS.map((point) =>
      killAt(point, { passage: point.includes('handover') ? 1 : 2, role: 'coordinator' }),
    )
    const env = faultsEnv(faults, newFolder())
    const lima = await RealStation.start('lima', { cert, key }, env)
    const quito = await RealStation.start('quito', { cert, key }, env)
    const options = ['--scope', 'any', '--delay', String(DELAY_MS), '--json']
    // Begun alone: hosts of which pages are known already have to be handed over.
    const crawl = await lima.begin('crawl', ...web.seeds, ...options)
    await reached(web, { pages: 0.2 * TOTAL, stations: [lima] })
    await federate([lima, quito], cert)
    await endWell(crawl)

    assertWhole(web)
    assertClocksKept(web, DELAY_MS)
    const happened = `${lima.stderr()}${quito.stderr()}`
    for (const fault of faults) assert.ok(happened.includes(`fault: ${fault}`), fault)
    for (const { url, hits } of web.refetched()) {
      assert.ok(hits.length <= 1 + faults.length, `${url} was fetched ${hits.length} times`)
    }
  })
})
