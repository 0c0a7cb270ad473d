/**
 * The rules of `@minga/wiki` against a real MediaWiki: what they read must be, byte for byte, what the
 * wiki itself writes into its dump, before and after everything that people do to histories.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { noMediaWiki, startMediaWiki, type MediaWiki, type WikiOperation } from '@minga/testkit'
import { writeDump } from '@minga/wiki'
import { assertSameHistories, byTitle, comparable, hiddenPlaces, readXml } from './wiki-dump.ts'
import { at, DECOMPOSED, edits, EXPORTED, history, lastAt } from './wiki-history.ts'
import { WikiWalk } from './wiki-walk.ts'

describe('a real MediaWiki', { skip: noMediaWiki() }, () => {
  let wiki: MediaWiki
  const walk = new WikiWalk()

  before(async () => {
    wiki = await startMediaWiki()
    wiki.perform(history())
  })

  after(() => wiki?.stop())

  test('is found from the address of any of its pages', async () => {
    for (const address of [
      `${wiki.url}/wiki/Long`,
      `${wiki.url}/w/index.php?title=Long&action=history`,
      wiki.apiUrl,
    ]) {
      const site = await new WikiWalk().discover(address)
      assert.equal(site.apiUrl, wiki.apiUrl)
      assert.match(site.generator ?? '', /^MediaWiki 1\.\d+/)
      assert.equal(site.rights.url, 'https://creativecommons.org/licenses/by-sa/4.0/')
    }
  })

  test('extraction is byte-exact against its own dumpBackup.php --full', async () => {
    await walk.discover(wiki.apiUrl)
    await walk.readAll()
    assert.deepEqual(walk.troubles, [])
    await walk.readLogs()
    const gaps = await walk.repair()
    assert.deepEqual(
      gaps.filter(({ explainedBy }) => explainedBy === null),
      [],
    )
    assertSameHistories(walk, readXml(wiki.dumpBackup()))
    assert.ok(walk.revisions.size > 130)
  })

  test('texts that its API and its dumps change are had as they are stored', () => {
    const page = [...walk.pages.values()].find(({ title }) => title === 'Decomposed')
    const [revision] = walk.historyOf(page?.pageId ?? 0)
    const text = revision?.slots[0]?.text
    assert.equal(text && Buffer.from(text).toString('utf8'), DECOMPOSED)
    assert.equal(text && createHash('sha1').update(text).digest('hex'), revision?.sha1)
  })

  test('a page of 120 revisions costs three requests', () => {
    const long = [...walk.pages.values()].find(({ title }) => title === 'Long')
    const asked = walk.steps.filter(
      (step) => step.kind === 'revisions' && step.pageId === long?.pageId,
    )
    assert.equal(asked.length, 3)
  })

  test('asking again costs no revision when nothing has changed', async () => {
    const asked = walk.steps.length
    await walk.readAll()
    assert.deepEqual(
      walk.steps.slice(asked).filter(({ kind }) => kind === 'revisions'),
      [],
    )
  })

  test('histories are read from its pages where api.php is closed', async () => {
    const closed = await startMediaWiki({
      settings: "if ( defined( 'MW_API' ) ) { http_response_code( 403 ); exit; }",
    })
    try {
      closed.perform(edits('Long', 7))
      const reader = new WikiWalk()
      await reader.discover(`${closed.url}/wiki/Long`)
      assert.equal(reader.site?.apiUrl, null)
      const dumped = readXml(closed.dumpBackup())
      const long = [...dumped.revisions.values()].filter(({ pageId }) => pageId === 2)
      assert.equal(long.length, 7)
      for (const revision of long) {
        const own = reader.revisions.get(revision.revId)
        assert.deepEqual(own && comparable(own), comparable(revision))
      }
    } finally {
      await closed.stop()
    }
  })

  test('its feed brings edits, moves, deletions, restorations and hidden revisions', async () => {
    const since = lastAt()
    const [made] = wiki.perform([
      ...edits('Long', 3).map((edit) => ({ ...edit, text: `new ${edit.at}` })),
      { do: 'edit', title: 'Fresh', text: 'fresh', at: at() },
      { do: 'move', title: 'Moved away', to: 'Moved twice', at: at() },
      { do: 'delete', title: 'Empty', at: at() },
      { do: 'undelete', title: 'Deleted', at: at() },
      { do: 'import', xml: EXPORTED.replaceAll('2010-', '2009-'), at: at() },
      { do: 'hide', title: 'Long', revids: [10, 11], fields: ['text', 'comment'], at: at() },
    ] as WikiOperation[])
    assert.ok(made?.revid)
    await walk.readFeed(since)
    await walk.repair()
    assert.deepEqual(walk.troubles, [])
    assertSameHistories(walk, readXml(wiki.dumpBackup()))
    assert.deepEqual(walk.revisions.get(10)?.slots[0]?.text, null)
    const kinds = new Set(walk.events.map(({ kind }) => kind))
    for (const kind of ['moved', 'deleted', 'restored', 'imported', 'hidden'] as const) {
      assert.ok(kinds.has(kind), kind)
    }
  })

  test('an XML export of what was read is taken in by another wiki, whole', async () => {
    const other = await startMediaWiki()
    try {
      const { site } = walk
      assert.ok(site !== null)
      const dumped = readXml(wiki.dumpBackup())
      const pages = [...dumped.pages.values()].map((page) => {
        return { page, revisions: walk.historyOf(page.pageId) }
      })
      const attribution = { source: site.base, at: 0, licence: site.rights.text }
      const chunks = await Array.fromAsync(writeDump({ site, pages, attribution }))
      other.importDump(Buffer.concat(chunks))
      const again = readXml(other.dumpBackup())
      const hidden = hiddenPlaces(dumped)
      assert.deepEqual(byTitle(again, hidden), byTitle(dumped, hidden))
    } finally {
      await other.stop()
    }
  })
})
