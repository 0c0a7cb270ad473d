/** For every kind of step: which parameters it asks the wiki with, and how they are read back. */
import { wholeNumber, type Extras } from './step-ticket.ts'
import {
  LOG_TYPES,
  type AllPagesStep,
  type ByIdsStep,
  type CategoryStep,
  type Continue,
  type DiscoverStep,
  type ExportStep,
  type HistoryPageStep,
  type IdsStep,
  type LogEventsStep,
  type RawStep,
  type Reached,
  type RecentChangesStep,
  type RevisionsStep,
  type SiteinfoStep,
  type SourceStep,
  type TitlesStep,
  type WikiStep,
} from './wiki-step.ts'

export type Params = [string, string][]

type Body<Step> = Omit<Step, 'kind' | 'ticket'>

interface Codec<Step> {
  write(step: Step): { address: string; params: Params; extras: Extras }
  read(address: string, params: URLSearchParams, extras: Extras): Body<Step> | null
}

/** All properties of a revision; `slotsize` and `slotsha1` where there are slots. */
const PROPS = 'ids|flags|timestamp|user|userid|size|sha1|contentmodel|comment|parsedcomment|tags'
const SLOT_PROPS = `${PROPS}|slotsize|slotsha1`
const ID_PROPS = 'ids|timestamp|user|userid|comment|size|sha1'
const LOG_PROPS = 'ids|title|type|timestamp|details'
const CHANGE_PROPS = 'ids|title|timestamp|loginfo'

/** Parameters that a step's own request uses; whatever else is in its URL came from `continue`. */
const OWN = new Set(
  [
    'prop meta list generator siprop uiprop titles pageids revids redirects converttitles',
    'rvprop rvlimit rvdir rvslots rvstart gaplimit gapnamespace gcmtitle gcmlimit gcmtype',
    'rcdir rcstart rcend rclimit rctype rcprop ledir lestart letype letitle lelimit leprop',
    'action format formatversion utf8 maxlag requestid errorformat assert origin callback',
  ].flatMap((line) => line.split(' ')),
)

/** A wiki that sends back `action` or `titles` as its continuation would steer the request elsewhere. */
export function isContinueKey(key: string): boolean {
  return /^[a-z][a-z0-9-]{0,40}$/i.test(key) && !OWN.has(key.toLowerCase())
}

function moreOf(params: URLSearchParams): Continue {
  const more: Record<string, string> = {}
  for (const [name, value] of params) if (isContinueKey(name)) more[name] = value
  return more
}

function iso(at: number): string {
  return new Date(at).toISOString().replace('.000Z', 'Z')
}

function instant(text: string | null): number | null {
  if (text === null) return null
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : at
}

function reachedText(reached: Reached | null): Extras {
  return reached === null ? {} : { l: `${reached.at}.${reached.revId}` }
}

function reachedOf(text: string | undefined): Reached | null {
  const [at, revId] = (text ?? '').split('.').map(wholeNumber)
  return at == null || revId == null ? null : { at, revId }
}

const discover: Codec<DiscoverStep> = {
  write: ({ url, origin, candidate }) => ({
    address: url,
    params: [],
    extras: { c: String(candidate), o: origin },
  }),
  read(url, _params, { c, o }) {
    const candidate = wholeNumber(c)
    return candidate === null || o === undefined ? null : { url, origin: o, candidate }
  },
}

const siteinfo: Codec<SiteinfoStep> = {
  write: ({ api, origin, candidate }) => ({
    address: api,
    params: [
      ['meta', 'siteinfo|userinfo'],
      ['siprop', 'general|namespaces|namespacealiases|rightsinfo'],
      // Whether this visitor may ask for more at a time.
      ['uiprop', 'rights'],
    ],
    extras: { c: String(candidate), ...(origin === null ? {} : { o: origin }) },
  }),
  read(api, _params, { c, o }) {
    const candidate = wholeNumber(c)
    return candidate === null ? null : { api, origin: o ?? null, candidate }
  },
}

const titles: Codec<TitlesStep> = {
  write: ({ api, by, of, isFollowing, more }) => ({
    address: api,
    params: [
      ['prop', 'info'],
      [by, of.join('|')],
      ...(isFollowing ? [['redirects', '1'] as [string, string]] : []),
      ...(by === 'titles' ? [['converttitles', '1'] as [string, string]] : []),
      ...Object.entries(more),
    ],
    extras: {},
  }),
  read(api, params) {
    const by = (['titles', 'pageids', 'revids'] as const).find((name) => params.has(name))
    if (by === undefined) return null
    const of = (params.get(by) ?? '').split('|')
    return { api, by, of, isFollowing: params.has('redirects'), more: moreOf(params) }
  },
}

