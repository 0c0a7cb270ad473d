// Goal: endless mazes are cut off, ordinary large sites never. Method: shapes of addresses, and many
// URLs of a host that has given its first thousand pages, on both databases.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import { openStation, type TestStation } from '../../test/station-fixture.ts'
import { isStructuralTrap } from './trap-budget.ts'

const SITE = 'http://10.1.0.1'

test('paths that repeat themselves or never end are traps by their shape', () => {
  assert.ok(isStructuralTrap(`${SITE}/a/b/a/b/a/b/`))
  assert.ok(isStructuralTrap(`${SITE}/x/x/x/`))
  assert.ok(isStructuralTrap(`${SITE}/${Array.from({ length: 30 }, (_, i) => i).join('/')}`))
  assert.ok(!isStructuralTrap(`${SITE}/2024/05/12/a-long-title/`))
  assert.ok(!isStructuralTrap(`${SITE}/a/b/a/b/c/`))
  assert.ok(!isStructuralTrap(`${SITE}/`))
})

for (const engine of ENGINES) {
  describe(`Trap budget on ${engine.name}`, { skip: engine.skip }, () => {
    const largeHost = async (pages: number): Promise<{ station: TestStation; id: number }> => {
      const station = await openStation(engine)
      const id = await station.open({ seeds: [`${SITE}/`] })
      await station.change('UPDATE collection_hosts SET pages = ?', [pages])
      return { station, id }
    }
    const denied = async (
      { station, id }: { station: TestStation; id: number },
      urls: string[],
    ): Promise<number> => {
      const before = (await station.status(id)).denied
      for (let from = 0; from < urls.length; from += 2_000) {
        await station.discover(id, urls.slice(from, from + 2_000))
      }
      return (await station.status(id)).denied - before
    }
    const numbered = (count: number, shape: (i: number) => string): string[] =>
      Array.from({ length: count }, (_, i) => SITE + shape(i))

    test('before a thousand pages nothing is refused', async () => {
      const host = await largeHost(999)
      assert.equal(
        await denied(
          host,
          numbered(500, (i) => `/x/x/x/${i}`),
        ),
        0,
      )
    })

    test('an ordinary large flat site is never refused', async () => {
      const host = await largeHost(1_000)
      assert.equal(
        await denied(
          host,
          numbered(6_000, (i) => `/articles/${i}.html`),
        ),
        0,
      )
      assert.equal(
        await denied(
          host,
          numbered(3_000, (i) => `/node?id=${i}`),
        ),
        0,
      )
    })

    test('an ordinary site whose pages end in a slash is never refused', async () => {
      const host = await largeHost(3_000)
      assert.equal(
        await denied(
          host,
          numbered(6_000, (i) => `/blog/a-title-${i}/`),
        ),
        0,
      )
    })

    test('a maze of filters is cut off after a thousand addresses of one shape', async () => {
      const host = await largeHost(1_000)
      const urls = numbered(3_000, (i) => `/facets?color=${i % 50}&size=${i}`)
      assert.equal(await denied(host, urls), 2_000)
    })

    /** Follows a calendar from day to day, or from month to month, until a day is refused. */
    const untilRefused = async (
      host: { station: TestStation; id: number },
      { shape, stepDays }: { shape: (date: string) => string; stepDays: number },
    ): Promise<number> => {
      const day = new Date(host.station.now)
      for (let known = 0; known < 10_000; known += 50) {
        const urls = Array.from({ length: 50 }, () => {
          day.setUTCDate(day.getUTCDate() + stepDays)
          return SITE + shape(day.toISOString().slice(0, 10))
        })
        if ((await denied(host, urls)) > 0) return known
      }
      return Infinity
    }

    test('a calendar that leads on for ever ends by itself, whatever its addresses look like', async () => {
      const host = await largeHost(1_000_000)
      const day = (date: string): string => `/cal/${date.replaceAll('-', '/')}/`
      const slashes = await untilRefused(host, { shape: day, stepDays: 1 })
      assert.ok(slashes >= 365 && slashes <= 1_500, `${slashes} days`)
      const query = (date: string): string => `/agenda?day=${date}`
      const single = await untilRefused(host, { shape: query, stepDays: 1 })
      assert.ok(single >= 365 && single <= 1_500, `${single} days`)
      const past = (date: string): string =>
        `/${date.slice(0, 7).split('-').toReversed().join('/')}`
      const months = await untilRefused(host, { shape: past, stepDays: 31 })
      assert.ok(months >= 24 && months <= 500, `${months} months`)
    })

    test('a calendar that leads back ends too, and dates with a name behind them are articles', async () => {
      const host = await largeHost(1_000_000)
      const back = { shape: (date: string): string => `/day/${date}`, stepDays: -1 }
      assert.equal(await denied(host, [`${SITE}/day/2020-01-01`]), 0)
      await host.station.change(`UPDATE trap_places SET members = 4900 WHERE place = 'dates /day/'`)
      assert.equal(await untilRefused(host, back), 100, 'of 5,000 days in all')
      const article = (i: number): string => `/news/${2_000 + (i % 20)}/11/${i % 28}/title-${i}`
      assert.equal(await denied(host, numbered(1_500, article)), 0)
    })

    test('threads and their pages are no calendar, although some of their numbers look like years', async () => {
      const host = await largeHost(999)
      assert.equal(await denied(host, [`${SITE}/thread/12/1`]), 0)
      await host.station.change('UPDATE collection_hosts SET pages = 1000000')
      const thread = (i: number): string =>
        `/thread/${2_100 + (i % 500)}/${1 + Math.floor(i / 500)}`
      assert.equal(await denied(host, numbered(1_500, thread)), 0)
    })

    test('pages that each open a directory of their own are cut off', async () => {
      const host = await largeHost(1_000)
      const urls = numbered(3_000, (i) => `/session/${i}/page`)
      assert.equal(await denied(host, urls), 2_000)
    })
  })
}
