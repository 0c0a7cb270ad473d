// Goal: what forecasts cost is small compared with the machine. Method: a station that watches ten
// thousand pages; the processor time of an hour of watching, measured on a part of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWatchStation } from '../../../test/watch/visits/watch-fixture.ts'

const SITES = 10_000
const TICKS = 40
const VISITS = 50
const TICKS_PER_HOUR = 7_200
const VISITS_PER_HOUR = SITES / 24
const HOUR_US = 3_600_000_000
const LARGEST_SHARE = 0.05

test('Overhead: ten thousand watched pages, visited once a day, use less than a twentieth of one processor', async (t) => {
  const on = await openWatchStation()
  const urls = Array.from({ length: SITES }, (_, i) => `http://site-${i % 500}.test/${i}`)
  await on.watch({ subject: 'list', urls })
  const { store, clock } = on.station
  const spent = async (work: () => Promise<unknown>): Promise<number> => {
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  const now = clock.now()
  // Nothing is due while the share of idle looks is measured.
  await store.call('replanVisits', { now, visitsPerDay: SITES })
  const idleUs = await spent(async () => {
    for (let i = 0; i < TICKS; i++) {
      await store.call('endStrayVisits', { now })
      await store.call('queueDueVisits', { now: now - 1, visitsPerDay: null })
    }
  })
  const replanUs = await spent(() => store.call('replanVisits', { now, visitsPerDay: SITES }))
  on.pageAt = (url) => ({ body: `<h1>Site</h1><p>The page of ${url} is about the town.</p>` })
  await on.station.tick()
  // Agent and robots.txt included: what is measured is more than what forecasts cost.
  const visitUs = await spent(async () => {
    while (on.hits.length < VISITS) await on.fetchBlock()
  })
  const visits = on.hits.length
  const hourUs =
    (idleUs / TICKS) * TICKS_PER_HOUR + 6 * replanUs + (visitUs / visits) * VISITS_PER_HOUR
  t.diagnostic(`${((100 * hourUs) / HOUR_US).toFixed(2)} % of one processor`)
  assert.ok(visits > 0 && hourUs < LARGEST_SHARE * HOUR_US)
})
