/** Two readings of the same wiki side by side: revision by revision, texts byte for byte. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readDumpBody, type Page, type Revision } from '@minga/wiki'

export interface Histories {
  pages: ReadonlyMap<number, Page>
  revisions: ReadonlyMap<number, Revision>
}

export function readXml(xml: Uint8Array): Histories {
  const pages = new Map<number, Page>()
  const revisions = new Map<number, Revision>()
  for (const item of readDumpBody(xml)) {
    if (item.type === 'page') pages.set(item.page.pageId, item.page)
    if (item.type === 'revision') revisions.set(item.revision.revId, item.revision)
    if (item.type === 'trouble') assert.fail(item.trouble.message)
  }
  return { pages, revisions }
}

/** Pages that the dump does not have any more, as deleted ones, may be in our own. */
export function assertSameHistories(own: Histories, dumped: Histories): void {
  const ids = (map: ReadonlyMap<number, unknown>): number[] =>
    [...map.keys()].toSorted((a, b) => a - b)
  const stored = new Map([...own.revisions].filter(([, { pageId }]) => dumped.pages.has(pageId)))
  assert.deepEqual(ids(stored), ids(dumped.revisions))
  for (const [id, revision] of dumped.revisions) {
    const mine = stored.get(id)
    assert.deepEqual(mine && comparable(mine), comparable(revision))
  }
  for (const [id, page] of dumped.pages) {
    const mine = own.pages.get(id)
    assert.deepEqual([id, mine?.title, mine?.ns], [id, page.title, page.ns])
  }
}

/** What a dump and the API both tell. A dump has neither tags nor parsed summaries. */
export function comparable(revision: Revision): object {
  const { pageId, revId, parentId, at: time, user, isMinor, comment } = revision
  const slots = revision.slots.map(({ role, model, format, size, text }) => {
    // Hidden texts: the dump still tells their form, the API does not.
    return { role, model, size, ...(text === null ? {} : { format, text: normalHash(text) }) }
  })
  const hidden = revision.hidden.filter((field) => field !== 'sha1').toSorted()
  const sha1 = hidden.includes('text') ? null : revision.sha1
  return {
    pageId,
    revId,
    parentId,
    time,
    user,
    isMinor,
    comment,
    sha1,
    hidden,
    slots: slots.toSorted((a, b) => (a.role < b.role ? -1 : 1)),
  }
}

/** Dumps hold texts in Unicode's normal form, whatever the wiki has stored. */
function normalHash(text: Uint8Array): string {
  const normal = Buffer.from(text).toString('utf8').normalize('NFC')
  return createHash('sha256').update(normal).digest('hex')
}

/** By title and time: without numbers, which each wiki assigns again, and without `leftOut`. */
export function byTitle({ pages, revisions }: Histories, leftOut: ReadonlySet<string>): object {
  const entries = [...pages.values()]
    .filter(({ title }) => title !== 'Main Page')
    .map(({ pageId, title }): [string, object[]] => {
      const own = [...revisions.values()].filter((one) => one.pageId === pageId)
      const seen = own.filter((one) => !leftOut.has(placeOf(title, one)))
      const inTime = seen.toSorted((a, b) => a.at - b.at || a.revId - b.revId)
      return [title, inTime.map((revision) => withoutNumbers(revision))]
    })
  return Object.fromEntries(entries)
}

/** Where something is hidden, which no importer takes: to be left out of a comparison by title. */
export function hiddenPlaces({ pages, revisions }: Histories): Set<string> {
  const hidden = [...revisions.values()].filter((one) => one.hidden.length > 0)
  return new Set(hidden.map((one) => placeOf(pages.get(one.pageId)?.title ?? '', one)))
}

function placeOf(title: string, { at: time }: Revision): string {
  return `${time} ${title}`
}

/** Names that are not registered here are marked as imported. */
function withoutNumbers({ at: time, user, comment, isMinor, slots }: Revision): object {
  const texts = slots.map(({ role, text }) => [role, text && normalHash(text)])
  return { time, name: user?.replace(/^(imported>)+/, ''), comment, isMinor, texts }
}
