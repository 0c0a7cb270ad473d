/** `list=` and the generators: all pages, members of a category, recent changes, logs. */

import {
  revisionSha1,
  type FakeChange,
  type FakeLogEntry,
  type FakePage,
} from '../fake-revision.ts'
import type { FakeWikiModel } from '../fake-wiki-model.ts'
import { iso } from '../perform-operation.ts'
import { CATEGORY_NS, underscored } from '../titles.ts'
import { ApiRefusal, type Json } from './api-answer.ts'
import { stampOf, type ApiRequest } from './api-request.ts'

export interface Found<Item> {
  items: Item[]
  /** The place where the next answer begins; null at the end. */
  more: string | null
}

const USUAL_LIMIT = 10

function portion<Item>(
  request: ApiRequest,
  wanted: readonly Item[],
  list: { limit: string; module: string; placeOf: (item: Item) => string },
): Found<Item> {
  const { module } = list
  const most = request.limits.list
  const limit = request.limit(list.limit, { module, most, usual: USUAL_LIMIT })
  const next = wanted[limit]
  return { items: wanted.slice(0, limit), more: next === undefined ? null : list.placeOf(next) }
}

/** `prefix`: `ap` for the list, `gap` for the generator. */
export function allPages(
  request: ApiRequest,
  model: FakeWikiModel,
  prefix: string,
): Found<FakePage> {
  const ns = Number(request.text(`${prefix}namespace`) ?? 0)
  const keyOf = (page: FakePage): string => underscored(model.titles.base(page))
  const from = request.text(`${prefix}continue`) ?? underscored(request.text(`${prefix}from`) ?? '')
  const isRedirect = (page: FakePage): boolean => model.redirectOf(page) !== null
  const filter = request.text(`${prefix}filterredir`) ?? 'all'
  const wanted = [...model.pages.values()]
    .filter((page) => page.ns === ns && keyOf(page) >= from)
    .filter((page) => filter === 'all' || isRedirect(page) === (filter === 'redirects'))
    .toSorted((a, b) => Buffer.compare(Buffer.from(keyOf(a)), Buffer.from(keyOf(b))))
  return portion(request, wanted, { limit: `${prefix}limit`, module: 'allpages', placeOf: keyOf })
}

export function categoryMembers(
  request: ApiRequest,
  model: FakeWikiModel,
  prefix: string,
): Found<FakePage> {
  const title = model.titles.parse(request.text(`${prefix}title`) ?? '')
  if (typeof title === 'string' || title.ns !== CATEGORY_NS) {
    throw new ApiRefusal('invalidcategory', 'The category name you entered is not valid.')
  }
  const types = request.values(`${prefix}type`)
  const placeOf = (page: FakePage): string => {
    const key = Buffer.from(model.titles.base(page).toUpperCase()).toString('hex')
    return `${memberType(page)}|${key}|${page.pageId}`
  }
  const from = request.text(`${prefix}continue`) ?? ''
  const wanted = model
    .membersOf(title.title)
    .filter((page) => types.length === 0 || types.includes(memberType(page)))
    .filter((page) => placeOf(page) >= from)
    .toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
  return portion(request, wanted, { limit: `${prefix}limit`, module: 'categorymembers', placeOf })
}

export function memberType({ ns }: FakePage): 'page' | 'subcat' {
  return ns === CATEGORY_NS ? 'subcat' : 'page'
}

interface Timed {
  at: number
}

/** What lies between the times asked for, in the order asked for. */
function inTime<Item extends Timed>(
  request: ApiRequest,
  items: readonly Item[],
  list: { prefix: string; idOf: (item: Item) => number },
): Item[] {
  const { prefix, idOf } = list
  const sign = request.text(`${prefix}dir`) === 'newer' ? 1 : -1
  const start = request.time(`${prefix}start`)
  const end = request.time(`${prefix}end`)
  const from = request.continueAt(`${prefix}continue`)
  return items
    .filter((item) => start === null || sign * (item.at - start) >= 0)
    .filter((item) => end === null || sign * (end - item.at) >= 0)
    .filter((item) => from === null || sign * (item.at - from.at || idOf(item) - from.id) >= 0)
    .toSorted((a, b) => sign * (a.at - b.at || idOf(a) - idOf(b)))
}

export function recentChanges(request: ApiRequest, model: FakeWikiModel): Found<Json> {
  const types = request.values('rctype')
  const idOf = ({ rcId }: FakeChange): number => rcId
  const changes = inTime(request, model.changes, { prefix: 'rc', idOf }).filter(
    ({ type }) => types.length === 0 || types.includes(type),
  )
  const placeOf = ({ at, rcId }: FakeChange): string => `${stampOf(at)}|${rcId}`
  const { items, more } = portion(request, changes, {
    limit: 'rclimit',
    module: 'recentchanges',
    placeOf,
  })
  const asked = request.values('rcprop')
  const props = new Set(asked.length === 0 ? ['title', 'timestamp', 'ids'] : asked)
  return { items: items.map((change) => changeJson(model, change, props)), more }
}

