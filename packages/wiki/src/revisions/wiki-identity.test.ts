// Goal: a wiki is one wiki, however it is met and however it is called. Method: sites as dumps and APIs tell
// them, in stores on both databases, and every way of naming them.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Store } from '@minga/store'
import { ENGINES, type TestEngine } from '../../../store/test/contract-engines.ts'
import type { RevisionSource, SiteInfo } from '../model.ts'
import { OPERATIONS, siteOf } from '../../test/revisions/revisions-fixture.ts'
import { placeOf } from './wiki-identity.ts'
import type { FixtureOperations } from '../../test/revisions/fixture-operations.ts'
import type { Gap } from '../api/gap.ts'

interface Registered {
  wikiId: number
  key: string
  isNew: boolean
}

async function stored(
  engine: TestEngine,
  use: (
    register: (site: SiteInfo, source?: RevisionSource) => Promise<Registered>,
    store: Store<FixtureOperations>,
  ) => Promise<void>,
): Promise<void> {
  const store = await (await engine.home()).openHere<FixtureOperations>({ operations: OPERATIONS })
  try {
    await use((site, source = 'api') => store.call('wikiRegister', { site, source, now: 1 }), store)
  } finally {
    await store.close()
  }
}

for (const engine of ENGINES) {
  describe(`which wiki is meant, on ${engine.name}`, { skip: engine.skip }, () => {
    test('a wiki known from a dump and later from its API is one wiki', async () => {
      await stored(engine, async (register, store) => {
        const base = 'https://en.wiki.example/wiki/Main_Page'
        const dump = await register(siteOf(base), 'dump')
        const apiUrl = 'https://en.wiki.example/w/api.php'
        const api = await register(
          siteOf(base, { apiUrl, articlePath: '/wiki/$1', name: 'Renamed' }),
        )
        assert.deepEqual(api, { wikiId: dump.wikiId, key: 'en.wiki.example', isNew: false })
        await register(siteOf(base), 'dump')
        const found = await store.call('wikiFind', {
          wiki: 'en.wiki.example',
        })
        assert.deepEqual([found.apiUrl, found.name], [apiUrl, 'Renamed'])
      })
    })

    test('wikis that share a host are distinguished by their folders', async () => {
      await stored(engine, async (register, store) => {
        const one = await register(
          siteOf('http://host.example:8080/a/index.php/Main', {
            apiUrl: 'http://host.example:8080/a/api.php',
          }),
        )
        const two = await register(
          siteOf('http://host.example:8080/b/index.php/Main', {
            apiUrl: 'http://host.example:8080/b/api.php',
          }),
        )
        assert.deepEqual([one.key, two.key], ['host.example:8080', 'host.example:8080/b'])
        const find = async (wiki: string): Promise<number> =>
          (await store.call('wikiFind', { wiki })).wikiId
        assert.equal(await find('http://host.example:8080/b/index.php?title=X'), two.wikiId)
        assert.equal(await find('http://host.example:8080/a/api.php'), one.wikiId)
      })
    })

    test('a wiki is found by its key, database, name, api.php and pages, and else near ones are named', async () => {
      await stored(engine, async (register, store) => {
        const site = siteOf('https://en.wiki.example/wiki/Main_Page', {
          apiUrl: 'https://en.wiki.example/w/api.php',
        })
        const { wikiId } = await register(site)
        for (const wiki of [
          'en.wiki.example',
          'EN.wiki.example',
          'examplewiki',
          'Example',
          'https://en.wiki.example/w/api.php?action=query',
          'https://en.m.wiki.example/wiki/Some/Page?x=1#top',
          '//en.wiki.example/wiki/X',
        ]) {
          const found = await store.call('wikiFind', { wiki })
          assert.equal(found.wikiId, wikiId, wiki)
        }
        await register(siteOf('https://de.wiki.example/wiki/Main_Page'))
        await assert.rejects(store.call('wikiFind', { wiki: 'examplewiki' }), {
          code: 'MINGA_NO_SUCH_WIKI',
        })
        await assert.rejects(
          store.call('wikiFind', { wiki: 'fr.wiki.example' }),
          /de\.wiki\.example/,
        )
      })
    })

    test('tasks are listed, reordered, limited, cancelled and retried', async () => {
      await stored(engine, async (register, store) => {
        const { wikiId } = await register(siteOf('https://wiki.example/wiki/Main_Page'))
        const add = (title: string, priority = 0) =>
          store.call('wikiAddTask', {
            wikiId,
            kind: 'extract',
            arguments: { title },
            priority,
            now: 10,
          })
        const [first, second] = [await add('A'), await add('B')]
        const change = (id: number, news: object) =>
          store.call('wikiChangeTask', { id, now: 20, ...news })
        const turns = async (): Promise<number[]> =>
          (await store.call('wikiOpenTasks', { wikiId })).map(({ id }) => id)
        assert.deepEqual(await turns(), [first.id, second.id])
        await change(second.id, { priority: 5, limits: { revisions: 100 } })
        assert.deepEqual(await turns(), [second.id, first.id])
        const running = await change(first.id, { state: 'running', progress: { revisions: 3 } })
        assert.deepEqual(
          [running?.state, running?.attempts, running?.startedAt, running?.wiki],
          ['running', 1, 20, 'wiki.example'],
        )
        await change(first.id, { state: 'failed', error: 'MINGA_WIKI_CLOSED' })
        const late = await change(first.id, { state: 'running' })
        assert.equal(late?.state, 'failed', 'what has ended stays ended')
        const retried = await change(first.id, { state: 'waiting' })
        assert.deepEqual(
          [retried?.state, retried?.error, retried?.endedAt],
          ['waiting', null, null],
        )
        await change(second.id, { state: 'cancelled' })
        const done = await store.call('wikiListTasks', {
          states: ['cancelled'],
        })
        assert.deepEqual([done.length, done[0]!.limits], [1, { revisions: 100 }])
        assert.equal(await store.call('wikiChangeTask', { id: 999, now: 1 }), null)
      })
    })

    test('titles, events and gaps of a page are kept as they become known', async () => {
      await stored(engine, async (register, store) => {
        const { wikiId } = await register(siteOf('https://wiki.example/wiki/Main_Page'))
        const note = (title: string, now: number, more = {}) =>
          store.call('wikiNotePages', {
            wikiId,
            now,
            pages: [
              {
                pageId: 7,
                ns: 0,
                title,
                redirect: null,
                ...more,
              },
            ],
          })
        await note('Old', 10, { state: 'extracting', extractedAt: 10, lastRevId: 3 })
        await note('New', 20, { state: 'complete', extractedAt: 20, titleSince: 15, how: 'moved' })
        await note('New', 30)
        const [page] = await store.call('wikiPageRows', {
          wikiId,
          titles: ['New'],
        })
        assert.deepEqual(
          [page!['state'], page!['firstAt'], page!['lastAt'], page!['lastRevId']],
          ['complete', 10, 20, 3],
        )
        assert.deepEqual(await store.call('wikiTitlesOfPage', { wikiId, pageId: 7 }), [
          { title: 'Old', ns: 0, since: 10, until: 15, how: 'seen' },
          { title: 'New', ns: 0, since: 15, until: null, how: 'moved' },
        ])
        const event = {
          kind: 'moved',
          at: 15,
          logId: 4,
          pageId: 7,
          title: 'Old',
          details: { to: 'New' },
        }
        await store.call('wikiNoteEvents', { wikiId, events: [event], now: 20 })
        await store.call('wikiNoteEvents', { wikiId, events: [event], now: 30 })
        const events = await store.call('wikiListEvents', {
          wikiId,
          pageId: 7,
        })
        assert.deepEqual(
          events.map(({ details }) => details),
          [{ to: 'New' }],
        )
        const gap: Gap = { pageId: 7, revId: 3, kind: 'sha1-wrong', detail: 'x', explainedBy: null }
        await store.call('wikiNoteGaps', { wikiId, gaps: [gap, { ...gap, revId: null }], now: 20 })
        await store.call('wikiNoteGaps', { wikiId, gaps: [gap], now: 30 })
        assert.equal((await store.call('wikiListGaps', { wikiId })).length, 2)
        await store.call('wikiClearGaps', { wikiId, pageId: 7, revIds: [3] })
        assert.equal((await store.call('wikiListGaps', { wikiId, pageId: 7 })).length, 1)
      })
    })
  })
}

test('the folder of articles is found in every form of address', () => {
  assert.deepEqual(placeOf('https://a.example/wiki/Main_Page'), {
    host: 'a.example',
    root: '/wiki',
  })
  assert.deepEqual(placeOf('//a.example/w/index.php?title=X'), { host: 'a.example', root: '/w' })
  assert.deepEqual(placeOf('http://a.example:81/Main'), { host: 'a.example:81', root: '' })
  assert.deepEqual(placeOf('https://a.example/x/Foo/Bar', '/x/$1'), {
    host: 'a.example',
    root: '/x',
  })
  assert.equal(placeOf('not an address'), null)
})
