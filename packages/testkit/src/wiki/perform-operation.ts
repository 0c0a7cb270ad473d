/** What each operation does to the fake wiki: the same that MediaWiki does. */
import {
  latestOf,
  makeSlot,
  type FakePage,
  type FakeRevision,
  type FakeSlot,
} from './fake-revision.ts'
import { MAIN_PAGE, type FakeWikiModel } from './fake-wiki-model.ts'
import type { HideableField, WikiOperation, WikiOperationResult } from './operation.ts'
import { upperFirst, type FakeTitle } from './titles.ts'

type Operation<Kind> = Extract<WikiOperation, { do: Kind }> & { user: string; comment: string }
type Perform<Kind> = (
  model: FakeWikiModel,
  operation: Operation<Kind>,
  at: number,
) => WikiOperationResult

const MAIN_PAGE_TEXT = 'This is the main page of a wiki that exists in memory only.'
const BITS: Record<HideableField, number> = { text: 1, comment: 2, user: 4, suppress: 8 }

const edit: Perform<'edit'> = (model, operation, at) => {
  const title = titleOf(model, operation.title)
  const known = model.pageCalled(operation.title)
  const slots = slotsAfter(known, operation)
  if (known !== undefined && isSame(latestOf(known).slots, slots)) {
    return { unchanged: true, pageid: known.pageId }
  }
  const page = known ?? model.create(title, at)
  const { user, comment, minor: isMinor = false, tags = [] } = operation
  const revision = model.append(page, { at, user, comment, isMinor, tags: [...tags], slots })
  model.noteEdit(page, revision, operation.bot ?? false)
  if (known === undefined) model.writeLog({ type: 'create', at, user, comment, title, page })
  return { revid: revision.revId, pageid: page.pageId }
}

const move: Perform<'move'> = (model, operation, at) => {
  const page = pageOf(model, operation.title)
  const { ns, title } = page
  const to = titleOf(model, operation.to)
  if (model.pageCalled(to.title)) throw new Error(`There is already a page ${to.title}.`)
  model.rename(page, to)
  const { user, redirect = true } = operation
  const comment = withReason(`${user} moved page [[${title}]] to [[${to.title}]]`, operation)
  const moved = model.appendSame(page, { at, user, comment })
  if (redirect) {
    const slots = model.redirectSlots(to.title)
    model.append(model.create({ ns, title }, at), { at, user, comment, slots })
  }
  const params = { target_ns: to.ns, target_title: to.title, suppressredirect: !redirect }
  const said = { at, user, comment: operation.comment, title: { ns, title } }
  model.writeLog({ type: 'move', ...said, page, params }, moved.revId)
  return { pageid: page.pageId }
}

const deletePage: Perform<'delete'> = (model, operation, at) => {
  const page = pageOf(model, operation.title)
  model.remove(page)
  model.deleted.set(page.title, [...(model.deleted.get(page.title) ?? []), page])
  const staying = model.changes.filter(({ log, pageId }) => log !== null || pageId !== page.pageId)
  model.changes.splice(0, model.changes.length, ...staying)
  const { user, comment } = operation
  model.writeLog({ type: 'delete', at, user, comment, title: page, page })
  return { pageid: page.pageId }
}

const undelete: Perform<'undelete'> = (model, operation, at) => {
  const title = titleOf(model, operation.title)
  const archived = model.deleted.get(title.title) ?? []
  const only = operation.only?.map((time) => Date.parse(time)) ?? []
  const isWanted = (one: FakeRevision): boolean => only.length === 0 || only.includes(one.at)
  const back = archived.flatMap(({ revisions }) => revisions.filter(isWanted))
  const newest = archived.at(-1)
  if (newest === undefined || back.length === 0) {
    throw new Error(`Nothing of ${title.title} is deleted.`)
  }
  const left = archived.map((page) => {
    return { ...page, revisions: page.revisions.filter((one) => !isWanted(one)) }
  })
  model.deleted.set(
    title.title,
    left.filter(({ revisions }) => revisions.length > 0),
  )
  const page = model.pageCalled(title.title) ?? { ...newest, revisions: [], isNew: true }
  model.adopt(page, back)
  const { user, comment } = operation
  const params = { count: { revisions: back.length, files: 0 } }
  const entry = { type: 'delete', action: 'restore', at, user, comment, title, page, params }
  model.writeLog({ ...entry, logPage: 0 })
  return { pageid: page.pageId }
}

