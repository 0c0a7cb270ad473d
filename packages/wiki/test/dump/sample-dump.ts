/** Small dumps for the tests of reader, writer and import. */
import { sha1Of } from '../../src/api/revision-sha1.ts'
import type { Page, Revision, SiteInfo, Slot } from '../../src/model.ts'

export function sampleSite(): SiteInfo {
  return {
    name: 'Sample',
    dbName: 'samplewiki',
    base: 'https://wiki.example/wiki/Main_Page',
    generator: 'MediaWiki 1.39.17',
    language: 'en',
    case: 'first-letter',
    namespaces: [
      { id: -1, name: 'Special', aliases: [], isCaseSensitive: false },
      { id: 0, name: '', aliases: [], isCaseSensitive: true },
      { id: 1, name: 'Talk', aliases: [], isCaseSensitive: false },
    ],
    apiUrl: null,
    articlePath: null,
    rvLimit: 50,
    rights: { text: null, url: null },
  }
}

export function samplePage(pageId: number, title = `Page ${pageId}`): Page {
  return { pageId, ns: 0, title, redirect: null }
}

export function sampleSlot(text: string | Uint8Array | null, role = 'main'): Slot {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  return {
    role,
    model: 'wikitext',
    format: 'text/x-wiki',
    size: bytes?.length ?? null,
    sha1: bytes === null ? null : sha1Of(bytes),
    text: bytes,
  }
}

export function sampleRevision(
  pageId: number,
  revId: number,
  text: string | Uint8Array,
  other: Partial<Revision> = {},
): Revision {
  const slot = sampleSlot(text)
  return {
    pageId,
    revId,
    parentId: 0,
    at: Date.UTC(2020, 0, 1) + revId * 1000,
    user: 'Ana',
    userId: 7,
    editor: 'registered',
    isMinor: false,
    size: slot.size,
    sha1: slot.sha1,
    comment: 'an edit',
    parsedComment: null,
    tags: [],
    hidden: [],
    isSuppressed: false,
    slots: [slot],
    ...other,
  }
}

/** A dump around the given elements. */
export function dumpOf(inside: string, version = '0.11'): Buffer {
  return Buffer.from(
    `<mediawiki xmlns="http://www.mediawiki.org/xml/export-${version}/" version="${version}" xml:lang="en">\n${inside}\n</mediawiki>\n`,
  )
}

/** A page around the given revisions. */
export function pageXml(revisions: string, id = 1): string {
  return `<page><title>Page ${id}</title><ns>0</ns><id>${id}</id>\n${revisions}\n</page>`
}

/** A revision as 0.10 writes it; `text` is XML. */
export function revisionXml(id: number, text = `text ${id}`, more = ''): string {
  return `<revision><id>${id}</id><timestamp>2020-01-01T00:00:${String(id % 60).padStart(2, '0')}Z</timestamp><contributor><username>Ana</username><id>7</id></contributor>${more}<model>wikitext</model><format>text/x-wiki</format><text xml:space="preserve">${text}</text></revision>`
}
