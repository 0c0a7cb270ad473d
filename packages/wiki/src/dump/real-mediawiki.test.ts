// Goal: reader and writer agree with MediaWiki itself. Method: a real wiki is filled and dumped by its own
// scripts; our reader must understand the dump, our writer must give the same XML back, and another fresh wiki
// must import what we wrote and dump the same again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noMediaWiki, startMediaWiki, type WikiOperation } from '@minga/testkit'
import { checkHistory, historyRowOf } from '../api/completeness.ts'
import type { SiteInfo } from '../model.ts'
import type { DumpItem } from './dump-model.ts'
import { readDumpBody } from './xml-reader.ts'
import { writeDump, type DumpExportPage } from './xml-writer.ts'

const TEXT = `== Héading ==\n<ref name="a">'x' & "y"</ref> &amp; &lt;nowiki&gt; 日本語 😀 {{t|a=b}}\n\n]]> --> end`

const HISTORY: WikiOperation[] = [
  { do: 'edit', title: 'Plain', text: 'first', user: 'Ana', at: '2020-01-01T00:00:00Z' },
  {
    do: 'edit',
    title: 'Plain',
    text: TEXT,
    user: 'Ana',
    comment: 'a <b> & "c" \'d\'',
    minor: true,
    at: '2020-01-02T00:00:00Z',
  },
  { do: 'edit', title: 'Plain', text: '', user: '192.0.2.7', at: '2020-01-03T00:00:00Z' },
  { do: 'edit', title: 'Plain', text: 'first', user: 'Bo', at: '2020-01-04T00:00:00Z' },
  {
    do: 'edit',
    title: 'Slots',
    text: 'main',
    slots: { aside: 'next to <it>' },
    user: 'Ana',
    at: '2020-02-01T00:00:00Z',
  },
  {
    do: 'edit',
    title: 'Talk:Ünïcødé "q"',
    text: '#REDIRECT [[Plain]]',
    user: 'Ana',
    at: '2020-03-01T00:00:00Z',
  },
]

interface ReadPage extends DumpExportPage {
  revisions: Extract<DumpItem, { type: 'revision' }>['revision'][]
}

function pagesOf(items: DumpItem[]): { site: SiteInfo; pages: ReadPage[]; troubles: string[] } {
  const pages: ReadPage[] = []
  let site: SiteInfo | null = null
  const troubles: string[] = []
  for (const item of items) {
    if (item.type === 'site') site = item.site
    else if (item.type === 'page') pages.push({ page: item.page, revisions: [] })
    else if (item.type === 'revision') pages.at(-1)!.revisions.push(item.revision)
    else if (item.type === 'trouble') troubles.push(item.trouble.message)
  }
  return { site: site!, pages, troubles }
}

async function exported(site: SiteInfo, pages: DumpExportPage[]): Promise<Buffer> {
  const attribution = { source: site.base, at: 0, licence: null }
  return Buffer.concat(await Array.fromAsync(writeDump({ site, pages, attribution })))
}

/** Without what differs for good reasons: our comment, and digests that MediaWiki shows of hidden texts. */
function comparable(xml: Buffer): string {
  return xml
    .toString()
    .replace(/ {4}<!-- Source: .* -->\n/, '')
    .replace(/(<text bytes="\d+") sha1="\w+" deleted=/g, '$1 deleted=')
}

test(
  'a dump of a real MediaWiki is understood whole and written again as it was',
  { skip: noMediaWiki() },
  async () => {
    const wiki = await startMediaWiki({})
    try {
      const [, hidden] = wiki.perform(HISTORY)
      wiki.perform([
        {
          do: 'hide',
          title: 'Plain',
          revids: [hidden!.revid!],
          fields: ['text', 'user', 'comment'],
        },
      ])
      const dump = wiki.dumpBackup()
      const { site, pages, troubles } = pagesOf(readDumpBody(dump))
      assert.deepEqual(troubles, [])
      for (const { page, revisions } of pages) {
        const gaps = checkHistory(revisions.map(historyRowOf), { pageId: page.pageId })
        assert.deepEqual(gaps, [], page.title)
      }
      assert.equal(comparable(await exported(site, pages)), comparable(dump))
    } finally {
      await wiki.stop()
    }
  },
)

test(
  'a fresh MediaWiki imports what we export and dumps the same texts again',
  { skip: noMediaWiki() },
  async () => {
    const [first, second] = [await startMediaWiki({}), await startMediaWiki({})]
    try {
      first.perform(HISTORY)
      const original = pagesOf(readDumpBody(first.dumpBackup()))
      const chosen = original.pages.filter(({ page }) => page.title !== 'Main Page')
      second.importDump(await exported(original.site, chosen))
      const copy = pagesOf(readDumpBody(second.dumpBackup()))
      assert.deepEqual(copy.troubles, [])
      const facts = ({ page, revisions }: ReadPage): unknown => ({
        title: page.title,
        ns: page.ns,
        redirect: page.redirect,
        revisions: revisions.map(({ at, user, comment, isMinor, sha1, slots }) => ({
          at,
          user: user?.replace(/^imported>/, ''),
          comment,
          isMinor,
          sha1,
          slots: slots.map(({ role, model, text }) => ({
            role,
            model,
            text: Buffer.from(text!).toString(),
          })),
        })),
      })
      const titles = new Set(chosen.map(({ page }) => page.title))
      const imported = copy.pages.filter(({ page }) => titles.has(page.title))
      const byTitle = (a: ReadPage, b: ReadPage): number => (a.page.title < b.page.title ? -1 : 1)
      assert.deepEqual(imported.toSorted(byTitle).map(facts), chosen.toSorted(byTitle).map(facts))
    } finally {
      await first.stop()
      await second.stop()
    }
  },
)
