// Goal: endless mazes are cut off, ordinary large sites never. Method: shapes of addresses, and many
// URLs of a host that has given its first thousand pages, on both databases.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../store/src/contract-engines.ts'
import { openStation, type TestStation } from './station-fixture.ts'
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

    test('pages that each open a directory of their own are cut off', async () => {
      const host = await largeHost(1_000)
      const urls = numbered(3_000, (i) => `/session/${i}/page`)
      assert.equal(await denied(host, urls), 2_000)
    })
  })
}
