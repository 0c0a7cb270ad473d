// Goal: what a wiki said is read back exactly, at once and after every fold, once, and no more than may be shown.
// Method: batches into a real store on both databases, folds and compactions between, reading by every door.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { systemClock } from '@minga/protocol'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import { openRevisions } from './revisions.ts'
import {
  everything,
  newWiki,
  revisionOf,
  sha1,
  START,
  WIKI,
  type TestWiki,
} from '../../test/revisions/revisions-fixture.ts'

const many = (pageId: number, from: number, until: number) =>
  Array.from({ length: until - from }, (_, i) => revisionOf(pageId, from + i))

const filesOf = ({ home, wikiId }: TestWiki): string[] => {
  const folder = path.join(home.options.data, 'wiki', String(wikiId))
  return fs.existsSync(folder) ? fs.readdirSync(folder).toSorted() : []
}

const count = async ({ revisions }: TestWiki): Promise<unknown> =>
  (await revisions.sql([WIKI], 'SELECT count(*) FROM revisions')).rows[0]![0]

for (const engine of ENGINES) {
  describe(`histories on ${engine.name}`, { skip: engine.skip }, () => {
    test('revisions are read back exactly, pending and folded', async () => {
      const wiki = await newWiki(engine)
      const odd = revisionOf(2, 50, {
        text: 'Ünïcode \u{1F600}\0 and NUL',
        user: null,
        userId: null,
        editor: 'unknown',
        hidden: ['user'],
        tags: ['a', 'b'],
        parsedComment: '<b>x</b>',
      })
      await wiki.add([...many(1, 10, 20), odd])
      const pending = await everything(wiki.revisions)
      assert.equal(await wiki.revisions.fold(), 11)
      const folded = await everything(wiki.revisions)
      assert.deepEqual(folded, pending)
      const { source: _, seenAt: __, ...back } = folded.find(({ revId }) => revId === 50)!
      assert.deepEqual(back, odd)
      const text = await wiki.revisions.text(WIKI, 50)
      assert.equal(Buffer.from(text!).toString(), 'Ünïcode \u{1F600}\0 and NUL')
      assert.equal(await wiki.revisions.text(WIKI, 51), null)
    })

    test('Idempotent upsert: a revision that comes again, pending or folded, is there once', async () => {
      const wiki = await newWiki(engine)
      await wiki.add(many(1, 1, 30))
      await wiki.add(many(1, 1, 30))
      assert.equal(await count(wiki), 29)
      assert.equal(await wiki.revisions.fold(), 29)
      await wiki.add(many(1, 1, 30))
      assert.equal(await count(wiki), 29)
      assert.equal(await wiki.revisions.fold(), 0, 'nothing new is written')
      const [stats] = await wiki.revisions.stats()
      assert.equal(stats!.revisions, 29)
      const rawBytes = many(1, 1, 30).reduce((sum, { size }) => sum + size!, 0)
      assert.equal(stats!.rawBytes, rawBytes)
    })

    test('Idempotent upsert: what the wiki says later of a revision takes the place of what it said before', async () => {
      const wiki = await newWiki(engine)
      await wiki.add(many(1, 1, 6))
      await wiki.revisions.fold()
      wiki.clock.set(START + 1_000)
      await wiki.add([revisionOf(9, 3, { tags: ['mw-reverted'], text: 'Text 3 of page 1.' })])
      for (const state of ['pending', 'folded']) {
        const revision = await wiki.revisions.revision(WIKI, 3)
        assert.deepEqual([revision!.pageId, revision!.tags], [9, ['mw-reverted']], state)
        assert.equal(await count(wiki), 5, state)
        await wiki.revisions.fold()
      }
      assert.equal((await wiki.texts()).get(3), 'Text 3 of page 1.')
      const { rows } = await wiki.revisions.sql(
        [WIKI],
        'SELECT page_id, count(*) FROM revisions GROUP BY 1 ORDER BY 1',
      )
      assert.deepEqual(rows, [
        [1, 4],
        [9, 1],
      ])
      const [stats] = await wiki.revisions.stats()
      assert.equal(stats!.revisions, 5)
    })

    test('an older dump does not overrule the wiki, and adds what the wiki did not tell', async () => {
      const wiki = await newWiki(engine)
      await wiki.add([revisionOf(1, 5, { tags: ['kept'], text: null, size: 17, sha1: null })])
      await wiki.revisions.fold()
      await wiki.add([revisionOf(1, 5, { tags: [], text: 'Text 5 of page 1.', user: 'Other' })], {
        source: 'dump',
        seenAt: START - 1_000,
      })
      await wiki.revisions.fold()
      const revision = await wiki.revisions.revision(WIKI, 5)
      assert.deepEqual(revision!.tags, ['kept'])
      assert.equal(revision!.user, 'User 5')
      assert.equal((await wiki.texts()).get(5), 'Text 5 of page 1.')
    })

    test('Incremental resume: batches of later visits join the history, whatever was folded between', async () => {
      const wiki = await newWiki(engine)
      for (const [from, until] of [
        [1, 50],
        [49, 80],
        [80, 81],
      ]) {
        await wiki.add(many(1, from!, until!))
        await wiki.revisions.fold()
        await wiki.reopen()
      }
      const history = await everything(wiki.revisions)
      assert.deepEqual(
        history.map(({ revId }) => revId),
        Array.from({ length: 80 }, (_, i) => i + 1),
      )
      assert.equal((await wiki.revisions.stats())[0]!.revisions, 80)
    })

    test('many small segments become few and nothing is lost by it', async () => {
      const wiki = await newWiki(engine)
      for (let round = 0; round < 9; round++) {
        await wiki.add(
          [1, 2, 3, 4, 5, 6].flatMap((page) =>
            many(page, page * 1000 + round * 10, page * 1000 + round * 10 + 12),
          ),
        )
        await wiki.revisions.fold()
      }
      const before = await everything(wiki.revisions)
      const files = filesOf(wiki).length
      assert.ok((await wiki.revisions.compact()) > 0)
      wiki.clock.set(START + 3_600_000)
      await wiki.revisions.tidy()
      assert.ok(filesOf(wiki).length < files)
      assert.deepEqual(await everything(wiki.revisions), before)
      await wiki.revisions.compact(WIKI, { isWhole: true })
      assert.deepEqual(await everything(wiki.revisions), before)
    })

    test('files of a former state stay for its readers and go after their time', async () => {
      const wiki = await newWiki(engine)
      await wiki.add(many(1, 1, 5))
      await wiki.revisions.fold()
      await wiki.add(many(1, 5, 9))
      await wiki.revisions.fold()
      const before = filesOf(wiki)
      await wiki.revisions.compact(WIKI, { isWhole: true })
      await wiki.revisions.tidy()
      for (const file of before) assert.ok(filesOf(wiki).includes(file))
      wiki.clock.set(START + 16 * 60_000)
      await wiki.revisions.tidy()
      for (const file of before) assert.ok(!filesOf(wiki).includes(file))
      assert.equal(await count(wiki), 8)
    })

    test('files without a reference are removed at opening, and those of a running fold stay', async () => {
      const wiki = await newWiki(engine)
      await wiki.add(many(1, 1, 5))
      await wiki.revisions.fold()
      const before = filesOf(wiki)
      const begun = await wiki.store.call('wikiBeginFold', {
        wikiId: wiki.wikiId,
        kind: 'fold',
        now: wiki.clock.now(),
      })
      const folder = path.join(wiki.home.options.data, 'wiki', String(wiki.wikiId))
      fs.writeFileSync(path.join(folder, `${begun.fold}-0.pack.partial`), 'x')
      fs.writeFileSync(path.join(folder, `${begun.fold + 1}-0.pack`), 'x')
      await wiki.revisions.tidy()
      assert.deepEqual(filesOf(wiki), [...before, `${begun.fold}-0.pack.partial`].toSorted())
      wiki.clock.set(wiki.clock.now() + 11 * 60_000)
      await wiki.revisions.tidy({ isOpening: true })
      assert.deepEqual(filesOf(wiki), before)
    })

    test('a text that the wiki hides is gone at once for readers and after the fold from every file', async () => {
      const wiki = await newWiki(engine)
      const secret = 'the secret that was never to be seen'
      await wiki.add([...many(1, 1, 4), revisionOf(1, 4, { text: secret })])
      await wiki.revisions.fold()
      wiki.clock.set(START + 1_000)
      await wiki.add([
        revisionOf(1, 4, {
          text: null,
          hidden: ['text', 'user'],
          user: null,
          userId: null,
          editor: 'unknown',
        }),
      ])
      assert.equal(await wiki.revisions.text(WIKI, 4), null)
      await wiki.revisions.fold()
      assert.equal(await wiki.revisions.text(WIKI, 4), null)
      const revision = await wiki.revisions.revision(WIKI, 4)
      assert.deepEqual([revision!.user, revision!.hidden], [null, ['text', 'user']])
      assert.equal((await wiki.revisions.stats())[0]!.revisions, 4)
      const purges = await wiki.store.call('wikiListPurges', {
        wikiId: wiki.wikiId,
      })
      assert.equal(purges.length, 1)
      assert.notEqual(purges[0]!.doneAt, null)
      assert.equal((await wiki.revisions.verify(WIKI)).damages.length, 0)
      assert.equal([...(await wiki.texts()).values()].filter((text) => text === secret).length, 0)
      assert.ok(filesOf(wiki).length <= 8, 'no file of a former state is left')
    })

    test('what the wiki shows again is shown, and what was taken down never', async () => {
      const wiki = await newWiki(engine)
      await wiki.add(many(1, 1, 4))
      await wiki.revisions.fold()
      await wiki.revisions.purge(WIKI, [2], { reason: 'asked by the author' })
      assert.equal(await wiki.revisions.text(WIKI, 2), null)
      wiki.clock.set(START + 1_000)
      await wiki.add([revisionOf(1, 1, { text: null, hidden: ['text'] })])
      assert.equal(await wiki.revisions.text(WIKI, 1), null)
      wiki.clock.set(START + 2_000)
      await wiki.add(many(1, 1, 4))
      for (let state = 0; state < 2; state++) {
        const texts = await wiki.texts()
        assert.equal(texts.get(1), 'Text 1 of page 1.')
        assert.equal(texts.get(2), null)
        assert.equal(await wiki.revisions.text(WIKI, 2), null)
        await wiki.revisions.fold()
      }
      const waiting = await wiki.store.call('wikiPending', { wikiId: wiki.wikiId })
      assert.deepEqual(waiting, [])
    })

    test('a takedown reaches what is pending', async () => {
      const wiki = await newWiki(engine)
      await wiki.add(many(1, 1, 4))
      await wiki.revisions.purge(WIKI, [2], { reason: 'asked', fields: ['text', 'comment'] })
      const [batch] = await wiki.store.call('wikiPending', {
        wikiId: wiki.wikiId,
      })
      assert.equal(batch!.rawBytes, 2 * 'Text 1 of page 1.'.length)
      assert.equal((await wiki.revisions.revision(WIKI, 2))!.comment, null)
      await wiki.revisions.fold()
      assert.equal((await wiki.revisions.revision(WIKI, 2))!.comment, null)
      assert.equal(await wiki.revisions.text(WIKI, 2), null)
    })

    test('a text costs the store one question, and what others take down is not given from memory', async () => {
      const wiki = await newWiki(engine)
      await wiki.add(many(1, 1, 30))
      await wiki.revisions.fold()
      const asked: string[] = []
      const reader = openRevisions({
        data: wiki.home.options.data,
        store: {
          call: (operation, args) => {
            asked.push(operation)
            return wiki.store.call(operation, args)
          },
        },
        clock: { ...systemClock, now: () => wiki.clock.now() },
      })
      for (const revId of [3, 4]) assert.ok(await reader.text(WIKI, revId))
      asked.length = 0
      for (const name of [WIKI, WIKI.toUpperCase(), 'examplewiki']) {
        const text = await reader.text(name, 3)
        assert.equal(Buffer.from(text!).toString(), 'Text 3 of page 1.')
      }
      assert.equal(asked.length, 3, asked.join(' '))
      const purging = wiki.revisions.purge(WIKI, [3], { reason: 'a request' })
      assert.ok(await reader.text(WIKI, 4), 'others are read while files are rewritten')
      await purging
      assert.equal(await reader.text(WIKI, 3), null)
      assert.ok(await reader.text(WIKI, 4))
      await assert.rejects(reader.text('nowhere.example', 3), { code: 'MINGA_NO_SUCH_WIKI' })
      await reader.close()
    })

    test('several coordinators fold, compact and purge in parallel and nothing is there twice', async () => {
      const wiki = await newWiki(engine)
      const others = Array.from({ length: 3 }, () =>
        openRevisions({
          data: wiki.home.options.data,
          store: wiki.store,
          clock: { ...systemClock, now: () => wiki.clock.now() },
        }),
      )
      for (let round = 0; round < 4; round++) {
        await wiki.add(
          [1, 2, 3].flatMap((page) =>
            many(page, 100 * page + round * 5, 100 * page + round * 5 + 8),
          ),
        )
        await Promise.all([
          ...others.map((other) => other.fold()),
          wiki.add(many(4, 400 + round, 402 + round)),
          others[0]!.compact(WIKI, { isWhole: round % 2 === 1 }),
          others[1]!.purge(WIKI, [100 + round], { reason: 'asked' }),
        ])
      }
      await wiki.revisions.fold()
      const ids = (await everything(wiki.revisions)).map(({ revId }) => revId)
      assert.equal(new Set(ids).size, ids.length)
      assert.equal(ids.length, 3 * 23 + 5)
      const lost = [...(await wiki.texts())].filter(([, text]) => text === null)
      assert.deepEqual(
        lost.map(([revId]) => revId),
        [100, 101, 102, 103],
      )
      assert.equal((await wiki.revisions.stats())[0]!.revisions, ids.length)
      assert.deepEqual((await wiki.revisions.verify(WIKI)).damages, [])
      for (const other of others) await other.close()
    })

    test('a history is read from both ends, between two moments, by title', async () => {
      const wiki = await newWiki(engine)
      await wiki.add(many(1, 1, 11))
      await wiki.revisions.fold()
      await wiki.add(many(1, 11, 13))
      const read = async (options: object): Promise<number[]> => {
        const ids: number[] = []
        const history = wiki.revisions.history(WIKI, { title: 'Page_1' }, options)
        for await (const { revId } of history) ids.push(revId)
        return ids
      }
      assert.deepEqual(await read({ newestFirst: true, from: START + 9_000 }), [12, 11, 10, 9])
      assert.deepEqual(await read({ until: START + 3_000 }), [1, 2])
      await assert.rejects(
        read
          .bind(null, {})()
          .then(() => wiki.revisions.history(WIKI, { title: 'No' }).next()),
        {
          code: 'MINGA_NO_SUCH_WIKI_PAGE',
        },
      )
    })

    test('a whole wiki is verified, and a flipped byte and a lost file are named', async () => {
      const wiki = await newWiki(engine)
      await wiki.add(many(1, 1, 30).map((one) => ({ ...one, parentId: one.revId - 1 })))
      await wiki.revisions.fold()
      const sound = await wiki.revisions.verify(WIKI)
      assert.deepEqual([sound.pages, sound.revisions, sound.damages, sound.gaps], [1, 29, [], []])
      const pack = filesOf(wiki).find((name) => name.endsWith('.pack'))!
      const file = path.join(wiki.home.options.data, 'wiki', String(wiki.wikiId), pack)
      const bytes = fs.readFileSync(file)
      bytes[40]! ^= 0xff
      fs.writeFileSync(file, bytes)
      await wiki.reopen()
      assert.ok((await wiki.revisions.verify(WIKI)).damages.some((text) => text.includes(pack)))
      fs.rmSync(file)
      await wiki.reopen()
      assert.ok(
        (await wiki.revisions.verify(WIKI)).damages.some((text) => text.includes('missing')),
      )
    })

    test('a wrong text from the wiki is a gap, not a damage', async () => {
      const wiki = await newWiki(engine)
      const wrong = revisionOf(1, 1, { sha1: sha1('other') })
      wrong.slots[0]!.sha1 = sha1('other')
      await wiki.add([wrong])
      await wiki.revisions.fold()
      const { gaps, damages } = await wiki.revisions.verify(WIKI)
      assert.deepEqual(damages, [])
      assert.deepEqual(
        gaps.map(({ kind }) => kind),
        ['sha1-wrong'],
      )
    })
  })
}

