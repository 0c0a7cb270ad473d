// Goal: `minga wiki …` keeps what a real MediaWiki has, byte for byte, also after everything that people do
// to histories. Method: the commands as processes against a real wiki; judged by the dump that the wiki
// itself writes, and by reading every file that was left behind.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { noMediaWiki, startMediaWiki, type MediaWiki, type WikiOperation } from '@minga/testkit'
import { filesWith } from '../../apps/coordinator/test/archive/takedown/traces-fixture.ts'
import { mingaOutput, runMinga } from './run-minga.ts'
import {
  assertSameHistories,
  byTitle,
  comparable,
  hiddenPlaces,
  readXml,
  type Histories,
} from './wiki-dump.ts'
import { at, DECOMPOSED, edits, history } from './wiki-history.ts'

const CLOSED = "if ( defined( 'MW_API' ) ) { http_response_code( 403 ); exit; }"
/** Words that occur once, to be looked for in files. */
const SECRET = 'Quetzalcoatlus-4711'
const SECRET_EDITOR = 'Hidden Hand 4712'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'minga-wiki-station-'))
after(() => fs.rmSync(folder, { recursive: true, force: true }))

const HASTE = ['--wait', '--allow-private-addresses', '--json']

async function add(data: string, address: string, ...choice: string[]): Promise<Told> {
  const args = ['wiki', 'add', address, ...choice, '--delay', '0', '--data', data, ...HASTE]
  return JSON.parse(await mingaOutput(...args)) as Told
}

interface Told {
  wiki: string
  state: string
  pages: number
  revisions: number
}

async function exported(data: string, wiki: string, ...choice: string[]): Promise<Histories> {
  const out = path.join(folder, 'export.xml')
  await mingaOutput('wiki', 'export', wiki, ...choice, '--data', data, '--out', out)
  return readXml(fs.readFileSync(out))
}

interface Totals {
  wiki: string
  pages: number
  revisions: number
  rawBytes: number
  storedBytes: number
  gaps: number
}

async function totals(data: string): Promise<Totals[]> {
  const told = JSON.parse(await mingaOutput('wiki', 'stats', '--data', data, '--json')) as {
    wikis: Totals[]
  }
  assert.deepEqual(Object.keys(told), ['wikis'])
  return told.wikis
}

async function historyLines(data: string, wiki: string, title: string): Promise<Line[]> {
  const lines = await mingaOutput('wiki', 'history', wiki, title, '--data', data, '--jsonl')
  const rows = lines.split('\n').filter(Boolean)
  return rows.map((line) => JSON.parse(line) as Line)
}

interface Line {
  revid: number
  timestamp: string
  user: string | null
  comment: string | null
}

const textOf = async (data: string, wiki: string, revId: number): Promise<Buffer> =>
  (await runMinga('wiki', 'text', wiki, String(revId), '--data', data)).stdout

function idsOfTitle({ pages, revisions }: Histories, title: string): number[] {
  const page = [...pages.values()].find((one) => one.title === title)
  const own = [...revisions.values()].filter(({ pageId }) => pageId === page?.pageId)
  const inTime = own.toSorted((a, b) => a.at - b.at || a.revId - b.revId)
  return inTime.map(({ revId }) => revId)
}

