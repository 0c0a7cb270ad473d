// Goal: captures of a watched page are compared as its watch compares them, so that no change is
// shown where the watch found none. Method: pages on virtual time with a banner that rotates, the
// API, and the same folder read as it lies.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CaptureDiff, DiffSide, DiffWatch, WatchRequest } from '@minga/protocol'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import { excerptOf } from '../../watch/alerts/alert-text.ts'
import { openReadOnly } from '../../read-only-archive.ts'
import type { WatchStation } from '../../../test/watch/visits/watch-fixture.ts'
import { BANNER_PAGE, bannerStation, NEWS } from '../../../test/archive/banner-fixture.ts'

const HOUR_MS = 3_600_000
const watched = (more: Partial<WatchRequest> = {}): WatchRequest => ({
  subject: 'page',
  urls: [BANNER_PAGE],
  periodMs: 12 * HOUR_MS,
  ...more,
})

async function diffOf({ station }: WatchStation, more = ''): Promise<CaptureDiff> {
  const said = await station.get(`/captures/diff?url=${encodeURIComponent(BANNER_PAGE)}${more}`)
  assert.equal(said.status, 200, JSON.stringify(said.body))
  return said.body as CaptureDiff
}

const told = ({ changed, watch }: CaptureDiff): [boolean, number | null] => [
  changed,
  watch?.id ?? null,
]

for (const engine of ENGINES) {
  describe(`Comparing as watches do on ${engine.name}`, { skip: engine.skip }, () => {
    test('a rotating banner that the mask knows is no change, and an edit next to it is', async () => {
      const { on, say } = await bannerStation({ engine })
      const { id } = await on.watch(watched())
      await on.pass(13 * HOUR_MS)
      const visits = await on.visits(id)
      assert.ok(visits.some(({ outcome }) => outcome === 'noise'))
      assert.ok(!visits.some(({ outcome }) => outcome === 'changed'))
      const same = await diffOf(on)
      assert.deepEqual([same.changed, same.content, same.watch!.chosen], [false, 0, 'only'])
      assert.ok(same.watch!.masks > 0)
      const hidden = same.blocks.filter(({ kind }) => kind !== 'same')
      assert.ok(hidden.length > 0 && hidden.every(({ isIgnored }) => isIgnored))
      assert.deepEqual(told(await diffOf(on, '&raw=1')), [true, null])
      say(NEWS[1]!)
      await on.pass(12 * HOUR_MS)
      const edited = await diffOf(on, `&before=${same.after.timestamp}`)
      assert.deepEqual(told(edited), [true, id])
      const differing = edited.blocks.filter(({ kind, isIgnored }) => kind !== 'same' && !isIgnored)
      assert.deepEqual(
        differing.map(({ after }) => after),
        [NEWS[1]],
      )
    })

    test('a message reports the edit and not the banner', async () => {
      const { on, say } = await bannerStation({ engine })
      const { id: watchId } = await on.watch(watched())
      await on.pass(13 * HOUR_MS)
      const former = (await diffOf(on)).after
      say(NEWS[1]!)
      await on.pass(12 * HOUR_MS)
      const { after: latest } = await diffOf(on)
      const captureOf = ({ capturedAt }: DiffSide) => ({ url: BANNER_PAGE, at: capturedAt })
      const sides = { before: captureOf(former), after: captureOf(latest) }
      const excerpt = await excerptOf(on.station, { url: BANNER_PAGE, watchId, ...sides })
      assert.equal(excerpt.split('\n').length, 2, excerpt)
      assert.match(excerpt, /^- .*library/m)
      assert.match(excerpt, /^\+ .*bridge/m)
    })

    test('of several watches the one that is asked for, else the most important, else the oldest', async () => {
      const { on } = await bannerStation({ engine })
      const chosen = async (more = ''): Promise<[number, DiffWatch['chosen']]> => {
        const { watch } = await diffOf(on, more)
        return [watch!.id, watch!.chosen]
      }
      const all = await on.watch(watched({ name: 'all' }))
      await on.pass(13 * HOUR_MS)
      assert.deepEqual(await chosen(), [all.id, 'only'])
      const news = await on.watch(watched({ name: 'news', includeSelectors: ['main'] }))
      assert.deepEqual(await chosen(), [all.id, 'important'])
      const first = await on.watch(watched({ excludeSelectors: ['.banner'], importance: 5 }))
      assert.deepEqual(await chosen(), [first.id, 'important'])
      assert.deepEqual(await chosen(`&watch=${news.id}`), [news.id, 'asked'])
      const { changed, watch } = await diffOf(on)
      assert.deepEqual([changed, watch!.selectors.exclude], [false, ['.banner']])
      const missing = await on.station.get(`/captures/diff?url=${BANNER_PAGE}&watch=77`)
      assert.equal(missing.status, 404)
      assert.match(JSON.stringify(missing.body), /MINGA_NO_SUCH_WATCH/)
    })

    test('text and pages say by whose eyes', async () => {
      const { on } = await bannerStation({ engine })
      const { id } = await on.watch(watched({ name: 'Town hall' }))
      await on.pass(13 * HOUR_MS)
      const ask = async (more: string): Promise<string> => {
        const url = `/api/captures/diff?url=${encodeURIComponent(BANNER_PAGE)}&${more}`
        return (await on.station.app.inject({ url, headers: { host: 'localhost' } })).body
      }
      const line = new RegExp(`^# as watch ${id} \\(Town hall\\) sees it$`, 'm')
      assert.match(await ask('as=text'), line)
      assert.doesNotMatch(await ask('as=text&raw=1'), /sees it/)
      for (const form of ['html', 'side-by-side']) {
        assert.match(await ask(`as=${form}`), /as watch \d+ \(Town hall\) sees it/)
      }
    })
  })
}

test('a folder that no station serves is compared by its watches, too', async () => {
  const { on } = await bannerStation({})
  const { id } = await on.watch(watched())
  await on.pass(13 * HOUR_MS)
  const asked = await diffOf(on)
  await on.station.store.close()
  const folder = openReadOnly(on.station.data)!
  const query = { url: BANNER_PAGE, before: 'previous', after: 'latest' }
  try {
    const diff = await folder.diff(query)
    assert.deepEqual(JSON.parse(JSON.stringify(diff)), asked)
    assert.deepEqual(told(await folder.diff({ ...query, watchId: id })), [false, id])
    assert.deepEqual(told(await folder.diff({ ...query, raw: true })), [true, null])
    await assert.rejects(folder.diff({ ...query, watchId: 77 }), { code: 'MINGA_NO_SUCH_WATCH' })
  } finally {
    folder.close()
  }
})
