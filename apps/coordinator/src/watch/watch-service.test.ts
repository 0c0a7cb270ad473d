// Goal: what people want watched is kept as they said it, changed by who may, and never scheduled once
// it is switched off. Method: a whole station on each engine, called by several people.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type {
  ActivityView,
  ForecastView,
  TrailView,
  VisitView,
  WatchCategoryView,
  WatchCompareView,
  WatchDetail,
  WatchGroupView,
  WatchListPage,
  WatchMetricsView,
  WatchTotals,
  WatchView,
  WatchYear,
} from '@minga/protocol'
import type { Role } from '@minga/fleet'
import { ENGINES } from '../../../../packages/store/test/contract-engines.ts'
import { openPeople, type People } from '../../test/accounts/people-fixture.ts'
import { TOKENS } from '../../test/station-fixture.ts'
import { openWatchStation } from '../../test/watch/visits/watch-fixture.ts'
import type { ImportedWatches } from './files/watch-files.ts'
import type { RemovedWatch } from './remove-watch.ts'
import type { Candidate } from '@minga/frontier'

const HOUR_MS = 3_600_000
const OPERATOR = TOKENS.apiKey
const PRESS = { name: 'Press', urls: ['https://news.example.org/'] }

const names = (watches: readonly WatchView[]): string[] => watches.map(({ name }) => name)

async function watch(people: People, token: string, body: object): Promise<WatchDetail> {
  return people.ok(token, 'POST', '/watches', body)
}

/** When each URL of a watch is due. */
async function planOf(people: People, id: number): Promise<(number | null)[]> {
  const urls = await people.ok<ForecastView[]>(OPERATOR, 'GET', `/watches/${id}/urls`)
  return urls.map(({ nextVisitAt }) => nextVisitAt)
}

