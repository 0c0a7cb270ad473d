/** Wikis without a wiki: a real store and real files, revisions made by hand. */
import { createHash } from 'node:crypto'
import { after } from 'node:test'
import { systemClock } from '@minga/protocol'
import type { Store } from '@minga/store'
import type { Home, TestEngine } from '../../../store/test/contract-engines.ts'
import type { Revision, SiteInfo } from '../../src/model.ts'
import { encodeBatch, type StoredRevision } from '../../src/revisions/batch.ts'
import { openRevisions, type Revisions } from '../../src/revisions/revisions.ts'
import type { FixtureOperations } from './fixture-operations.ts'

export const OPERATIONS = new URL('./fixture-operations.ts', import.meta.url).href

export const WIKI = 'wiki.example'

export function siteOf(base: string, more: Partial<SiteInfo> = {}): SiteInfo {
  return {
    name: 'Example',
    dbName: 'examplewiki',
    base,
    generator: 'MediaWiki 1.39.17',
    language: 'en',
    case: 'first-letter',
    namespaces: [],
    apiUrl: null,
    articlePath: null,
    rvLimit: 50,
    rights: { text: null, url: null },
    ...more,
  }
}

export const sha1 = (text: string | Uint8Array): string =>
  createHash('sha1').update(text).digest('hex')

export const START = Date.UTC(2020, 0, 1)

/** Revision `revId` of a page, by default with its own text. */
export function revisionOf(
  pageId: number,
  revId: number,
  {
    text = `Text ${revId} of page ${pageId}.`,
    ...more
  }: Partial<Revision> & { text?: string | null } = {},
): Revision {
  const bytes = text === null ? null : Buffer.from(text)
  const digest = bytes === null ? null : sha1(bytes)
  const size = bytes?.length ?? null
  return {
    pageId,
    revId,
    parentId: 0,
    at: START + revId * 1_000,
    user: `User ${revId % 7}`,
    userId: revId % 7,
    editor: 'registered',
    isMinor: revId % 3 === 0,
    size,
    sha1: digest,
    comment: `edit ${revId}`,
    parsedComment: null,
    tags: revId % 5 === 0 ? ['visualeditor'] : [],
    hidden: [],
    isSuppressed: false,
    slots: [
      { role: 'main', model: 'wikitext', format: 'text/x-wiki', size, sha1: digest, text: bytes },
    ],
    ...more,
  }
}

export interface TestWiki {
  store: Store<FixtureOperations>
  home: Home
  revisions: Revisions
  wikiId: number
  clock: { now(): number; set(now: number): void }
  /** Each call is one batch, as one answer of a wiki is. */
  add(
    revisions: Revision[],
    seen?: { source?: 'api' | 'dump' | 'export'; seenAt?: number },
  ): Promise<void>
  texts(): Promise<Map<number, string | null>>
  reopen(): Promise<void>
}

export async function newWiki(engine: TestEngine): Promise<TestWiki> {
  const home = await engine.home()
  let now = START
  const clock = { ...systemClock, now: () => now }
  const open = async (): Promise<Pick<TestWiki, 'store' | 'revisions'>> => {
    const store = await home.openHere<FixtureOperations>({ operations: OPERATIONS })
    return { store, revisions: openRevisions({ data: home.options.data, store, clock }) }
  }
  const opened = await open()
  const site = siteOf(`https://${WIKI}/wiki/Main_Page`)
  const { wikiId } = await opened.store.call('wikiRegister', {
    site,
    source: 'api',
    now,
  })
  const wiki: TestWiki = {
    ...opened,
    home,
    wikiId,
    clock: { now: () => now, set: (later) => void (now = later) },
    add: async (revisions, { source = 'api', seenAt = now } = {}) => {
      const pages = [...new Set(revisions.map(({ pageId }) => pageId))]
      await wiki.store.call('wikiNotePages', {
        wikiId,
        now,
        pages: pages.map((pageId) => pageNote(pageId)),
      })
      const batches = pages.map((pageId) =>
        encodeBatch(
          revisions.filter((revision) => revision.pageId === pageId),
          { source, seenAt },
        ),
      )
      await wiki.store.call('wikiAddBatches', { wikiId, batches, now })
    },
    texts: () => textsOf(wiki.revisions),
    reopen: async () => {
      await wiki.revisions.close()
      await wiki.store.close()
      Object.assign(wiki, await open())
    },
  }
  after(async () => {
    await wiki.revisions.close()
    await wiki.store.close()
  })
  return wiki
}

const pageNote = (pageId: number) => ({ pageId, ns: 0, title: `Page ${pageId}`, redirect: null })

/** Every stored revision with its text, read through the histories of all pages. */
export async function textsOf(
  revisions: Revisions,
  wiki = WIKI,
): Promise<Map<number, string | null>> {
  const texts = new Map<number, string | null>()
  for (const revision of await everything(revisions, wiki)) {
    const text = revision.slots.find(({ role }) => role === 'main')?.text
    texts.set(revision.revId, text ? Buffer.from(text).toString() : null)
  }
  return texts
}

export async function everything(revisions: Revisions, wiki = WIKI): Promise<StoredRevision[]> {
  const { rows } = await revisions.sql([wiki], 'SELECT DISTINCT page_id FROM revisions ORDER BY 1')
  const found: StoredRevision[] = []
  for (const [pageId] of rows) {
    const history = revisions.history(wiki, { pageId: pageId as number }, { withText: true })
    for await (const revision of history) found.push(revision)
  }
  return found
}
