/**
 * A MediaWiki in memory: pages, revisions, editors, logs and recent changes. `perform-operation.ts`
 * changes it. Numbers are given as MediaWiki gives them, so that the same operations make the same
 * history in both. Deterministic: an operation without a time happens a minute after the last one.
 */

import { isIP } from 'node:net'

import {
  categoriesOf,
  inTimeOrder,
  latestOf,
  mainText,
  makeSlot,
  redirectTarget,
  revisionSize,
  type FakeChange,
  type FakeLogEntry,
  type FakePage,
  type FakeRevision,
  type FakeSlot,
} from './fake-revision.ts'
import { CATEGORY_NS, FakeTitles, type FakeTitle } from './titles.ts'

const MINUTE_MS = 60_000
const START = Date.UTC(2020, 0, 1)
export const MAIN_PAGE = 'Main Page'

export interface NewRevision {
  at: number
  user: string
  comment: string
  slots: FakeSlot[]
  isMinor?: boolean
  tags?: string[]
  parentId?: number
}

export interface NewLogEntry {
  type: string
  action?: string
  at: number
  user: string
  comment: string
  title: FakeTitle
  page: FakePage
  logPage?: number
  params?: Record<string, unknown>
}

export class FakeWikiModel {
  readonly titles: FakeTitles
  readonly pages = new Map<number, FakePage>()
  readonly revisions = new Map<number, FakeRevision>()
  readonly log: FakeLogEntry[] = []
  readonly changes: FakeChange[] = []
  /** Pages as they were when they were deleted, by title. */
  readonly deleted = new Map<string, FakePage[]>()
  readonly #byTitle = new Map<string, FakePage>()
  readonly #users = new Map([
    ['Admin', 1],
    ['MediaWiki default', 2],
  ])
  #last = { pageId: 0, revId: 0, logId: 0, rcId: 0 }
  #now = START - MINUTE_MS

  constructor(siteName: string) {
    this.titles = new FakeTitles(siteName)
  }

  /** The time of the next operation. */
  tick(at: string | undefined): number {
    this.#now = at === undefined ? this.#now + MINUTE_MS : Date.parse(at)
    return this.#now
  }

  now(): number {
    return this.#now
  }

  /** The page of that title, whichever way it is written; undefined when there is none. */
  pageCalled(text: string): FakePage | undefined {
    const parsed = this.titles.parse(text)
    return typeof parsed === 'string' ? undefined : this.#byTitle.get(parsed.title)
  }

  redirectOf(page: FakePage): { title: string; fragment: string | null } | null {
    const target = redirectTarget(mainText(latestOf(page)))
    if (target === null) return null
    const parsed = this.titles.parse(target.title)
    return typeof parsed === 'string' ? null : { title: parsed.title, fragment: target.fragment }
  }

  membersOf(category: string): FakePage[] {
    return [...this.pages.values()].filter((page) =>
      categoriesOf(mainText(latestOf(page))).some((name) => {
        const parsed = this.titles.parse(this.titles.prefixed(CATEGORY_NS, name))
        return typeof parsed !== 'string' && parsed.title === category
      }),
    )
  }

  /** Anonymous editors have no number, nor have the names that an import brings. */
  userId(name: string): number {
    if (isIP(name) !== 0 || name.includes('>')) return 0
    const known = this.#users.get(name)
    if (known !== undefined) return known
    this.#users.set(name, this.#users.size + 1)
    return this.#users.size
  }

  create({ ns, title }: FakeTitle, at: number): FakePage {
    const pageId = (this.#last.pageId += 1)
    const page: FakePage = { pageId, ns, title, isNew: true, touched: at, revisions: [] }
    this.pages.set(pageId, page)
    this.#byTitle.set(title, page)
    return page
  }

  rename(page: FakePage, { ns, title }: FakeTitle): void {
    this.#byTitle.delete(page.title)
    Object.assign(page, { ns, title })
    this.#byTitle.set(title, page)
  }

  remove(page: FakePage): void {
    this.pages.delete(page.pageId)
    this.#byTitle.delete(page.title)
    for (const { revId } of page.revisions) this.revisions.delete(revId)
  }

  /** These revisions are this page's from now on. */
  adopt(page: FakePage, revisions: readonly FakeRevision[]): void {
    this.pages.set(page.pageId, page)
    this.#byTitle.set(page.title, page)
    for (const revision of revisions) {
      revision.pageId = page.pageId
      this.revisions.set(revision.revId, revision)
    }
    page.revisions = [...page.revisions, ...revisions].toSorted(inTimeOrder)
  }

  append(page: FakePage, made: NewRevision): FakeRevision {
    const revId = (this.#last.revId += 1)
    const earlier = page.revisions.findLast(({ at }) => at <= made.at)
    const slots = made.slots.map((slot) => {
      return { ...slot, origin: slot.origin === 0 ? revId : slot.origin }
    })
    const revision: FakeRevision = {
      revId,
      pageId: page.pageId,
      parentId: made.parentId ?? earlier?.revId ?? 0,
      at: made.at,
      user: made.user,
      userId: this.userId(made.user),
      isMinor: made.isMinor ?? false,
      comment: made.comment,
      tags: made.tags ?? [],
      slots,
      hidden: new Set(),
    }
    if (page.revisions.length > 0) page.isNew = false
    page.touched = made.at
    this.adopt(page, [revision])
    return revision
  }

  /** A revision that changes nothing but says something, as after a move. */
  appendSame(page: FakePage, made: Omit<NewRevision, 'slots'>): FakeRevision {
    return this.append(page, { ...made, isMinor: true, slots: latestOf(page).slots })
  }

  redirectSlots(to: string): FakeSlot[] {
    const text = `#REDIRECT [[${to}]]`
    return [makeSlot({ role: 'main', model: 'wikitext', text, origin: 0 })]
  }

  noteEdit(page: FakePage, revision: FakeRevision, isBot: boolean): void {
    const parent = this.revisions.get(revision.parentId)
    this.changes.push({
      ...revision,
      rcId: (this.#last.rcId += 1),
      type: parent === undefined ? 'new' : 'edit',
      ns: page.ns,
      title: page.title,
      oldRevId: revision.parentId,
      isBot,
      oldLen: parent === undefined ? 0 : revisionSize(parent),
      newLen: revisionSize(revision),
      log: null,
    })
  }

  /** The creation of a page is logged, but it is no recent change besides its first edit. */
  writeLog(entry: NewLogEntry, revId = 0): void {
    const { type, action = type, at, user, comment, title, page, params = {} } = entry
    const logId = (this.#last.logId += 1)
    const { logPage = page.pageId } = entry
    const said = { at, user, userId: this.userId(user), comment, ...title }
    const log = { logId, type, action, logPage, params, tags: [], ...said }
    this.log.push(log)
    if (type === 'create') return
    const rcId = (this.#last.rcId += 1)
    const flags = { isMinor: false, isBot: false, oldLen: 0, newLen: 0, oldRevId: 0 }
    this.changes.push({ rcId, type: 'log', pageId: logPage, revId, ...flags, ...said, log })
  }

  /** The log of suppressions is itself hidden; only its number is missing from the others. */
  writeHiddenLog(): void {
    this.#last.logId += 1
  }
}
