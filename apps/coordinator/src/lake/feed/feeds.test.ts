// Goal: what the station notes by itself is in its tables exactly once, and leaves them with what
// was taken down. Method: small crawls of a synthetic web on a whole station, on both engines;
// tables read by plain SQL and compared with the archive's own list, the web's own graph and what
// was sent.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DuckDBInstance } from '@duckdb/node-api'
import type { TakedownAnswer } from '@minga/protocol'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import { openStation, TOKENS, type TestStation, type Web } from '../../../test/station-fixture.ts'
import { openWatchStation } from '../../../test/watch/visits/watch-fixture.ts'
import { FEED_NAMES } from './feed-tables.ts'

const HOUR_MS = 3_600_000

const page = (host: string, ...links: string[]): { body: string } => ({
  body: `<title>Of ${host}</title>${links.map((link) => `<a href="${link}">x</a>`).join('')}`,
})

const webOf = (host: string): Web => ({
  [`http://${host}/`]: page(host, '/a', '/b', 'http://elsewhere.test/x'),
  [`http://${host}/a`]: page(host, '/', '/b'),
  [`http://${host}/b`]: page(host, '/gone'),
})

/** What plain SQL says of the tables as they are now. */
async function ask<R>(station: TestStation, sql: string): Promise<R[]> {
  const { feeds, tables } = station.lake
  const names = FEED_NAMES.filter((name) => sql.includes(name))
  await feeds.flush(names)
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  for (const name of names) {
    await connection.run(`CREATE VIEW ${name} AS ${tables.selectOf(await tables.manifest(name))}`)
  }
  const rows = (await connection.runAndReadAll(sql)).getRowObjectsJson()
  connection.closeSync()
  instance.closeSync()
  return rows as R[]
}

async function countOf(station: TestStation, table: string, where = 'true'): Promise<number> {
  const [row] = await ask<{ n: string }>(
    station,
    `SELECT count(*) AS n FROM ${table} WHERE ${where}`,
  )
  return Number(row!.n)
}

