/** Which pages a query is about: named by title, page or revision, or found by a generator. */

import type { FakePage } from '../fake-revision.ts'
import type { FakeWikiModel } from '../fake-wiki-model.ts'
import { latestOf } from '../fake-revision.ts'
import { iso } from '../perform-operation.ts'
import type { Json } from './api-answer.ts'
import type { ApiRequest } from './api-request.ts'

export interface PageSet {
  pages: FakePage[]
  /** In addition to the pages: normalised titles, followed redirects, bad revisions. */
  json: Json
  /** Entries of `pages` for what does not exist. */
  absent: Json[]
  revIds: number[] | null
}

export function pageSetOf(request: ApiRequest, model: FakeWikiModel): PageSet {
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

export function infoJson(page: FakePage, model: FakeWikiModel): Json {
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
export function absentInfoJson(absent: Json): Json {
  return 'missing' in absent && 'title' in absent ? { contentmodel: 'wikitext', ...LANGUAGE } : {}
}
