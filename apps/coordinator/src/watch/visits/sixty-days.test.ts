// Goal: Minga's forecasts catch more distinct versions than random visits with the same number of
// fetches and than the simple rule, per fetch from the first weeks on and in all over two months.
// Method: the real coordinator and the real agent's recording on virtual time, over a web whose
// changes are known; the captures are compared with what the web served, not with the station's own
// figures. MINGA_LONG=1: two months, else twenty days.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom } from '@minga/testkit'
import { AbuseMonitor } from '../../clients/abuse/abuse-monitor.ts'
import { LoadTests } from '../../site-services/load-tests/load-tests.ts'
import { Monitors } from '../../site-services/neutrality/monitors.ts'
import { START, type Page, type PartClass } from '../../../test/station-fixture.ts'
import { WikiService } from '../../wiki/wiki-service.ts'
import { openWatchStation } from '../../../test/watch/visits/watch-fixture.ts'

const DAY = 86_400_000
const IS_LONG = process.env['MINGA_LONG'] === '1'
const DAYS = IS_LONG ? 60 : 20
const PAGES = IS_LONG ? 60 : 12
const SEED = 20_261_115

/** When each page changes. Rates differ a thousandfold, as they do; some pages rest at weekends. */
function changingWeb(seed: number): Map<string, number[]> {
  const random = seededRandom(seed)
  const gap = (): number => -Math.log(1 - random.next())
  const web = new Map<string, number[]>()
  for (let i = 0; i < PAGES; i++) {
    const spread = Math.sqrt(2 * gap()) * Math.cos(2 * Math.PI * random.next())
    const perDay = 0.25 * Math.exp(1.5 * spread)
    const times: number[] = []
    for (let at = START; at < START + DAYS * DAY; at += (gap() / perDay) * DAY) {
      const weekday = new Date(at).getUTCDay()
      if (at > START && (i % 3 > 0 || (weekday > 0 && weekday < 6))) times.push(at)
    }
    web.set(`http://page-${i}.test/`, times)
  }
  return web
}

const PLACES = ['harbour', 'school', 'market', 'theatre', 'bridge', 'library', 'station', 'museum']

function pageOf(version: number): Page {
  const place = PLACES[version % PLACES.length]!
  return {
    body: `<title>Notices</title><h1>Notices</h1>
      <p>The town office is open on weekdays and answers letters within a week of their arrival.</p>
      <p>Notice ${version}: the works at the ${place} enter their stage ${version * 7 + 1}, says the mayor.</p>`,
  }
}

/** Nothing here gives these work, and weeks have thousands of ticks. */
const IDLE_PARTS: readonly PartClass[] = [AbuseMonitor, LoadTests, Monitors, WikiService]

interface Life {
  fetches: number
  /** Distinct states of pages that were served. */
  versions: number
}

async function live(
  web: ReadonlyMap<string, number[]>,
  policy: string,
  visitsPerDay: number | null,
): Promise<Life> {
  const on = await openWatchStation({ flags: { visitsPerDay }, idleParts: IDLE_PARTS })
  const served = new Set<string>()
  on.pageAt = (url, now) => {
    const times = web.get(url)
    if (times === undefined) return undefined
    const version = times.filter((at) => at <= now).length
    served.add(`${url} ${version}`)
    return pageOf(version)
  }
  await on.watch({ subject: 'list', urls: [...web.keys()], policy })
  await on.pass(DAYS * DAY)
  return { fetches: on.hits.length, versions: served.size }
}

test('in weeks and months Minga catches more versions than the simple rule and than random visits, with no more fetches', async (t) => {
  const web = changingWeb(SEED)
  const simple = await live(web, 'simple', null)
  const visitsPerDay = Math.floor(simple.fetches / DAYS)
  const minga = await live(web, 'minga', visitsPerDay)
  const random = await live(web, 'random', visitsPerDay)
  t.diagnostic(JSON.stringify({ simple, minga, random }))
  assert.ok(minga.fetches <= simple.fetches)
  assert.ok(minga.versions > random.versions)
  assert.ok(minga.versions / minga.fetches > simple.versions / simple.fetches)
  // What it learns in the first weeks costs visits.
  if (IS_LONG) assert.ok(minga.versions > simple.versions)
})
