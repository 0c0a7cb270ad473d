/** `api.php?action=query`: puts together what the parts of a query found. */

import type { FakePage } from '../fake-revision.ts'
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
import { absentInfoJson, infoJson, pageSetOf, type PageSet } from './page-set.ts'
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