const hide: Perform<'hide'> = (model, operation, at) => {
  const page = pageOf(model, operation.title)
  const revisions = operation.revids.map((id) => {
    const revision = model.revisions.get(id)
    if (revision === undefined) throw new Error(`There is no revision ${id}.`)
    return revision
  })
  const before = new Set(revisions[0]?.hidden)
  const now = new Set(operation.fields)
  for (const revision of revisions) revision.hidden = new Set(now)
  if (now.has('suppress') || before.has('suppress')) {
    model.writeHiddenLog()
    return {}
  }
  const { user, comment, revids } = operation
  const params = { type: 'revision', ids: [...revids], old: sight(before), new: sight(now) }
  const entry = { type: 'delete', action: 'revision', at, user, comment, title: page, page }
  model.writeLog({ ...entry, params })
  return {}
}

const merge: Perform<'merge'> = (model, operation, at) => {
  const [source, target] = [pageOf(model, operation.title), pageOf(model, operation.to)]
  const until = operation.until === undefined ? Infinity : Date.parse(operation.until)
  const oldest = target.revisions[0]?.at ?? 0
  const moving = source.revisions.filter((one) => one.at <= until && one.at < oldest)
  const last = moving.at(-1)
  if (last === undefined) throw new Error(`${operation.title} has nothing that could be merged.`)
  source.revisions = source.revisions.filter((one) => !moving.includes(one))
  model.adopt(target, moving)
  const { user } = operation
  const comment = withReason(`Merged [[:${source.title}]] into [[:${target.title}]]`, operation)
  if (source.revisions.length === 0) {
    const slots = model.redirectSlots(target.title)
    model.append(source, { at, user, comment, slots, parentId: last.revId })
    source.isNew = false
  }
  const params = { dest_ns: target.ns, dest_title: target.title, mergepoint: iso(last.at) }
  const said = { at, user, comment, title: source, page: source }
  model.writeLog({ type: 'merge', ...said, params })
  return { pageid: target.pageId }
}

const importXml: Perform<'import'> = (model, operation, at) => {
  const { user, prefix = 'elsewhere' } = operation
  let pageid = 0
  for (const { title: text, revisions } of readImport(operation.xml)) {
    const title = titleOf(model, text)
    const page = model.pageCalled(text) ?? model.create(title, at)
    for (const { name, address, text: body, ...rest } of revisions) {
      const slots = [makeSlot({ role: 'main', model: 'wikitext', text: body, origin: 0 })]
      model.append(page, { ...rest, slots, user: name === null ? address : `${prefix}>${name}` })
    }
    const count = revisions.length
    const what = `${count} ${count === 1 ? 'revision' : 'revisions'} imported`
    const said = withReason(`${what} from [[:${prefix}:${title.title}]]`, operation)
    const noted = model.appendSame(page, { at, user, comment: said })
    const source = `${upperFirst(prefix)}:${title.title}`
    const params = { count, interwiki_ns: 0, interwiki_title: source }
    const { comment } = operation
    const entry = { type: 'import', action: 'interwiki', at, user, comment, title, page, params }
    model.writeLog(entry, noted.revId)
    pageid = page.pageId
  }
  return { pageid }
}

const tag: Perform<'tag'> = (model, operation) => {
  const revision = model.revisions.get(operation.revid)
  if (revision === undefined) throw new Error(`There is no revision ${operation.revid}.`)
  revision.tags.push(...operation.tags)
  return { revid: revision.revId }
}

const PERFORMERS: { [Kind in WikiOperation['do']]: Perform<Kind> } = {
  edit,
  move,
  delete: deletePage,
  undelete,
  hide,
  merge,
  import: importXml,
  tag,
}