const revisions: Codec<RevisionsStep> = {
  write(step) {
    const props = step.hasSlots ? SLOT_PROPS : PROPS
    const params: Params = [
      ['prop', 'info|revisions'],
      ['pageids', String(step.pageId)],
      ['rvprop', step.withText ? `${props}|content` : props],
      ['rvlimit', String(step.limit)],
      ['rvdir', step.order === 'oldest-first' ? 'newer' : 'older'],
    ]
    if (step.hasSlots) params.push(['rvslots', '*'])
    if (step.since !== null) params.push(['rvstart', iso(step.since)])
    params.push(...Object.entries(step.more))
    const extras = { s: String(step.soFar), ...reachedText(step.reached) }
    return { address: step.api, params, extras }
  },
  read(api, params, { s, l }) {
    const [pageId, limit, soFar] = [params.get('pageids'), params.get('rvlimit'), s].map(
      wholeNumber,
    )
    if (pageId == null || limit == null || soFar == null) return null
    return {
      api,
      pageId,
      hasSlots: params.has('rvslots'),
      order: params.get('rvdir') === 'older' ? 'newest-first' : 'oldest-first',
      since: instant(params.get('rvstart')),
      limit,
      withText: (params.get('rvprop') ?? '').endsWith('|content'),
      soFar,
      reached: reachedOf(l),
      more: moreOf(params),
    }
  },
}

const ids: Codec<IdsStep> = {
  write: ({ api, pageId, hasSlots, limit, soFar, reached, more }) => ({
    address: api,
    params: [
      ['prop', 'info|revisions'],
      ['pageids', String(pageId)],
      ['rvprop', ID_PROPS],
      ['rvlimit', String(limit)],
      ['rvdir', 'newer'],
      ...(hasSlots ? [['rvslots', '*'] as [string, string]] : []),
      ...Object.entries(more),
    ],
    extras: { s: String(soFar), ...reachedText(reached) },
  }),
  read(api, params, { s, l }) {
    const [pageId, limit, soFar] = [params.get('pageids'), params.get('rvlimit'), s].map(
      wholeNumber,
    )
    if (pageId == null || limit == null || soFar == null) return null
    const hasSlots = params.has('rvslots')
    return { api, pageId, hasSlots, limit, soFar, reached: reachedOf(l), more: moreOf(params) }
  },
}

const byIds: Codec<ByIdsStep> = {
  write: ({ api, pageId, revIds, hasSlots, more }) => ({
    address: api,
    params: [
      ['prop', 'revisions'],
      ['revids', revIds.join('|')],
      ['rvprop', `${hasSlots ? SLOT_PROPS : PROPS}|content`],
      ...(hasSlots ? [['rvslots', '*'] as [string, string]] : []),
      ...Object.entries(more),
    ],
    extras: { p: String(pageId) },
  }),
  read(api, params, { p }) {
    const pageId = wholeNumber(p)
    const revIds = (params.get('revids') ?? '').split('|').map(wholeNumber)
    if (pageId === null || revIds.some((id) => id === null)) return null
    const known = revIds.filter((id) => id !== null)
    return { api, pageId, revIds: known, hasSlots: params.has('rvslots'), more: moreOf(params) }
  },
}

const allpages: Codec<AllPagesStep> = {
  write: ({ api, ns, limit, more }) => ({
    address: api,
    params: [
      ['generator', 'allpages'],
      ['gapnamespace', String(ns)],
      ['gaplimit', String(limit)],
      ['prop', 'info'],
      ...Object.entries(more),
    ],
    extras: {},
  }),
  read(api, params) {
    const [ns, limit] = [params.get('gapnamespace'), params.get('gaplimit')].map(wholeNumber)
    return ns == null || limit == null ? null : { api, ns, limit, more: moreOf(params) }
  },
}

const category: Codec<CategoryStep> = {
  write: ({ api, title, depth, limit, more }) => ({
    address: api,
    params: [
      ['generator', 'categorymembers'],
      ['gcmtitle', title],
      ['gcmtype', depth > 0 ? 'page|subcat' : 'page'],
      ['gcmlimit', String(limit)],
      ['prop', 'info'],
      ...Object.entries(more),
    ],
    extras: { d: String(depth) },
  }),
  read(api, params, { d }) {
    const [depth, limit] = [d, params.get('gcmlimit')].map(wholeNumber)
    const title = params.get('gcmtitle')
    if (depth == null || limit == null || title === null) return null
    return { api, title, depth, limit, more: moreOf(params) }
  },
}