for (const engine of ENGINES) {
  describe(`watches on ${engine.name}`, { skip: engine.skip }, () => {
    test('Subscribe/edit/deactivate site: a site is watched, changed and switched off', async () => {
      const people = await openPeople({ engine })
      const { id: ana, token } = await people.person('ana', 'collector')
      const { clock } = people.station
      const site = await watch(people, token, {
        subject: 'site',
        urls: ['https://Museum.example.org', 'https://museum.example.org/news#top'],
        feeds: ['https://museum.example.org/feed.xml'],
        sitemaps: ['https://museum.example.org/sitemap.xml'],
        category: 300,
        observations: 'Closed on Mondays.',
        scope: 'prefix',
        maxPages: 50,
      })
      assert.equal(site.owner, ana)
      assert.equal(site.state, 'finished')
      assert.deepEqual([site.urls, site.scope, site.maxPages], [2, 'prefix', 50])
      assert.deepEqual(site.feeds, ['https://museum.example.org/feed.xml'])
      assert.deepEqual(site.sitemaps, ['https://museum.example.org/sitemap.xml'])
      assert.equal(site.nextVisitAt, clock.now())
      const roles = await people.ok<ForecastView[]>(token, 'GET', `/watches/${site.id}/urls`)
      assert.deepEqual(
        roles.map(({ url, role }) => [new URL(url).pathname, role]),
        [
          ['/', 'probe'],
          ['/feed.xml', 'feed'],
          ['/news', 'probe'],
          ['/sitemap.xml', 'sitemap'],
        ],
      )

      await clock.advance(HOUR_MS)
      const changed = await people.ok<WatchDetail>(token, 'PATCH', `/watches/${site.id}`, {
        name: 'The museum',
        importance: 3,
        removeUrls: ['https://museum.example.org/news'],
        addUrls: ['https://museum.example.org/events'],
      })
      assert.deepEqual([changed.name, changed.importance, changed.urls], ['The museum', 3, 2])
      assert.equal(changed.observations, 'Closed on Mondays.')

      const off = await people.ok<WatchDetail>(token, 'POST', `/watches/${site.id}/pause`)
      assert.deepEqual([off.isActive, off.nextVisitAt], [false, null])
      assert.deepEqual(await planOf(people, site.id), [null, null, null, null])
      // Whatever is changed in the meantime, it stays off.
      await people.ok(token, 'PATCH', `/watches/${site.id}`, {
        periodMs: HOUR_MS,
        addUrls: ['https://museum.example.org/shop'],
      })
      await clock.advance(48 * HOUR_MS)
      await people.station.tick()
      assert.deepEqual(await planOf(people, site.id), [null, null, null, null, null])
      const due = await people.ok<ForecastView[]>(token, 'GET', '/watches/forecast')
      assert.deepEqual(due, [])

      const resumed = await people.ok<WatchDetail>(token, 'POST', `/watches/${site.id}/resume`)
      assert.equal(resumed.isActive, true)
      assert.ok((await planOf(people, site.id)).every((at) => at !== null && at >= clock.now()))
    })

    test('switching a watch off cancels what was queued of it', async () => {
      const people = await openPeople({ engine })
      const { id } = await watch(people, OPERATOR, PRESS)
      const { store, clock } = people.station
      const url = PRESS.urls[0]!
      const candidate: Candidate = {
        url,
        kind: 'page',
        depth: 0,
        hops: 0,
        via: null,
        refusal: null,
      }
      await store.call('discover', { collectionId: id, candidates: [candidate], trapBudget: false })
      const counts = async () => {
        const body = await people.ok<{ queued: number; cancelled: number; state: string }>(
          OPERATOR,
          'GET',
          `/collections/${id}`,
        )
        return [body.queued, body.cancelled, body.state]
      }
      assert.deepEqual((await counts())[0], 1)
      await people.ok(OPERATOR, 'POST', `/watches/${id}/pause`)
      assert.deepEqual(await counts(), [0, 1, 'finished'])
      await clock.advance(HOUR_MS)
    })

    test('watches are found by name, address, category, state and owner', async () => {
      const people = await openPeople({ engine })
      const { id: ana, token } = await people.person('ana', 'collector')
      const list = ['https://a.example.org/1', 'https://a.example.org/100%25_sure']
      await watch(people, OPERATOR, { ...PRESS, category: 306 })
      await watch(people, token, { name: 'Two pages', subject: 'list', urls: list })
      const third = await watch(people, token, { urls: ['https://b.example.org/x?y=1'] })
      assert.equal(third.name, 'b.example.org/x?y=1')
      await people.ok(token, 'POST', `/watches/${third.id}/pause`)
      const found = async (query: string) =>
        names(await people.ok<WatchView[]>(OPERATOR, 'GET', `/watches${query}`))
      assert.deepEqual(await found(''), [third.name, 'Two pages', 'Press'])
      assert.deepEqual(await found('?search=PRESS'), ['Press'])
      assert.deepEqual(await found('?search=100%2525_s'), ['Two pages'])
      assert.deepEqual(await found('?search=100_'), [])
      assert.deepEqual(await found('?category=306'), ['Press'])
      assert.deepEqual(await found('?category=none&subject=list'), ['Two pages'])
      assert.deepEqual(await found('?state=inactive'), [third.name])
      assert.deepEqual(await found('?state=active'), ['Two pages', 'Press'])
      assert.deepEqual(await found(`?owner=${ana}`), [third.name, 'Two pages'])
      assert.deepEqual(await found(`?before=${third.id}&limit=1`), ['Two pages'])
    })

    test('Topic categories: fifteen are there from the start, with codes of their own', async () => {
      const people = await openPeople({ engine })
      const categories = await people.ok<WatchCategoryView[]>(
        OPERATOR,
        'GET',
        '/watches/categories',
      )
      assert.deepEqual(
        categories.map(({ code }) => code),
        Array.from({ length: 15 }, (_, i) => 300 + i),
      )
      assert.deepEqual(
        [categories[1]!.name, categories[6]!.name, categories[14]!.name],
        ['science', 'news', 'video games'],
      )
      const at = '/watches/categories'
      await people.ok(OPERATOR, 'POST', at, { code: 315, name: 'gardening' })
      assert.deepEqual(
        [
          await people.outcome(OPERATOR, 'POST', at, { code: 315, name: 'cooking' }),
          await people.outcome(OPERATOR, 'POST', at, { code: 316, name: 'Gardening' }),
          await people.outcome(OPERATOR, 'PATCH', `${at}/315`, { name: 'NEWS' }),
          await people.outcome(OPERATOR, 'PATCH', `${at}/999`, { name: 'nothing' }),
          await people.outcome(OPERATOR, 'POST', '/watches', { ...PRESS, category: 999 }),
        ],
        [
          '409 MINGA_CATEGORY_TAKEN',
          '409 MINGA_CATEGORY_TAKEN',
          '409 MINGA_CATEGORY_TAKEN',
          '404 MINGA_NO_SUCH_CATEGORY',
          '404 MINGA_NO_SUCH_CATEGORY',
        ],
      )
      const { id } = await watch(people, OPERATOR, { ...PRESS, category: 315 })
      const gone = () => people.outcome(OPERATOR, 'DELETE', `${at}/315`)
      assert.equal(await gone(), '409 MINGA_CATEGORY_IN_USE')
      await people.ok(OPERATOR, 'PATCH', `${at}/315`, { name: 'parks' })
      await people.ok(OPERATOR, 'PATCH', `/watches/${id}`, { category: null })
      assert.equal(await gone(), '200')
      const { token } = await people.person('ana', 'collector')
      assert.equal(
        await people.outcome(token, 'POST', at, { code: 400, name: 'mine' }),
        '403 MINGA_FORBIDDEN',
      )
    })

    test('Lists, graphs, comparison, console: manual settings stay, is marked, and is undone', async () => {
      const people = await openPeople({ engine })
      const ana = (await people.person('ana', 'collector')).id
      let token = await people.logIn('ana')
      const { clock } = people.station
      const { id } = await watch(people, token, PRESS)
      const at = `/watches/${id}`
      const shown = async (): Promise<unknown[]> => {
        const { periodMs, policy, byHand } = await people.ok<WatchDetail>(token, 'GET', at)
        return [periodMs, policy, byHand.map(({ setting, by }) => `${setting} ${by}`)]
      }
      assert.deepEqual(await shown(), [null, null, []])
      await people.ok(token, 'PATCH', at, { periodMs: 6 * HOUR_MS })
      await clock.advance(HOUR_MS)
      await people.ok(OPERATOR, 'PATCH', at, { policy: 'azar', importance: 2 })
      const both = [6 * HOUR_MS, 'azar', [`periodMs ${ana}`, 'policy operator']]
      assert.deepEqual(await shown(), both)
      // Neither time nor other changes take it back.
      await clock.advance(10 * 24 * HOUR_MS)
      await people.station.tick()
      token = await people.logIn('ana')
      await people.ok(token, 'POST', `${at}/pause`)
      await people.ok(token, 'POST', `${at}/resume`)
      assert.deepEqual(await shown(), both)
      // A change that changes nothing leaves no trace, and there is nothing of it to undo.
      await people.ok(token, 'PATCH', at, { policy: 'azar' })

      for (let i = 0; i < 3; i++) await people.ok(token, 'POST', `${at}/undo`)
      assert.deepEqual(await shown(), [6 * HOUR_MS, null, [`periodMs ${ana}`]])
      const { importance } = await people.ok<WatchDetail>(token, 'POST', `${at}/undo`)
      assert.equal(importance, 1)
      assert.deepEqual(await shown(), [null, null, []])
      assert.equal(await people.outcome(token, 'POST', `${at}/undo`), '409 MINGA_NOTHING_TO_UNDO')
      const trail = await people.ok<TrailView[]>(token, 'GET', `${at}/trail`)
      assert.deepEqual(
        trail.map(({ kind, by, after, undoneBy }) => [kind, by, Object.keys(after), undoneBy]),
        [
          ['edited', ana, ['isActive'], ana],
          ['edited', ana, ['isActive'], ana],
          ['edited', 'operator', ['policy', 'importance'], ana],
          ['edited', ana, ['periodMs'], ana],
          ['created', ana, [], null],
        ],
      )
    })

    test('watches are exported and imported, bad lines are reported, and nothing is doubled', async () => {
      const people = await openPeople({ engine })
      const { id: ana, token } = await people.person('ana', 'collector')
      await watch(people, OPERATOR, { ...PRESS, periodMs: HOUR_MS, category: 306, isActive: false })
      // The same page once more, for something else.
      await watch(people, OPERATOR, { ...PRESS, periodMs: 2 * HOUR_MS })
      await watch(people, OPERATOR, {
        subject: 'list',
        urls: ['https://a.test/', 'https://b.test/'],
      })
      const feed = 'https://a.test/feed'
      await watch(people, OPERATOR, { name: 'Feed', urls: [feed], feeds: [feed] })
      const texts: string[] = []
      for (const as of ['opml', 'csv', 'json']) {
        const { text } = await exported(people, as)
        texts.push(text)
        const there = await openPeople()
        const { added, problems, skipped } = await there.ok<ImportedWatches>(
          OPERATOR,
          'POST',
          '/watches/import',
          { as, text },
        )
        assert.deepEqual([added.length, problems, skipped], [4, [], 0])
        assert.equal((await exported(there, as)).text, text)
        const again = await there.ok<ImportedWatches>(OPERATOR, 'POST', '/watches/import', {
          as,
          text,
        })
        assert.deepEqual([again.added.length, again.skipped], [0, 4])
      }
      assert.ok(!texts.join('').includes(ana))
      const bad = [
        'name,url,category,policy',
        'Good,https://good.test/,,',
        'Inside,http://127.0.0.1/,,',
        'No topic,https://c.test/,999,',
        'No policy,https://c.test/,,guess',
        'No number,https://c.test/,many,',
        ',,301,',
      ].join('\n')
      const { added, problems } = await people.ok<ImportedWatches>(
        token,
        'POST',
        '/watches/import',
        {
          as: 'csv',
          text: bad,
        },
      )
      assert.equal(added.length, 1)
      assert.deepEqual(
        problems.map(({ line, code }) => `${line} ${code}`),
        [
          '3 MINGA_WATCH_REFUSED',
          '4 MINGA_NO_SUCH_CATEGORY',
          '5 MINGA_UNKNOWN_POLICY',
          '6 MINGA_BAD_WATCH_FILE',
          '7 MINGA_BAD_WATCH_FILE',
        ],
      )
      assert.equal((await people.ok<WatchDetail>(token, 'GET', `/watches/${added[0]}`)).owner, ana)
    })

    test('watches are counted by category, owner and subject', async () => {
      const people = await openPeople({ engine })
      const { id: ana, token } = await people.person('ana', 'collector')
      await watch(people, OPERATOR, { ...PRESS, category: 306 })
      await watch(people, token, { ...PRESS, category: 306, isActive: false })
      await watch(people, token, PRESS)
      const counted = async (by: string) =>
        (await people.ok<WatchGroupView[]>(token, 'GET', `/watches/groups?by=${by}`)).map(
          ({ key, name, watches, active }) => [key, name, watches, active],
        )
      assert.deepEqual(await counted('category'), [
        ['306', 'news', 2, 1],
        [null, null, 1, 1],
      ])
      assert.deepEqual(await counted('owner'), [
        [ana, ana, 2, 1],
        ['operator', 'operator', 1, 1],
      ])
      assert.deepEqual(await counted('subject'), [['page', 'page', 3, 2]])
    })

    test('results of visits are listed by visit, by day and by address, with the reason of the next', async () => {
      const world = await openWatchStation({ engine })
      const url = 'https://a.test/'
      const page = (text: string) => ({ body: `<p>${`${text} `.repeat(40)}</p>` })
      world.web = { [url]: page('First of all.') }
      const { id } = await world.watch({ urls: [url], periodMs: 24 * HOUR_MS })
      await world.pass(HOUR_MS)
      world.web = { [url]: page('Something else altogether.') }
      await world.pass(25 * HOUR_MS)
      const { station } = world
      const visits = await world.visits(id)
      assert.deepEqual(
        visits.map(({ outcome, isImportant }) => [outcome, isImportant]),
        [
          ['changed', true],
          ['first', false],
        ],
      )
      const days = (await station.get(`/watches/${id}/activity?days=3`)).body as ActivityView[]
      assert.deepEqual(
        days.map((day) => [day.day, day.visits, day.changes, day.failures]),
        [
          ['2026-05-05', 0, 0, 0],
          ['2026-05-06', 1, 0, 0],
          ['2026-05-07', 1, 1, 0],
        ],
      )
      const [next] = await world.forecast(id)
      assert.match(next!.plan!.text, /^next visit .*: learning, 2 of 3 visits \(fixed:24\)$/)
      const seen = async () => (await station.get(`/watches/${id}`)).body as WatchDetail
      const early = await seen()
      assert.deepEqual([early.visits, early.changes, early.lastChangeAt], [2, 1, visits[0]!.at])
      // One comparison says nothing of how often it changes.
      assert.deepEqual([early.learning, early.ratePerDay], [{ visits: 2, of: 3 }, null])
      const { chance, ratePerDay, rateLow, rateHigh } = next!.plan!
      assert.deepEqual([chance, ratePerDay, rateLow, rateHigh], [null, null, null, null])
      await world.pass(24 * HOUR_MS)
      const later = await seen()
      assert.equal(later.learning, null)
      assert.ok(later.ratePerDay! > 0)
      for (const path of ['visits', 'activity', 'forecast', 'urls', 'trail', 'notices', 'hubs']) {
        assert.equal((await station.get(`/watches/999/${path}`)).status, 404, path)
      }
    })

    test('visits to pages and checks of feeds are counted apart, the same in every answer, with what made them happen', async () => {
      const world = await openWatchStation({ engine })
      const { station } = world
      const [url, feed] = ['https://a.test/', 'https://a.test/feed.xml']
      const page = (text: string) => ({ body: `<p>${`${text} `.repeat(40)}</p>` })
      const rss = (number: number) => ({
        type: 'application/rss+xml',
        body: `<rss version="2.0"><channel><title>A</title><link>${url}</link><item><title>${number}</title><link>${url}</link><guid>${number}</guid></item></channel></rss>`,
      })
      for (let day = 0; day < 4; day++) {
        world.web = { [url]: page(`Day ${day} of the works.`), [feed]: rss(day) }
        if (day === 0) await world.watch({ urls: [url], feeds: [feed], periodMs: 24 * HOUR_MS })
        else await world.pass(24 * HOUR_MS)
      }
      const read = async <T>(path: string): Promise<T> => (await station.get(path)).body as T
      const [{ id } = { id: 0 }] = await read<WatchView[]>('/watches')
      for (const ids of [[id], null]) {
        await station.post('/watches/run', { ids })
        await world.pass(HOUR_MS)
      }
      const visits = await read<VisitView[]>(`/watches/${id}/visits?limit=1000&of=pages`)
      const all = await read<VisitView[]>(`/watches/${id}/visits?limit=1000`)
      const feedChecks = all.filter(({ role }) => role === 'feed').length
      assert.ok(feedChecks > 0 && visits.every(({ role }) => role === 'page'))
      const totals = {
        visits: visits.length,
        changes: visits.filter(({ outcome }) => outcome === 'changed').length,
        failures: 0,
        feedChecks,
      }
      assert.equal(visits.at(-1)!.cause, 'first')
      // One visit was asked for this watch, one with all others.
      assert.deepEqual([visits[0]!.cause, visits[1]!.cause], ['manual', 'manual'])
      assert.ok(visits.slice(2, -1).every(({ cause }) => cause === 'period' || cause === 'feed'))

      const picked = ({ visits: n, changes, failures, feedChecks: checks }: WatchTotals) => ({
        visits: n,
        changes,
        failures,
        feedChecks: checks,
      })
      const summed = (parts: WatchTotals[]): WatchTotals =>
        parts.reduce((sum, part) => ({
          visits: sum.visits + part.visits,
          changes: sum.changes + part.changes,
          failures: sum.failures + part.failures,
          feedChecks: sum.feedChecks + part.feedChecks,
        }))
      const list = await read<WatchListPage>('/watches/list')
      const metrics = await read<WatchMetricsView>(`/watches/${id}/metrics`)
      const compared = await read<WatchCompareView>(`/watches/${id}/compare?period=1d`)
      const answers: Record<string, WatchTotals> = {
        detail: await read<WatchDetail>(`/watches/${id}`),
        list: list.watches[0]!,
        metrics: metrics.totals,
        compare: compared.totals,
        years: summed(await read<WatchYear[]>(`/watches/${id}/years`)),
        activity: summed(await read<ActivityView[]>(`/watches/${id}/activity?days=30`)),
      }
      for (const [name, found] of Object.entries(answers)) {
        assert.deepEqual(picked(found), totals, name)
      }
      assert.equal(metrics.metrics.visits, totals.visits)
      assert.equal(list.watches[0]!.outcomes.length, visits.length)
    })

    test('a visit that is due or under way is never announced for a moment that has passed', async () => {
      const world = await openWatchStation({ engine })
      const { station } = world
      world.web = { 'https://a.test/': { body: '<p>A page.</p>' } }
      const { id } = await world.watch({ urls: ['https://a.test/'], periodMs: HOUR_MS })
      await world.pass(HOUR_MS / 2)
      await station.clock.advance(3 * HOUR_MS)
      const now = new Date(station.clock.now()).toISOString().slice(11, 16)
      const [due] = await world.forecast(id)
      assert.match(due!.plan!.text, new RegExp(`^next visit \\w+ ${now}: `))
      await station.tick()
      const [out] = await world.forecast(id)
      assert.notEqual(out!.outSince, null)
      assert.equal(out!.plan!.text, 'a visit is under way')
    })

    test('a removed watch leaves its captures unless they are to go too', async () => {
      const people = await openPeople({ engine })
      const urls = ['https://same.test/shared', 'https://same.test/own']
      const web = {
        'https://same.test/shared': { body: '<title>Shared</title>' },
        'https://same.test/own': { body: '<title>Own</title>' },
        'https://other.test/': { body: '<title>Shared</title>' },
      }
      const kept = await watch(people, OPERATOR, { urls: ['https://same.test/own'] })
      const gone = await watch(people, OPERATOR, { subject: 'list', urls })
      await visit(people, gone.id, { urls, web })
      // Its capture only says that its bytes are those of the watch.
      const { id: other } = await people.station.crawl({ seeds: ['https://other.test/'] }, web)
      const captures = async (id: number) =>
        (await people.station.captures(`?collectionId=${id}`)).map(({ kind, url }) => [kind, url])
      const own = (await captures(gone.id)).length
      assert.ok(own >= 2)
      assert.equal((await searched(people, 'same.test')).length >= 2, true)

      const first = await people.ok<RemovedWatch>(OPERATOR, 'DELETE', `/watches/${kept.id}`)
      assert.deepEqual(first, { id: kept.id, kept: 0, removed: 0, bytesInFiles: 0 })
      const withCaptures = `/watches/${gone.id}?withCaptures=true`
      const second = await people.ok<RemovedWatch>(OPERATOR, 'DELETE', withCaptures)
      assert.deepEqual([second.kept, second.removed], [1, own - 1])
      assert.ok(second.bytesInFiles > 100)
      assert.deepEqual(await captures(gone.id), [['response', 'https://same.test/shared']])
      assert.ok((await captures(other)).some(([kind]) => kind === 'revisit'))
      const { body } = await people.station.content('https://other.test/')
      assert.equal(body.toString(), '<title>Shared</title>')
      for (const { id } of [kept, gone]) {
        const outcome = await people.outcome(OPERATOR, 'GET', `/watches/${id}`)
        assert.equal(outcome, '404 MINGA_NO_SUCH_WATCH')
      }
      assert.deepEqual(await searched(people, 'same.test'), ['https://same.test/shared'])
      // What was removed is gathered in full when it is met again.
      const again = await people.station.crawl({ seeds: ['https://same.test/own'] }, web)
      assert.ok((await captures(again.id)).some(([kind]) => kind === 'response'))
    })
  })
}