const [sqlite] = ENGINES

test('a question has limits of time and rows, and reads nothing but revisions', async () => {
  const wiki = await newWiki(sqlite!)
  await wiki.add(many(1, 1, 30))
  await wiki.revisions.fold()
  const ask = (text: string, limits = {}) => wiki.revisions.sql([WIKI], text, [], limits)
  const cut = await ask('SELECT rev_id FROM revisions ORDER BY rev_id', { rowsMax: 5 })
  assert.deepEqual([cut.rows.length, cut.isCut, cut.rows[0]], [5, true, [1]])
  await assert.rejects(
    ask('SELECT count(*) FROM range(100000) a, range(10000000) b', { timeMs: 100 }),
    { code: 'MINGA_WIKI_QUESTION_REFUSED' },
  )
  for (const text of [
    'SELECT 1; SELECT 2',
    'DROP VIEW revisions',
    `COPY (SELECT 1) TO '${wiki.home.options.data}/wiki/1/x.csv'`,
    'SET threads = 1',
  ]) {
    await assert.rejects(ask(text), { code: 'MINGA_WIKI_QUESTION_REFUSED' }, text)
  }
  await assert.rejects(ask(`SELECT * FROM read_text('/etc/hostname')`), /disabled by configuration/)
  assert.equal(await count(wiki), 29)
})

test('what is asked for by value is never part of the question', async () => {
  const wiki = await newWiki(sqlite!)
  await wiki.add(many(1, 1, 30))
  const answer = await wiki.revisions.sql(
    [WIKI],
    'SELECT count(*) AS n FROM revisions WHERE "user" = $1 AND rev_id < $2',
    ["x' OR 1=1 --", 9],
  )
  assert.deepEqual([answer.columns, answer.rows], [['n'], [[0]]])
})
