// Goal: the rules hold against MediaWiki itself. Method: a real wiki is filled, read by steps alone, and
// compared with its own dump, by every road; then it changes, and the update must find what changed.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { noMediaWiki, startMediaWiki, type MediaWiki, type WikiOperation } from '@minga/testkit'
import { readDumpBody } from '../dump/xml-reader.ts'
import type { Revision, SiteInfo } from '../model.ts'
import { TICKET } from '../../test/api/answer-fixture.ts'
import { planPoll } from './change-feed.ts'
import { checkHistory, historyRowOf } from './completeness.ts'
import { planPage } from './incremental.ts'
import { allNamespaces, listOfIds, stepsForPages, wholeHistory } from './plan-steps.ts'
import { planRepair } from './repair.ts'
import { firstStep, readWikiAddress, wantedOn } from './wiki-address.ts'
import { walk } from '../../test/api/walk-fixture.ts'
import { indexUrlFor } from './wiki-step.ts'

const skip = noMediaWiki()
const TITLE = 'Straße/日本語'
let wiki: MediaWiki
let site: SiteInfo

function minute(n: number): string {
  return new Date(Date.UTC(2020, 0, 1, 0, n)).toISOString().replace('.000', '')
}

function history(title: string, count: number): WikiOperation[] {
  return Array.from({ length: count }, (_, n) => ({
    do: 'edit',
    title,
    text: `${n} é 猫 <ref>&amp;</ref>\n`.repeat(n % 7 || 1).trim(),
    user: `User ${n % 3}`,
    comment: `edit ${n}`,
    at: minute(n),
    minor: n % 5 === 0,
  }))
}

before(async () => {
  if (skip) return
  wiki = await startMediaWiki()
  const slots: WikiOperation = {
    do: 'edit',
    title: 'Slots',
    text: 'main',
    slots: { aside: 'side' },
    at: minute(1),
  }
  const unicode: WikiOperation = { do: 'edit', title: 'Accents', text: 'cafe\u0301', at: minute(2) }
  const listed: WikiOperation = {
    do: 'edit',
    title: 'Member',
    text: '[[Category:Things]]',
    at: minute(3),
  }
  wiki.perform([...history(TITLE, 120), ...history('Short', 12), slots, unicode, listed])
  const walked = await walk([firstStep(readWikiAddress(wiki.apiUrl), TICKET)])
  assert.ok(walked.site)
  site = walked.site
})

after(async () => {
  if (!skip) await wiki.stop()
})

/** From the address of a page to all that belongs to it. */
async function extract(address: string) {
  const read = readWikiAddress(address)
  return walk([firstStep(read, TICKET)], {
    follow: (news, known) => {
      const title = news.site === null ? null : wantedOn(news.site, read).title
      const lists =
        news.site === null || title === null
          ? []
          : stepsForPages(news.site, { titles: [title] }, TICKET)
      const pages = known === null ? [] : news.pages
      return [
        ...lists,
        ...pages.flatMap((page) =>
          planPage({ page, stored: null, site: known as SiteInfo, ticket: TICKET }),
        ),
      ]
    },
  })
}

function dumped(): Map<number, Revision> {
  const revisions = new Map<number, Revision>()
  for (const item of readDumpBody(wiki.dumpBackup())) {
    if (item.type === 'revision') revisions.set(item.revision.revId, item.revision)
  }
  return revisions
}

function texts({ slots }: Revision): string[] {
  return slots.map(
    ({ role, text }) => `${role}: ${text === null ? 'none' : Buffer.from(text).toString('hex')}`,
  )
}

test(
  'the history of a page is the one of the wiki’s own dump, byte for byte',
  { skip },
  async () => {
    const walked = await extract(`${site.base.replace(/[^/]*$/, '')}${encodeURIComponent(TITLE)}`)
    assert.deepEqual(
      walked.steps.map(({ kind }) => kind),
      ['siteinfo', 'titles', 'revisions', 'revisions', 'revisions'],
    )
    assert.equal(walked.revisions.size, 120)
    const dump = dumped()
    for (const revision of walked.revisions.values()) {
      const own = dump.get(revision.revId)
      assert.ok(own)
      assert.deepEqual(texts(revision), texts(own))
      for (const key of [
        'at',
        'user',
        'userId',
        'comment',
        'isMinor',
        'sha1',
        'parentId',
        'size',
        'editor',
      ] as const) {
        assert.equal(revision[key], own[key], key)
      }
    }
    const pageId = [...walked.revisions.values()][0]?.pageId ?? 0
    const list = await walk([listOfIds(site, pageId, TICKET)], { site })
    const rows = [...walked.revisions.values()].map(historyRowOf)
    const listed = list.news.flatMap(({ claims }) => claims)
    const count = list.news.at(-1)?.finished?.revisions ?? null
    assert.deepEqual(checkHistory(rows, { pageId, listed, count }), [])
  },
)

