// Goal: when a source reported the time of a change and a visit confirms it, the belief learns the
// time, and no source that errs or whose clock is wrong can teach it nonsense. Method: a station on
// virtual time and a page that changes at known times, with notices that are right, wrong, or
// without a time.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { WatchDetail } from '@minga/protocol'
import { ENGINES, skipRepeats } from '../../../../../packages/store/test/contract-engines.ts'
import type { Page } from '../../../test/station-fixture.ts'
import { openWatchStation, type WatchStation } from '../../../test/watch/visits/watch-fixture.ts'
import { momentOf } from './reported-changes.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** More than make a source believed. */
const CHANGES = 7
const URL = 'https://a.test/'

const page = (text: string): Page => ({
  body: `<html><body><p>${text} ${'and what is always there. '.repeat(20)}</p></body></html>`,
})

interface Life {
  /** The reported time of the change that happened now; null: no time is given. */
  momentAt: (now: number) => number | null
  /** Number of notices for each change; all but the first are wrong. */
  tellings: number
}

/** The rate of a page that changes every three days, as the station knows it in the end. */
async function rateAfter(world: WatchStation, { momentAt, tellings }: Life): Promise<number> {
  const { store, clock } = world.station
  world.web = { [URL]: page('The beginning.') }
  // So rarely that it is visited only because of notices.
  const { id } = await world.watch({ urls: [URL], periodMs: 365 * DAY_MS })
  await world.pass(MINUTE_MS)
  await clock.advance(HOUR_MS)
  for (let change = 0; change < CHANGES; change++) {
    world.web = { [URL]: page(`Edition ${change}, with quite another ${'text '.repeat(change)}.`) }
    for (let telling = 0; telling < tellings; telling++) {
      const now = clock.now()
      const moments = { [URL]: { at: momentAt(now), quietUntil: now } }
      const notices = { collectionId: id, urls: [URL], source: 'feed', now, moments } as const
      await store.call('takeNotices', notices)
      // Nothing else is due: only the visit that it led to takes time, and its second look.
      await world.pass(MINUTE_MS)
      await clock.advance((3 * DAY_MS) / tellings - MINUTE_MS)
    }
  }
  return ((await world.station.get(`/watches/${id}`)).body as WatchDetail).ratePerDay!
}

/** Visits take some virtual seconds, more or less. */
function same(rate: number, other: number): void {
  assert.ok(Math.abs(rate / other - 1) < 0.01, `${rate} is not ${other}`)
}

for (const engine of ENGINES) {
  describe(`reported times on ${engine.name}`, { skip: engine.skip }, () => {
    test('the rate of a page is known better by the reported times of its changes', async () => {
      const life = { tellings: 1 }
      const told = await rateAfter(await openWatchStation({ engine }), {
        ...life,
        momentAt: (now) => now,
      })
      const untold = await rateAfter(await openWatchStation({ engine }), {
        ...life,
        momentAt: () => null,
      })
      const error = (rate: number): number => Math.abs(Math.log(rate * 3))
      const text = `${told} with reports, ${untold} without, ${1 / 3} true`
      assert.ok(error(told) < 0.3 * error(untold), text)
      assert.ok(error(told) < Math.log(1.5), text)
    })

    test(
      'a moment of the future, before the last visit, or of a source that mostly errs teaches nothing',
      { skip: skipRepeats(engine) },
      async () => {
        const rate = async (tellings: number, momentAt: Life['momentAt']): Promise<number> =>
          rateAfter(await openWatchStation({ engine }), { tellings, momentAt })
        const silent = await rate(1, () => null)
        for (const wrong of [30 * DAY_MS, -30 * DAY_MS]) {
          same(await rate(1, (now) => now + wrong), silent)
        }
        same(await rate(3, (now) => now), await rate(3, () => null))
      },
    )
  })
}

test('a date without its time, or as young as its list, names no moment', () => {
  const now = Date.UTC(2026, 4, 6, 12)
  const within = { now, quietUntil: 0 }
  assert.equal(momentOf(now - HOUR_MS, within).at, now - HOUR_MS)
  for (const date of [null, Date.UTC(2026, 4, 6), now, now - MINUTE_MS, now + DAY_MS]) {
    assert.equal(momentOf(date, within).at, null)
  }
})