async function searched({ station }: People, text: string): Promise<string[]> {
  const { body } = await station.get(`/archive/search?q=${text}&by=host`)
  return (body as { urls: { url: string }[] }).urls
    .map(({ url }) => url)
    .filter((url) => !url.endsWith('/robots.txt'))
}

async function exported({ station }: People, as: string): Promise<{ text: string }> {
  const url = `/api/watches/export?as=${as}`
  const { statusCode, body } = await station.app.inject({ url, headers: { host: 'localhost' } })
  assert.equal(statusCode, 200)
  return { text: body }
}

/** Fetches pages of a watch as a visit does. */
async function visit(
  { station }: People,
  id: number,
  { urls, web }: { urls: string[]; web: Record<string, { body: string }> },
): Promise<void> {
  await station.hello()
  const now = station.clock.now()
  await station.store.call('setCollectionState', { id, state: 'running', reason: null, now })
  const candidates = urls.map((url) => ({
    url,
    kind: 'page' as const,
    depth: 0,
    hops: 0,
    via: null,
    refusal: null,
  }))
  await station.store.call('discover', { collectionId: id, candidates, trapBudget: false })
  for (let queued = 1; queued > 0;) {
    await station.send(station.fetch(await station.lease(), web))
    queued = ((await station.get(`/collections/${id}`)).body as { queued: number }).queued
  }
}