export function performOperation(
  model: FakeWikiModel,
  operation: WikiOperation,
): WikiOperationResult {
  const at = model.tick(operation.at)
  const whole = { user: 'Admin', comment: '', ...operation }
  // The table pairs every operation with its own performer; the compiler cannot follow a lookup.
  const perform = PERFORMERS[operation.do] as Perform<WikiOperation['do']>
  return perform(model, whole, at)
}

/** Every wiki begins with a main page. */
export function writeMainPage(model: FakeWikiModel): void {
  const user = 'MediaWiki default'
  performOperation(model, { do: 'edit', title: MAIN_PAGE, text: MAIN_PAGE_TEXT, user })
}

function titleOf(model: FakeWikiModel, text: string): FakeTitle {
  const parsed = model.titles.parse(text)
  if (typeof parsed === 'string') throw new Error(parsed)
  return parsed
}

function pageOf(model: FakeWikiModel, title: string): FakePage {
  const page = model.pageCalled(title)
  if (page === undefined) throw new Error(`There is no page ${title}.`)
  return page
}

function slotsAfter(page: FakePage | undefined, operation: Operation<'edit'>): FakeSlot[] {
  const before = page === undefined ? [] : latestOf(page).slots
  const texts = { main: savedText(operation.text), ...operation.slots }
  const changed = Object.entries(texts).map(([role, text]) => {
    const model = role === 'main' ? (operation.model ?? 'wikitext') : 'wikitext'
    const slot = makeSlot({ role, model, text, origin: 0 })
    return before.find((one) => one.role === role && one.sha1 === slot.sha1) ?? slot
  })
  const kept = before.filter(({ role }) => !(role in texts))
  return [...changed, ...kept]
}

/** MediaWiki saves no white space at the end, and no carriage returns. */
function savedText(text: string): string {
  return text.trimEnd().replaceAll(/\r\n?/g, '\n')
}

function isSame(before: readonly FakeSlot[], after: readonly FakeSlot[]): boolean {
  const sign = (slots: readonly FakeSlot[]): string =>
    slots
      .map(({ role, sha1 }) => `${role} ${sha1}`)
      .toSorted()
      .join()
  return sign(before) === sign(after)
}

function sight(hidden: ReadonlySet<HideableField>): Record<string, unknown> {
  return {
    bitmask: [...hidden].reduce((sum, field) => sum + BITS[field], 0),
    content: hidden.has('text'),
    comment: hidden.has('comment'),
    user: hidden.has('user'),
    restricted: hidden.has('suppress'),
  }
}

function withReason(sentence: string, { comment }: { comment: string }): string {
  return comment === '' ? sentence : `${sentence}: ${comment}`
}

/** As wikis write times: whole seconds. */
export function iso(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`
}

interface ImportedRevision {
  at: number
  /** Null for an anonymous editor, whose `address` counts then. */
  name: string | null
  address: string
  isMinor: boolean
  comment: string
  text: string
}

interface ImportedPage {
  title: string
  revisions: ImportedRevision[]
}

/** Reads the little export XML that tests import into the fake wiki; no parser for anything else. */
function readImport(xml: string): ImportedPage[] {
  return [...xml.matchAll(/<page>(.*?)<\/page>/gs)].map(([, page = '']) => ({
    title: textAt(page, 'title') ?? '',
    revisions: [...page.matchAll(/<revision>(.*?)<\/revision>/gs)].map(([, revision = '']) => ({
      at: Date.parse(textAt(revision, 'timestamp') ?? ''),
      name: textAt(revision, 'username'),
      address: textAt(revision, 'ip') ?? '',
      isMinor: revision.includes('<minor'),
      comment: textAt(revision, 'comment') ?? '',
      text: textAt(revision, 'text') ?? '',
    })),
  }))
}

function textAt(xml: string, name: string): string | null {
  const found = new RegExp(`<${name}(?: [^>]*)?>(.*?)</${name}>`, 's').exec(xml)?.[1]
  return found === undefined ? null : unescaped(found)
}

function unescaped(text: string): string {
  const named = text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"')
  return named.replaceAll('&#039;', "'").replaceAll('&amp;', '&')
}