for (const engine of ENGINES) {
  describe(`Tables of the station on ${engine.name}`, { skip: engine.skip }, async () => {
    const station = await openStation({ engine, hasLake: true })
    const set = async (payload: object): Promise<void> => {
      const headers = { authorization: `Bearer ${TOKENS.apiKey}` }
      const said = await station.inject({ method: 'PATCH', url: '/api/settings', headers, payload })
      assert.equal(said.status, 200, JSON.stringify(said.body))
    }

    test('captures are those of the archive, links those of the pages, requests those that were sent', async () => {
      const { id } = await station.crawl({ seeds: ['http://one.test/'] }, webOf('one.test'))
      const listed = await station.captures(`?collection=${id}&limit=1000`)
      const rows = await ask<{
        id: string
        url: string
        domain: string
        country: string
        bytes: number
      }>(
        station,
        `SELECT id, url, domain, country, bytes FROM captures WHERE collection = ${id} ORDER BY id`,
      )
      assert.deepEqual(
        rows.map((row) => [Number(row.id), row.url]),
        listed.map((row) => [row.id, row.url]).toSorted((a, b) => Number(a[0]) - Number(b[0])),
      )
      assert.ok(rows.every(({ domain, country }) => domain === 'one.test' && country === 'PE'))
      const links = await ask<{ url: string; to_url: string; to_host: string; kind: string }>(
        station,
        `SELECT url, to_url, to_host, kind FROM links WHERE collection = ${id} ORDER BY url, to_url`,
      )
      assert.deepEqual(
        links.map(({ url, to_url: to, kind }) => `${url} ${to} ${kind}`),
        [
          'http://one.test/ http://elsewhere.test/x link',
          'http://one.test/ http://one.test/a link',
          'http://one.test/ http://one.test/b link',
          'http://one.test/a http://one.test/ link',
          'http://one.test/a http://one.test/b link',
          'http://one.test/b http://one.test/gone link',
        ],
      )
      assert.equal(links[0]!.to_host, 'elsewhere.test')
      const requests = await ask<{ url: string; outcome: string; status: number; device: string }>(
        station,
        `SELECT url, outcome, status, device FROM requests WHERE collection = ${id} ORDER BY url`,
      )
      assert.deepEqual(
        requests.map(({ url, outcome, status }) => `${url} ${outcome} ${status}`),
        listed.map(({ url, status }) => `${url} captured ${status}`).toSorted(),
      )
      assert.ok(requests.every(({ device }) => device === station.device.id))
    })

    test('rows come once, however often the tables are brought up to now', async () => {
      const before = await countOf(station, 'captures')
      await Promise.all([station.lake.feeds.flush(), station.lake.feeds.flush()])
      assert.equal(await countOf(station, 'captures'), before)
      await station.crawl({ seeds: ['http://two.test/'] }, webOf('two.test'))
      await Promise.all([station.lake.feeds.flush(), station.lake.feeds.flush()])
      const listed = await station.captures('?limit=1000')
      assert.equal(await countOf(station, 'captures'), listed.length)
      assert.equal(await countOf(station, 'links', `host = 'two.test'`), 6)
    })

    test('events tell what happened to collections, agents and queries', async () => {
      const { id } = await station.collect({ seeds: ['http://paused.test/'] })
      await station.post(`/collections/${id}/pause`)
      await station.post(`/collections/${id}/resume`)
      await station.post(`/collections/${id}/cancel`)
      const events = await ask<{ kind: string }>(
        station,
        `SELECT kind FROM events WHERE subject = '${id}' ORDER BY kind`,
      )
      assert.deepEqual(
        events.map(({ kind }) => kind).toSorted(),
        ['opened', 'paused', 'resumed', 'cancelled'].map((what) => `collection:${what}`).toSorted(),
      )
      const [joined] = await ask<{ kind: string }>(
        station,
        `SELECT kind FROM events WHERE subject = '${station.device.id}'`,
      )
      assert.equal(joined!.kind, 'agent:joined')
    })

    test('what is taken down leaves the tables and every version of them', async () => {
      const url = 'http://one.test/a'
      const { version } = await station.lake.tables.describe('links')
      assert.equal(await countOf(station, 'links', `url = '${url}'`), 2)
      const said = await station.post('/takedowns', {
        urls: [url],
        versions: 'all',
        reason: 'asked',
      })
      assert.equal((said.body as TakedownAnswer).captures.length, 1, JSON.stringify(said.body))
      assert.equal(await countOf(station, 'captures', `url = '${url}'`), 0)
      assert.equal(await countOf(station, 'links', `url = '${url}'`), 0)
      assert.equal(await countOf(station, 'links', `to_url = '${url}'`), 1)
      await assert.rejects(station.lake.tables.manifest('links', { version }), {
        code: 'MINGA_VERSION_GONE',
      })
      const kept = await station.lake.tables.manifest('links')
      const named = new Set(kept.segments.map(({ file }) => file))
      const onDisk = await station.lake.files.list('tables/links')
      assert.deepEqual(
        onDisk.filter(({ name }) => !named.has(name)),
        [],
      )
      const [event] = await ask<{ subject: string }>(
        station,
        `SELECT subject FROM events WHERE kind = 'takedown:done'`,
      )
      assert.equal(event!.subject, 'one.test')
    })

    test('captures that come after the newest one was taken down are noted, though its number is theirs now', async () => {
      const [newest] = (await station.captures('?limit=1000')).toSorted((a, b) => b.id - a.id)
      await station.post('/takedowns', { urls: [newest!.url], versions: 'all', reason: 'asked' })
      await station.crawl({ seeds: ['http://three.test/'] }, webOf('three.test'))
      const listed = await station.captures('?limit=1000')
      assert.equal(await countOf(station, 'captures'), listed.length)
      const [twice] = await ask(station, 'SELECT id FROM captures GROUP BY id HAVING count(*) > 1')
      assert.equal(twice, undefined)
    })

    test('the station writes of its own accord what has waited for long', async () => {
      let rows = 0
      const isWritten = async (): Promise<boolean> => {
        for (let second = 0; second < 3; second++) {
          await station.clock.advance(1_000)
          await station.tick()
          await station.lake.feeds.close()
        }
        return (await station.lake.tables.describe('captures')).rows === rows + 5
      }
      await set({ feedEveryMs: HOUR_MS })
      await isWritten()
      await station.crawl({ seeds: ['http://four.test/'] }, webOf('four.test'))
      rows = (await station.lake.tables.describe('captures')).rows
      assert.equal(await isWritten(), false)
      await station.clock.advance(HOUR_MS)
      assert.equal(await isWritten(), true)
    })

    test('what is switched off is not noted, and captures of that time come when they are wanted again', async () => {
      await set({ feedTables: 'events' })
      await station.crawl({ seeds: ['http://five.test/'] }, webOf('five.test'))
      assert.equal(await countOf(station, 'captures', `host = 'five.test'`), 0)
      assert.equal(await countOf(station, 'links', `host = 'five.test'`), 0)
      await set({ feedTables: null })
      assert.equal(await countOf(station, 'captures', `host = 'five.test'`), 5)
      assert.equal(await countOf(station, 'links', `host = 'five.test'`), 0)
    })

    test('changes are the visits of watched pages, and those that count are marked', async () => {
      const on = await openWatchStation({ engine })
      const url = 'http://watched.test/'
      const text = 'The council met on Tuesday and agreed on the plan for the new library.'
      on.web = { [url]: { body: `<h1>News</h1><p>${text}</p>` } }
      const { id } = await on.watch({ urls: [url], periodMs: 6 * HOUR_MS })
      await on.pass(60_000)
      on.web = {
        [url]: {
          body: '<h1>News</h1><p>It burned down, and nobody knows why, says the mayor.</p>',
        },
      }
      await on.pass(6 * HOUR_MS)
      const rows = await ask<object>(
        on.station,
        'SELECT watch, url, host, kind, content > 0 AS has_content, is_counted FROM changes ORDER BY "at"',
      )
      const place = { watch: String(id), url, host: 'watched.test' }
      assert.deepEqual(rows, [
        { ...place, kind: 'first', has_content: false, is_counted: false },
        { ...place, kind: 'changed', has_content: true, is_counted: true },
      ])
    })
  })
}
