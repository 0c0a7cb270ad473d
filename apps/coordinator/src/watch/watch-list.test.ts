// Goal: the page lists watches in any order, shows what is new to its reader and lets them set the next visit.
// Method: a whole station on each engine, called by several people, with visits put where they are needed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type {
  BudgetView,
  CalibrationView,
  CompareCurveView,
  TrailView,
  WatchDetail,
  WatchListPage,
  WatchYear,
} from '@minga/protocol'
import { ENGINES, skipRepeats } from '../../../../packages/store/test/contract-engines.ts'
import { openPeople, People } from '../../test/accounts/people-fixture.ts'
import { TOKENS } from '../../test/station-fixture.ts'
import { openWatchStation } from '../../test/watch/visits/watch-fixture.ts'

const HOUR_MS = 3_600_000
const OPERATOR = TOKENS.apiKey

async function openFive(people: People): Promise<void> {
  for (const name of ['Delta', 'alpha', 'Echo', 'bravo', 'Charlie']) {
    const url = `https://${name.toLowerCase()}.example/`
    await people.ok(OPERATOR, 'POST', '/watches', { name, urls: [url], category: 306 })
  }
}

async function listed(people: People, query: string, token = OPERATOR): Promise<WatchListPage> {
  return people.ok(token, 'GET', `/watches/list?${query}`)
}

const namesOf = ({ watches }: WatchListPage): string[] => watches.map(({ name }) => name)

/** PostgreSQL adds rows up in any order, and sums of floating-point numbers differ in their last digit. */
const rounded = (view: CalibrationView): CalibrationView =>
  JSON.parse(JSON.stringify(view), (_, value: unknown) =>
    typeof value === 'number' ? Number(value.toPrecision(12)) : value,
  ) as CalibrationView

for (const engine of ENGINES) {
  const options = { skip: engine.skip }

  test(
    `watches are listed by name and by the page, with how many there are (${engine.name})`,
    options,
    async () => {
      const people = await openPeople({ engine })
      await openFive(people)
      const names: string[] = []
      let after = ''
      do {
        const page = await listed(people, `sort=name&descending=false&limit=2${after}`)
        assert.equal(page.total, 5)
        names.push(...namesOf(page))
        after = page.next === null ? '' : `&after=${encodeURIComponent(page.next)}`
      } while (after !== '')
      assert.deepEqual(names, ['alpha', 'bravo', 'Charlie', 'Delta', 'Echo'])
      assert.equal(namesOf(await listed(people, 'limit=1'))[0], 'Charlie')
      assert.deepEqual(namesOf(await listed(people, 'search=alph')), ['alpha'])
      for (const sort of [
        'nextVisit',
        'lastVisit',
        'lastChange',
        'visits',
        'changes',
        'failures',
        'importance',
      ]) {
        const first = await listed(people, `sort=${sort}&limit=3`)
        const rest = await listed(
          people,
          `sort=${sort}&limit=3&after=${encodeURIComponent(first.next!)}`,
        )
        assert.equal(new Set([...namesOf(first), ...namesOf(rest)]).size, 5, sort)
      }
      assert.deepEqual(namesOf(await listed(people, 'trouble=failing')), [])
      assert.deepEqual(namesOf(await listed(people, 'group=high')), [])
    },
  )

  test(
    `the next visit is set manually once, and the trail says by whom (${engine.name})`,
    options,
    async () => {
      const people = await openPeople({ engine })
      await openFive(people)
      const { token } = await people.person('ana', 'collector')
      const at = people.station.clock.now() + 5 * HOUR_MS
      const set = await people.ok<WatchDetail>(OPERATOR, 'POST', '/watches/1/next-visit', { at })
      assert.equal(set.nextVisitAt, at)
      const [entry] = await people.ok<TrailView[]>(OPERATOR, 'GET', '/watches/1/trail')
      assert.deepEqual([entry!.kind, entry!.after], ['visit', { nextVisitAt: at }])
      const foreign = await people.call(token, 'POST', '/watches/1/next-visit', { at })
      assert.equal(foreign.status, 403)
      await people.ok(OPERATOR, 'POST', '/watches/1/pause')
      const paused = await people.call(OPERATOR, 'POST', '/watches/1/next-visit', { at })
      assert.equal(paused.status, 400)
    },
  )

  test(
    `what was found is unread to everyone until they have seen it themselves (${engine.name})`,
    { skip: skipRepeats(engine) },
    async () => {
      const watching = await openWatchStation({ engine })
      const people = new People(watching.station)
      const { token } = await people.person('ana', 'collector')
      watching.pageAt = (_url, now) => ({
        body: `<p>edition ${Math.floor(now / (36 * HOUR_MS))}</p>`,
      })
      await watching.watch({ name: 'News', urls: ['http://news.test/'] })
      await watching.pass(HOUR_MS)
      const [first] = (await listed(people, '')).watches
      assert.deepEqual([first!.isUnread, first!.outcomes], [false, ['first']])
      await watching.pass(20 * 24 * HOUR_MS)
      const [later] = (await listed(people, '')).watches
      assert.ok(later!.outcomes.includes('changed') && later!.outcomes.length <= 12)
      assert.ok(later!.gapMs! > 0 && later!.rateLow! < later!.rateHigh!)
      assert.equal((await listed(people, 'trouble=unread')).total, 1)
      assert.equal((await listed(people, 'trouble=unread', token)).total, 1)
      assert.deepEqual(await people.ok(OPERATOR, 'POST', '/watches/seen', { ids: [1] }), {
        seen: 1,
      })
      assert.equal((await listed(people, 'trouble=unread')).total, 0)
      assert.equal((await listed(people, '')).watches[0]!.isUnread, false)
      assert.equal((await listed(people, 'trouble=unread', token)).total, 1)

      const said = await people.ok<CalibrationView>(OPERATOR, 'GET', '/watches/1/calibration')
      const all = await people.ok<CalibrationView>(OPERATOR, 'GET', '/watch-calibration')
      assert.ok(said.visits > 5 && said.drawers.length > 0)
      assert.deepEqual(rounded(said), rounded(all), 'there is only one watch')
      const years = await people.ok<WatchYear[]>(OPERATOR, 'GET', '/watches/1/years')
      const sum = (of: (year: WatchYear) => number): number =>
        years.reduce((total, year) => total + of(year), 0)
      assert.equal(
        sum(({ visits }) => visits),
        later!.visits,
      )
      assert.equal(
        sum(({ changes }) => changes),
        later!.changes,
      )
      assert.ok(sum(({ forecast }) => forecast) >= said.visits)

      const { points, urls, visitsPerDay } = await people.ok<BudgetView>(
        OPERATOR,
        'GET',
        '/watch-budget',
      )
      assert.deepEqual([urls, visitsPerDay], [1, 1])
      const versions = points.map((point) => point.versionsPerDay)
      assert.deepEqual(
        versions,
        versions.toSorted((a, b) => a - b),
        'more visits never bring less',
      )
      assert.ok(points.at(-1)!.freshness > points[0]!.freshness)
      assert.ok(points.every((point) => point.usedVisitsPerDay < 1.1 * point.visitsPerDay))

      const curve = await people.ok<CompareCurveView>(OPERATOR, 'GET', '/watches/1/compare-curve')
      assert.ok(curve.fixed[0]!.visits > curve.fixed.at(-1)!.visits)
      assert.ok(curve.fixed[0]!.lost <= curve.fixed.at(-1)!.lost)
      assert.equal((await people.call(OPERATOR, 'GET', '/watches/9/calibration')).status, 404)
    },
  )
}