function changeJson(model: FakeWikiModel, change: FakeChange, props: ReadonlySet<string>): Json {
  const revision = model.revisions.get(change.revId)
  const hidden = change.type === 'log' ? new Set() : (revision?.hidden ?? new Set())
  const { ns, title, pageId, revId, oldRevId, rcId, user, userId, log } = change
  const page = model.pageCalled(title)
  const isAnonymous = userId === 0 && (props.has('user') || props.has('userid'))
  const person = {
    ...(props.has('user') && { user }),
    ...(props.has('userid') && { userid: userId }),
    ...(isAnonymous && { anon: true }),
  }
  const isNaming = props.has('user') || props.has('userid')
  const isHiding =
    (isNaming && hidden.has('user')) ||
    (props.has('comment') && hidden.has('comment')) ||
    (props.has('sha1') && hidden.has('text'))
  const isSuppressed = isHiding && hidden.has('suppress')
  return {
    type: change.type,
    ...(props.has('title') && { ns, title }),
    ...(props.has('ids') && { pageid: pageId, revid: revId, old_revid: oldRevId, rcid: rcId }),
    ...(isNaming && hidden.has('user') ? { userhidden: true } : person),
    ...(props.has('flags') && {
      bot: change.isBot,
      new: change.type === 'new',
      minor: change.isMinor,
    }),
    ...(props.has('sizes') && { oldlen: change.oldLen, newlen: change.newLen }),
    ...(props.has('timestamp') && { timestamp: iso(change.at) }),
    ...(props.has('comment') &&
      (hidden.has('comment') ? { commenthidden: true } : { comment: change.comment })),
    ...(props.has('redirect') && {
      redirect: page !== undefined && model.redirectOf(page) !== null,
    }),
    ...(props.has('loginfo') && log !== null && logInfo(log)),
    ...(props.has('tags') && { tags: [...(revision?.tags ?? [])] }),
    ...(props.has('sha1') &&
      revision &&
      (hidden.has('text') ? { sha1hidden: true } : { sha1: revisionSha1(revision) })),
    ...(isSuppressed && { suppressed: true }),
  }
}

function logInfo({ logId, type, action, params }: FakeLogEntry): Json {
  return { logid: logId, logtype: type, logaction: action, logparams: params }
}

const LOG_PROPS = ['ids', 'title', 'type', 'user', 'timestamp', 'comment', 'details']

export function logEvents(request: ApiRequest, model: FakeWikiModel): Found<Json> {
  const type = request.text('letype')
  const wantedTitle = request.text('letitle')
  const parsed = wantedTitle === null ? null : model.titles.parse(wantedTitle)
  const title = parsed === null || typeof parsed === 'string' ? null : parsed.title
  const idOf = ({ logId }: FakeLogEntry): number => logId
  const entries = inTime(request, model.log, { prefix: 'le', idOf })
    .filter((entry) => type === null || entry.type === type)
    .filter((entry) => title === null || entry.title === title)
  const placeOf = ({ at, logId }: FakeLogEntry): string => `${stampOf(at)}|${logId}`
  const found = portion(request, entries, { limit: 'lelimit', module: 'logevents', placeOf })
  const asked = request.values('leprop')
  const props = new Set(asked.length === 0 ? LOG_PROPS : asked)
  return { items: found.items.map((entry) => logJson(model, entry, props)), more: found.more }
}

function logJson(model: FakeWikiModel, entry: FakeLogEntry, props: ReadonlySet<string>): Json {
  const { ns, title, type, action, user, userId, params, comment } = entry
  return {
    ...(props.has('ids') && { logid: entry.logId }),
    ...(props.has('title') && { ns, title }),
    ...(props.has('ids') && {
      pageid: model.pageCalled(title)?.pageId ?? 0,
      logpage: entry.logPage,
    }),
    ...(props.has('details') && { params }),
    ...(props.has('type') && { type, action }),
    ...(props.has('user') && { user }),
    ...(props.has('userid') && { userid: userId }),
    ...(userId === 0 && (props.has('user') || props.has('userid')) && { anon: true }),
    ...(props.has('timestamp') && { timestamp: iso(entry.at) }),
    ...(props.has('comment') && { comment }),
    ...(props.has('tags') && { tags: [...entry.tags] }),
  }
}