test('Roles: a watch is read by readers, made by collectors and changed by its owner or an operator', async () => {
  const people = await openPeople({ readOpenly: false, registration: 'operator' })
  const person = async (role: Role) => (await people.person(`the.${role}`, role)).token
  const ana = await person('collector')
  const { id } = await watch(people, ana, PRESS)
  const { token: bob } = await people.person('bob', 'collector')
  const doings = (token: string | null) =>
    Promise.all([
      people.outcome(token, 'GET', `/watches/${id}`),
      people.outcome(token, 'POST', '/watches', PRESS),
      people.outcome(token, 'PATCH', `/watches/${id}`, { name: 'Mine' }),
      people.outcome(token, 'POST', `/watches/${id}/undo`),
    ])
  const FORBIDDEN = '403 MINGA_FORBIDDEN'
  assert.deepEqual(await doings(await person('reader')), ['200', FORBIDDEN, FORBIDDEN, FORBIDDEN])
  assert.deepEqual(await doings(bob), ['200', '200', FORBIDDEN, FORBIDDEN])
  assert.equal(await people.outcome(bob, 'DELETE', `/watches/${id}`), FORBIDDEN)
  assert.equal((await doings(await person('client')))[0], FORBIDDEN)
  assert.equal((await doings(null))[0], '401 MINGA_NOT_ALLOWED')
  assert.deepEqual((await doings(OPERATOR)).slice(0, 3), ['200', '200', '200'])
  assert.equal(await people.outcome(ana, 'DELETE', `/watches/${id}`), '200')
  const { secret } = await people.key(bob, ['watches:read'])
  assert.equal(await people.outcome(secret, 'POST', '/watches', PRESS), FORBIDDEN)
})

