/** `api.php?action=query`: puts together what the parts of a query found. */
import { latestOf, type FakePage } from '../fake-revision.ts'
import type { FakeWikiModel } from '../fake-wiki-model.ts'
import { iso } from '../perform-operation.ts'
import {
  ApiRefusal,
  inFormatVersion1,
  refusalAnswer,
  type ApiAnswer,
  type Json,
} from './api-answer.ts'
import { ApiRequest, type ApiLimits } from './api-request.ts'
import {
  allPages,
  categoryMembers,
  logEvents,
  memberType,
  recentChanges,
  type Found,
} from './lists.ts'
import { listRevisions } from './revisions.ts'
import { siteInfoJson, userInfoJson, type FakeSite } from './site-info.ts'

export interface ApiContext {
  model: FakeWikiModel
  site: FakeSite
  limits: ApiLimits
  /** The largest answer, in bytes of text. */
  resultBytesMax: number
  lost: ReadonlySet<number>
}

export function answerApi(params: URLSearchParams, context: ApiContext): ApiAnswer {
  const request = new ApiRequest(params, context.limits)
  const answer = answered(request, context)
  const isOld = params.get('formatversion') !== '2'
  return isOld ? { ...answer, json: inFormatVersion1(answer.json) } : answer
}

function answered(request: ApiRequest, context: ApiContext): ApiAnswer {
  try {
    const action = request.text('action') ?? 'help'
    if (action !== 'query') {
      throw new ApiRefusal('badvalue', `Unrecognized value for parameter "action": ${action}.`)
    }
    return { json: queryJson(request, context), headers: [] }
  } catch (error) {
    if (error instanceof ApiRefusal) return refusalAnswer(error, `${context.site.url}/w/api.php`)
    throw error
  }
}

/** What one part of a query adds: to `query`, and where it continues. */
interface Part {
  query: Json
  more: Json | null
  rest?: Json
}

function queryJson(request: ApiRequest, context: ApiContext): Json {
  const parts = [metaPart(request, context), ...listParts(request, context.model)]
  const pages = pagesPart(request, context)
  const all = [...parts, pages]
  const body = Object.assign({}, ...all.map((part) => part.query)) as Json
  const next = Object.assign({}, ...all.map(({ more }) => more ?? {})) as Json
  const isWhole = pages.more === null || !('rvcontinue' in pages.more)
  const requestId = request.text('requestid')
  return {
    ...(isWhole && { batchcomplete: true }),
    ...(Object.keys(next).length > 0 && { continue: next }),
    ...(requestId !== null && { requestid: requestId }),
    ...(request.has('curtimestamp') && { curtimestamp: iso(context.model.now()) }),
    ...request.warningsJson(),
    ...(Object.keys(body).length > 0 && { query: body }),
    ...pages.rest,
  }
}

function metaPart(request: ApiRequest, { site, model }: ApiContext): Part {
  const meta = request.values('meta')
  const query = {
    ...(meta.includes('siteinfo') && siteInfoJson(site, model, request.values('siprop'))),
    ...(meta.includes('userinfo') && { userinfo: userInfoJson(request.values('uiprop')) }),
  }
  return { query, more: null }
}

function listParts(request: ApiRequest, model: FakeWikiModel): Part[] {
  const part = (name: string, key: string, { items, more }: Found<Json>): Part => ({
    query: { [name]: items },
    more: more === null ? null : { [key]: more, continue: '-||' },
  })
  const mapped = <Item>(found: Found<Item>, json: (item: Item) => Json): Found<Json> => ({
    items: found.items.map((item) => json(item)),
    more: found.more,
  })
  return request.values('list').flatMap((list): Part[] => {
    switch (list) {
      case 'allpages':
        return [part(list, 'apcontinue', mapped(allPages(request, model, 'ap'), stub))]
      case 'categorymembers': {
        const props = request.values('cmprop')
        const member = (page: FakePage): Json => ({
          ...stub(page),
          ...(props.includes('type') && { type: memberType(page) }),
        })
        return [part(list, 'cmcontinue', mapped(categoryMembers(request, model, 'cm'), member))]
      }
      case 'recentchanges':
        return [part(list, 'rccontinue', recentChanges(request, model))]
      case 'logevents':
        return [part(list, 'lecontinue', logEvents(request, model))]
      default:
        request.warn('query', `Unrecognized value for parameter "list": ${list}`)
        return []
    }
  })
}

function stub({ pageId, ns, title }: FakePage): Json {
  return { pageid: pageId, ns, title }
}

function pagesPart(request: ApiRequest, context: ApiContext): Part {
  const generated = generate(request, context.model)
  const set = generated?.set ?? pageSetOf(request, context.model)
  if (set.pages.length === 0 && set.absent.length === 0 && Object.keys(set.json).length === 0) {
    return { query: {}, more: null }
  }
  const props = propsOf(request)
  const { model } = context
  const found = props.has('revisions')
    ? listRevisions({ ...context, ...set, request, bytesMax: context.resultBytesMax })
    : null
  // Once a batch is continued, values that were sent already are not sent again.
  const hasInfo = props.has('info') && !(request.text('continue') ?? '').endsWith('|info')
  const known = set.pages
    .toSorted((a, b) => a.pageId - b.pageId)
    .map((page) => {
      const revisions = found?.byPage.get(page.pageId)
      return {
        ...stub(page),
        ...(hasInfo && infoJson(page, model)),
        ...(revisions !== undefined && { revisions }),
      }
    })
  const absent = set.absent.map((json) => (hasInfo ? { ...json, ...absentInfoJson(json) } : json))
  const more =
    found?.more == null ? (generated?.more ?? null) : { ...found.more, continue: doneMark(props) }
  return {
    query: { ...set.json, pages: [...absent, ...known] },
    more,
    rest: found?.limitsJson ?? {},
  }
}