describe('a station and a real MediaWiki', { skip: noMediaWiki() }, () => {
  let wiki: MediaWiki
  let key: string
  /** As the first test exports it, and as the wiki itself writes it then; both stay until the wiki is changed. */
  let kept: Histories
  let dumped: Histories
  const data = path.join(folder, 'whole')

  before(async () => {
    wiki = await startMediaWiki()
    const birds = ['Condor', 'Kiwi'].map((title): WikiOperation => {
      return { do: 'edit', title, text: `${title} [[Category:Birds]]`, at: at() }
    })
    const secret = { title: 'Secret', text: `It is ${SECRET}.`, user: SECRET_EDITOR, at: at() }
    wiki.perform([...history(), ...birds, { do: 'edit', ...secret }, ...edits('Secret', 2)])
  })

  after(() => wiki?.stop())

  test('every page of it is kept as its own dumpBackup.php --full has it', async () => {
    const told = await add(data, wiki.apiUrl, '--all')
    assert.equal(told.state, 'done')
    key = told.wiki
    dumped = readXml(wiki.dumpBackup())
    kept = await exported(data, key)
    assertSameHistories(kept, dumped)
  })

  test('its totals count what its dump has', async () => {
    const [only, ...others] = await totals(data)
    assert.deepEqual(others, [])
    assert.ok(only !== undefined)
    const { storedBytes, rawBytes, ...counted } = only
    assert.deepEqual(counted, {
      wiki: key,
      pages: dumped.pages.size,
      revisions: dumped.revisions.size,
      gaps: 0,
    })
    const revisions = [...kept.revisions.values()]
    const texts = revisions.flatMap(({ slots }) => slots.map(({ text }) => text?.length ?? 0))
    assert.equal(
      rawBytes,
      texts.reduce((sum, bytes) => sum + bytes),
    )
    assert.ok(storedBytes > 0)
  })

  test('texts come exactly as they are stored, also those that its API changes', async () => {
    const [decomposed] = idsOfTitle(dumped, 'Decomposed')
    assert.equal((await textOf(data, key, decomposed!)).toString(), DECOMPOSED)
    for (const revId of idsOfTitle(dumped, 'Straße/日本語 & more')) {
      const raw = await fetch(`${wiki.url}/w/index.php?action=raw&oldid=${revId}`)
      assert.deepEqual(await textOf(data, key, revId), Buffer.from(await raw.arrayBuffer()))
    }
  })

  test('the history of a page comes newest first', async () => {
    const ids = idsOfTitle(dumped, 'Long')
    const lines = await historyLines(data, key, 'Long')
    assert.deepEqual(
      lines.map(({ revid }) => revid),
      ids.toReversed(),
    )
    assert.deepEqual(
      lines.map(({ timestamp }) => timestamp),
      lines.map(({ timestamp }) => timestamp).toSorted((a, b) => (a < b ? 1 : -1)),
    )
  })

  test('the same command again fetches no revision', async () => {
    const [counted] = await totals(data)
    const told = await add(data, wiki.apiUrl, '--all')
    assert.deepEqual([told.state, told.revisions], ['done', 0])
    const [again] = await totals(data)
    assert.equal(again?.revisions, counted?.revisions)
  })

  test('what is hidden, moved, deleted and written upstream is so here after an update', async () => {
    const [secret] = idsOfTitle(dumped, 'Secret')
    assert.notDeepEqual(await filesWith(data, SECRET), [], 'the text can be found where it is')
    assert.notDeepEqual(await filesWith(data, SECRET_EDITOR), [])
    wiki.perform([
      { do: 'edit', title: 'Long', text: 'newer than all' },
      { do: 'edit', title: 'Fresh', text: 'fresh' },
      { do: 'move', title: 'Moved away', to: 'Moved twice' },
      { do: 'delete', title: 'Empty' },
      { do: 'undelete', title: 'Deleted' },
      { do: 'hide', title: 'Secret', revids: [secret!], fields: ['text', 'user', 'comment'] },
    ])
    const args = ['wiki', 'update', key, '--data', data, ...HASTE]
    const told = JSON.parse(await mingaOutput(...args)) as Told
    assert.equal(told.state, 'done')
    dumped = readXml(wiki.dumpBackup())
    assertSameHistories(await exported(data, key), dumped)
    assert.equal((await textOf(data, key, secret!)).length, 0)
    assert.deepEqual(await filesWith(data, SECRET), [])
    assert.deepEqual(await filesWith(data, SECRET_EDITOR), [])
    const lines = await historyLines(data, key, 'Secret')
    assert.deepEqual([lines.at(-1)?.revid, lines.at(-1)?.user], [secret, null])
    const checked = await runMinga('wiki', 'verify', key, '--data', data, '--json')
    assert.equal(checked.code, 0, checked.stdout.toString())
  })

  test('another wiki takes in the XML that was exported, whole', async (t) => {
    const other = await startMediaWiki()
    t.after(() => other.stop())
    const out = path.join(folder, 'export.xml')
    other.importDump(fs.readFileSync(out))
    const leftOut = hiddenPlaces(dumped)
    const [there, here] = [readXml(other.dumpBackup()), readXml(fs.readFileSync(out))]
    assert.deepEqual(byTitle(there, leftOut), byTitle(here, leftOut))
  })

  test('a page is had by any of its addresses, and pages by their category', async () => {
    const title = 'Straße/日本語 & more'
    const address = encodeURIComponent(title.replaceAll(' ', '_')).replaceAll('%2F', '/')
    const choices: [titles: string[], address: string, ...choice: string[]][] = [
      [[title], `${wiki.url}/wiki/${address}`],
      [['Talk:Long'], `${wiki.url}/w/index.php?title=Talk:Long&action=history`],
      [['Condor', 'Kiwi'], wiki.apiUrl, '--category', 'Birds'],
    ]
    for (const [i, [titles, ...asked]] of choices.entries()) {
      const chosen = path.join(folder, `chosen-${i}`)
      const told = await add(chosen, ...asked)
      const there = await exported(chosen, told.wiki)
      assert.deepEqual([...there.pages.values()].map((page) => page.title).toSorted(), titles)
      for (const id of titles.flatMap((one) => idsOfTitle(dumped, one))) {
        const own = there.revisions.get(id)
        assert.deepEqual(own && comparable(own), comparable(dumped.revisions.get(id)!))
      }
    }
  })

  test('histories are had through its pages where api.php is closed', async (t) => {
    const closed = await startMediaWiki({ settings: CLOSED })
    t.after(() => closed.stop())
    closed.perform(edits('Long', 7))
    const shut = path.join(folder, 'closed')
    const told = await add(shut, `${closed.url}/wiki/Long`)
    assert.equal(told.revisions, 7)
    const written = readXml(closed.dumpBackup())
    const read = await exported(shut, told.wiki)
    for (const id of idsOfTitle(written, 'Long')) {
      const own = read.revisions.get(id)
      assert.deepEqual(own && comparable(own), comparable(written.revisions.get(id)!))
    }
  })
})