test('what cannot be watched is refused with its reason, and nothing of it is kept', async () => {
  const people = await openPeople()
  const { token } = await people.person('ana', 'collector')
  const refused: [object, string][] = [
    [{ urls: ['http://10.0.0.1/'] }, '400 MINGA_WATCH_REFUSED'],
    [{ urls: ['mailto:reader@example.org'] }, '400 MINGA_WATCH_REFUSED'],
    [{ urls: ["https://a.example.org/?id=1' OR '1'='1"] }, '400 MINGA_WATCH_REFUSED'],
    [{ urls: ['https://a.test/', 'https://b.test/'] }, '400 MINGA_WATCH_REFUSED'],
    [{ ...PRESS, feeds: ['ftp://a.test/feed'] }, '400 MINGA_WATCH_REFUSED'],
    [{ urls: [] }, '400 MINGA_BAD_MESSAGE'],
    [{ ...PRESS, periodMs: 1_000 }, '400 MINGA_BAD_MESSAGE'],
    [{ ...PRESS, importance: 0 }, '400 MINGA_BAD_MESSAGE'],
    [{ ...PRESS, subject: 'site', include: ['('] }, '400 MINGA_BAD_PATTERN'],
  ]
  for (const [body, expected] of refused) {
    assert.equal(
      await people.outcome(token, 'POST', '/watches', body),
      expected,
      JSON.stringify(body),
    )
  }
  assert.deepEqual(await people.ok(token, 'GET', '/watches'), [])
  const { id } = await watch(people, token, PRESS)
  const change = (body: object) => people.outcome(token, 'PATCH', `/watches/${id}`, body)
  assert.equal(await change({ removeUrls: PRESS.urls }), '400 MINGA_WATCH_REFUSED')
  assert.equal(await change({ addUrls: ['https://b.test/'] }), '400 MINGA_WATCH_REFUSED')
  assert.equal(await change({ peroidMs: 60_000 }), '400 MINGA_BAD_MESSAGE')
  const { urls, url } = await people.ok<WatchDetail>(token, 'GET', `/watches/${id}`)
  assert.deepEqual([urls, url], [1, PRESS.urls[0]])
})