test('an export and the pages of a history give what the API gives', { skip }, async () => {
  const index = indexUrlFor(wiki.apiUrl)
  const api = await extract(`${index}?title=Short`)
  const exported = await walk([{ kind: 'export', index, title: 'Short', ticket: TICKET }], { site })
  const begin = { offset: null, limit: 5, soFar: 0, ticket: TICKET }
  const pages = await walk([{ kind: 'historyPage', index, title: 'Short', ...begin }], { site })
  assert.equal(pages.steps.length, 15, 'three pages of the history and twelve texts')
  for (const road of [exported, pages]) {
    assert.equal(road.revisions.size, 12)
    for (const revision of road.revisions.values()) {
      const own = api.revisions.get(revision.revId)
      assert.ok(own)
      assert.deepEqual(texts(revision), texts(own))
      for (const key of ['at', 'user', 'comment', 'isMinor', 'sha1', 'size'] as const) {
        assert.equal(revision[key], own[key], key)
      }
    }
  }
  const flaws = pages.news.flatMap(({ gaps, warnings }) => [...gaps, ...warnings])
  assert.deepEqual(flaws, [])
})

test('slots are read and their combined SHA-1 is the wiki’s', { skip }, async () => {
  const walked = await extract(`${indexUrlFor(wiki.apiUrl)}?title=Slots`)
  const [revision] = walked.revisions.values()
  assert.deepEqual(
    revision?.slots.map(({ role }) => role),
    ['main', 'aside'],
  )
  assert.deepEqual(
    walked.news.flatMap(({ gaps }) => gaps),
    [],
  )
})

test(
  'a text that the API changes is noticed by its SHA-1 and had by its own road',
  { skip },
  async () => {
    const walked = await extract(`${indexUrlFor(wiki.apiUrl)}?title=Accents`)
    const gaps = walked.news.flatMap((news) => news.gaps)
    assert.deepEqual(
      gaps.map(({ kind }) => kind),
      ['sha1-wrong'],
    )
    const repair = planRepair(gaps, { site, ticket: { ...TICKET, attempt: 2 }, title: 'Accents' })
    const mended = await walk(repair, { site, revisions: walked.revisions })
    assert.deepEqual(
      mended.news.flatMap((news) => news.gaps),
      [],
    )
    const [revision] = mended.revisions.values()
    assert.equal(Buffer.from(revision?.slots[0]?.text ?? []).toString(), 'cafe\u0301')
  },
)

test('namespaces and categories list their pages', { skip }, async () => {
  const all = await walk(stepsForPages(site, { namespaces: allNamespaces(site) }, TICKET), { site })
  const titles = all.news.flatMap(({ pages }) => pages.map(({ title }) => title))
  for (const title of [TITLE, 'Slots', 'Accents', 'Member'])
    assert.ok(titles.includes(title), title)
  const category = { title: 'Category:Things', depth: 1 }
  const members = await walk(stepsForPages(site, { categories: [category] }, TICKET), { site })
  assert.deepEqual(
    members.news.flatMap(({ pages }) => pages.map(({ title }) => title)),
    ['Member'],
  )
})

test(
  'edits, moves and hidden revisions are found by the update and reported by the feed',
  { skip },
  async () => {
    const [first, second] = wiki.perform(history('Changing', 3))
    const pageId = first?.pageid ?? 0
    const secondId = second?.revid ?? 0
    const whole = await walk([wholeHistory(site, pageId, TICKET)], { site })
    const rows = [...whole.revisions.values()]
    const stored = {
      lastRevId: rows.at(-1)?.revId ?? null,
      newestAt: rows.at(-1)?.at ?? null,
      revisions: 3,
      isComplete: true,
    }
    const facts = async (run: number) => {
      const ticket = { ...TICKET, run }
      const swept = await walk(
        stepsForPages(site, { pageIds: [pageId], isFollowing: false }, ticket),
        { site },
      )
      const [page] = swept.news[0]?.pages ?? []
      assert.ok(page)
      return { page, steps: planPage({ page, stored, site, ticket }) }
    }
    assert.deepEqual((await facts(1)).steps, [])
    wiki.perform([
      { do: 'edit', title: 'Changing', text: 'newer', at: minute(60) },
      { do: 'move', title: 'Changing', to: 'Changed' },
      { do: 'hide', title: 'Changed', revids: [secondId], fields: ['text', 'user'] },
    ])
    const { page, steps } = await facts(2)
    assert.equal(page.title, 'Changed')
    const update = await walk(steps, { site })
    assert.equal(update.steps.length, 1)
    assert.deepEqual(
      [...update.revisions.values()].map(({ parentId }) => parentId),
      [secondId, rows.at(-1)?.revId, [...update.revisions.keys()][1]],
    )
    const again = await walk([wholeHistory(site, pageId, { ...TICKET, run: 3 })], { site })
    assert.deepEqual(again.revisions.get(secondId)?.hidden, ['user', 'text', 'sha1'])
    const feed = await walk(
      planPoll({ at: Date.now() - 600_000, seen: [] }, Date.now(), { site, ticket: TICKET }).steps,
      { site },
    )
    const events = feed.news.flatMap((news) =>
      news.events.filter((event) => event.pageId === pageId),
    )
    const told = new Map(events.map(({ kind, newTitle, revIds }) => [kind, newTitle ?? revIds]))
    assert.deepEqual(Object.fromEntries(told), { moved: 'Changed', hidden: [secondId] })
  },
)