function doneMark(props: ReadonlySet<string>): string {
  return props.has('info') ? '||info' : '||'
}

function propsOf(request: ApiRequest): Set<string> {
  const asked = request.values('prop')
  for (const prop of asked) {
    if (prop === 'info' || prop === 'revisions') continue
    request.warn('query', `Unrecognized value for parameter "prop": ${prop}`)
  }
  return new Set(asked)
}

function generate(
  request: ApiRequest,
  model: FakeWikiModel,
): { set: PageSet; more: Json | null } | null {
  const generator = request.text('generator')
  if (generator === null) return null
  const [prefix, find] =
    generator === 'allpages' ? (['gap', allPages] as const) : (['gcm', categoryMembers] as const)
  const { items, more } = find(request, model, prefix)
  const key = `${prefix}continue`
  return {
    set: { pages: items, json: {}, absent: [], revIds: null },
    more: more === null ? null : { [key]: more, continue: `${key}||` },
  }
}

interface PageSet {
  pages: FakePage[]
  /** In addition to the pages: normalised titles, followed redirects, bad revisions. */
  json: Json
  /** Entries of `pages` for what does not exist. */
  absent: Json[]
  revIds: number[] | null
}

/** Which pages a query is about: named by title, page or revision, or found by a generator. */
function pageSetOf(request: ApiRequest, model: FakeWikiModel): PageSet {
  const empty = { json: {}, absent: [], revIds: null }
  if (request.has('titles')) return ofTitles(request, model)
  if (request.has('pageids')) {
    const ids = request.items('pageids').map(Number)
    const pages = ids.flatMap((id) => model.pages.get(id) ?? [])
    const absent = ids
      .filter((id) => !model.pages.has(id))
      .map((pageid) => ({ pageid, missing: true }))
    return { ...empty, pages, absent }
  }
  if (request.has('revids')) return ofRevisions(request.items('revids').map(Number), model)
  return { ...empty, pages: [] }
}

function ofTitles(request: ApiRequest, model: FakeWikiModel): PageSet {
  const normalized: Json[] = []
  const redirects: Json[] = []
  const absent: Json[] = []
  const pages = new Set<FakePage>()
  for (const from of request.items('titles')) {
    const parsed = model.titles.parse(from)
    if (typeof parsed === 'string') {
      absent.push({ title: from, invalidreason: parsed, invalid: true })
      continue
    }
    const { ns, title } = parsed
    if (title !== from) normalized.push({ fromencoded: false, from, to: title })
    if (ns < 0) {
      absent.push({ ns, title, special: true })
      continue
    }
    const found = request.has('redirects') ? follow(model, title, redirects) : title
    const page = model.pageCalled(found)
    if (page === undefined) absent.push({ ns, title: found, missing: true })
    else pages.add(page)
  }
  const json = {
    ...(normalized.length > 0 && { normalized }),
    ...(redirects.length > 0 && { redirects }),
  }
  return { pages: [...pages], json, absent, revIds: null }
}

/** Redirects to redirects too; one that leads back to itself is where it ends. */
function follow(model: FakeWikiModel, title: string, redirects: Json[]): string {
  const seen = new Set([title])
  let at = title
  for (;;) {
    const page = model.pageCalled(at)
    const target = page === undefined ? null : model.redirectOf(page)
    if (target === null) return at
    const { title: to, fragment } = target
    if (!redirects.some((one) => one['from'] === at)) {
      redirects.push({ from: at, to, ...(fragment !== null && { tofragment: fragment }) })
    }
    if (seen.has(to)) return to
    seen.add(to)
    at = to
  }
}

function ofRevisions(revIds: number[], model: FakeWikiModel): PageSet {
  const ids = revIds.flatMap((id) => model.revisions.get(id)?.pageId ?? [])
  const pages = [...new Set(ids)].flatMap((id) => model.pages.get(id) ?? [])
  const bad = revIds.filter((id) => !model.revisions.has(id))
  const badrevids = Object.fromEntries(bad.map((revid) => [revid, { revid, missing: true }]))
  return { pages, json: bad.length === 0 ? {} : { badrevids }, absent: [], revIds }
}

const LANGUAGE = { pagelanguage: 'en', pagelanguagehtmlcode: 'en', pagelanguagedir: 'ltr' }

function infoJson(page: FakePage, model: FakeWikiModel): Json {
  const latest = latestOf(page)
  const [main] = latest.slots
  return {
    contentmodel: main?.model,
    ...LANGUAGE,
    touched: iso(page.touched),
    lastrevid: latest.revId,
    length: main?.size,
    ...(model.redirectOf(page) !== null && { redirect: true }),
    ...(page.isNew && { new: true }),
  }
}

/** What `prop=info` says of a title that has no page. */
function absentInfoJson(absent: Json): Json {
  return 'missing' in absent && 'title' in absent ? { contentmodel: 'wikitext', ...LANGUAGE } : {}
}