const recentchanges: Codec<RecentChangesStep> = {
  write: ({ api, since, until, limit, more }) => ({
    address: api,
    params: [
      ['list', 'recentchanges'],
      ['rcdir', 'newer'],
      ['rcstart', iso(since)],
      ...(until === null ? [] : [['rcend', iso(until)] as [string, string]]),
      ['rclimit', String(limit)],
      ['rctype', 'edit|new|log'],
      ['rcprop', CHANGE_PROPS],
      ...Object.entries(more),
    ],
    extras: {},
  }),
  read(api, params) {
    const since = instant(params.get('rcstart'))
    const limit = wholeNumber(params.get('rclimit'))
    if (since === null || limit === null) return null
    return { api, since, until: instant(params.get('rcend')), limit, more: moreOf(params) }
  },
}

const logevents: Codec<LogEventsStep> = {
  write({ api, type, since, title, limit, more }) {
    const params: Params = [
      ['list', 'logevents'],
      ['ledir', 'newer'],
      ['lelimit', String(limit)],
      ['leprop', LOG_PROPS],
    ]
    if (type !== null) params.push(['letype', type])
    if (since !== null) params.push(['lestart', iso(since)])
    if (title !== null) params.push(['letitle', title])
    return { address: api, params: [...params, ...Object.entries(more)], extras: {} }
  },
  read(api, params) {
    const limit = wholeNumber(params.get('lelimit'))
    if (limit === null) return null
    return {
      api,
      type: LOG_TYPES.find((type) => type === params.get('letype')) ?? null,
      since: instant(params.get('lestart')),
      title: params.get('letitle'),
      limit,
      more: moreOf(params),
    }
  },
}

const exportPages: Codec<ExportStep> = {
  write: ({ index, title }) => ({
    address: index,
    params: [
      ['title', 'Special:Export'],
      ['pages', title],
      // Offset and limit are for forms that are posted; a GET gives the newest revision or all.
      ['history', '1'],
    ],
    extras: {},
  }),
  read(index, params) {
    const title = params.get('pages')
    return title === null ? null : { index, title }
  },
}

const historyPage: Codec<HistoryPageStep> = {
  write: ({ index, title, offset, limit, soFar }) => ({
    address: index,
    params: [
      ['title', title],
      ['action', 'history'],
      ['limit', String(limit)],
      ['uselang', 'en'],
      ...(offset === null ? [] : [['offset', offset] as [string, string]]),
    ],
    extras: { s: String(soFar) },
  }),
  read(index, params, { s }) {
    const [limit, soFar] = [params.get('limit'), s].map(wholeNumber)
    const title = params.get('title')
    if (limit == null || soFar == null || title === null) return null
    return { index, title, offset: params.get('offset'), limit, soFar }
  },
}

const raw: Codec<RawStep> = {
  write: ({ index, title, pageId, revId }) => ({
    address: index,
    params: [
      ['title', title],
      ['oldid', String(revId)],
      ['action', 'raw'],
    ],
    extras: { p: String(pageId) },
  }),
  read(index, params, { p }) {
    const [pageId, revId] = [p, params.get('oldid')].map(wholeNumber)
    const title = params.get('title')
    if (pageId == null || revId == null || title === null) return null
    return { index, title, pageId, revId }
  },
}

const source: Codec<SourceStep> = {
  write: ({ rest, pageId, revId }) => ({
    address: `${rest}/v1/revision/${revId}`,
    params: [],
    extras: { p: String(pageId) },
  }),
  read(address, _params, { p }) {
    const [, rest, id] = /^(.+\/rest\.php)\/v1\/revision\/(\d+)$/.exec(address) ?? []
    const [pageId, revId] = [p, id].map(wholeNumber)
    return rest === undefined || pageId == null || revId == null ? null : { rest, pageId, revId }
  },
}

export const STEP_CODECS: { [Kind in WikiStep['kind']]: Codec<Extract<WikiStep, { kind: Kind }>> } =
  {
    discover,
    siteinfo,
    titles,
    revisions,
    ids,
    byIds,
    allpages,
    category,
    recentchanges,
    logevents,
    export: exportPages,
    historyPage,
    raw,
    source,
  }
