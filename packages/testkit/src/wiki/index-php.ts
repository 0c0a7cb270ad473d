/** The pages that people see of the fake wiki: articles, histories, raw text, Special:Export. */
import { textAnswer, type Answer } from '../web/answer.ts'
import { RIGHTS, type FakeSite } from './api/site-info.ts'
import {
  base36,
  latestOf,
  mainText,
  revisionSha1,
  type FakePage,
  type FakeRevision,
  type FakeSlot,
} from './fake-revision.ts'
import { historyHtml } from './history-page.ts'
import { MAIN_PAGE, type FakeWikiModel } from './fake-wiki-model.ts'
import { escapeHtml } from './parsed-comment.ts'
import { iso } from './perform-operation.ts'
import { underscored } from './titles.ts'

export interface PageContext {
  model: FakeWikiModel
  site: FakeSite
  lost: ReadonlySet<number>
}

const HTML = 'text/html; charset=UTF-8'

export function answerPage(path: string, params: URLSearchParams, context: PageContext): Answer {
  const title = pageAsked(path, params, context.model)
  const [special, rest] = title.split(/\/(.*)/s)
  if (special === 'Special:Export') return exported(rest ?? '', params, context)
  const byId = context.model.pages.get(Number(params.get('curid') ?? 0))
  const page = byId ?? context.model.pageCalled(title)
  const action = params.get('action') ?? 'view'
  if (action === 'raw') return raw(page, params, context)
  if (page === undefined) return html(context.site, { title, body: 'There is no such page.' })
  const isHistory = action === 'history'
  const body = isHistory ? historyHtml(page, params, context) : escapeHtml(mainText(latestOf(page)))
  return html(context.site, { title, body, page })
}

function pageAsked(path: string, params: URLSearchParams, model: FakeWikiModel): string {
  const asked = params.get('title')
  if (asked !== null) return asked.replaceAll('_', ' ')
  const revision = model.revisions.get(Number(params.get('oldid') ?? 0))
  const page = revision === undefined ? undefined : model.pages.get(revision.pageId)
  if (page !== undefined) return page.title
  const [, inPath] = /^\/(?:wiki|w\/index\.php)\/(.+)$/s.exec(path) ?? []
  return inPath === undefined ? MAIN_PAGE : decodeURIComponent(inPath).replaceAll('_', ' ')
}

interface Shown {
  title: string
  body: string
  page?: FakePage
}

/** What scripts in the browser receive about a page; programs find its number there. */
function facts({ title, page }: Shown): string {
  const known = {
    wgNamespaceNumber: page?.ns ?? 0,
    wgPageName: title.replaceAll(' ', '_'),
    wgCurRevisionId: page === undefined ? 0 : latestOf(page).revId,
    wgArticleId: page?.pageId ?? 0,
  }
  return `<script>RLCONF=${JSON.stringify(known).replaceAll('<', '\\u003C')};</script>`
}

function html({ url, version }: FakeSite, shown: Shown): Answer {
  const { title, body, page } = shown
  const status = page === undefined ? 404 : 200
  const head = [
    '<meta charset="UTF-8"/>',
    `<title>${escapeHtml(title)}</title>`,
    facts(shown),
    `<meta name="generator" content="MediaWiki ${version}"/>`,
    `<link rel="EditURI" type="application/rsd+xml" href="${url}/w/api.php?action=rsd"/>`,
    `<link rel="license" href="${RIGHTS.url}"/>`,
  ]
  const text = `<!DOCTYPE html>\n<html class="client-nojs" lang="en" dir="ltr">\n<head>\n${head.join('\n')}\n</head>\n<body class="mediawiki"><h1 id="firstHeading">${escapeHtml(title)}</h1>\n<div id="mw-content-text">${body}</div>\n</body></html>\n`
  return textAnswer(status, HTML, text)
}

function raw(
  page: FakePage | undefined,
  params: URLSearchParams,
  { model, lost }: PageContext,
): Answer {
  const id = Number(params.get('oldid') ?? 0)
  const newest = page === undefined ? undefined : latestOf(page)
  const revision = id === 0 ? newest : model.revisions.get(id)
  const isThere = revision !== undefined && !lost.has(revision.revId)
  if (!isThere) return textAnswer(404, HTML, '')
  const isHidden = revision.hidden.has('text')
  const body = isHidden ? '' : mainText(revision)
  const answer = textAnswer(isHidden ? 404 : 200, 'text/x-wiki; charset=UTF-8', body)
  const changed = new Date(revision.at).toUTCString()
  return { ...answer, headers: [...answer.headers, 'last-modified', changed] }
}

/** The text of a revision as the REST API gives it. */
export function answerSource(revId: number, { model, lost }: PageContext): Answer {
  const revision = lost.has(revId) ? undefined : model.revisions.get(revId)
  const type = 'application/json'
  if (revision === undefined) return textAnswer(404, type, JSON.stringify({ httpCode: 404 }))
  if (revision.hidden.has('text')) return textAnswer(403, type, JSON.stringify({ httpCode: 403 }))
  const timestamp = new Date(revision.at).toISOString().replace('.000', '')
  return textAnswer(200, type, JSON.stringify({ id: revId, timestamp, source: mainText(revision) }))
}

function exported(inPath: string, params: URLSearchParams, context: PageContext): Answer {
  const { model, site } = context
  const asked = (params.get('pages') ?? inPath).split('\n').filter((line) => line.trim() !== '')
  const pages = asked.flatMap((title) => model.pageCalled(title) ?? [])
  const isWhole = params.has('history')
  const chosen = pages.map((page) => {
    const revisions = isWhole ? page.revisions : [latestOf(page)]
    return { page, revisions: revisions.filter(({ revId }) => !context.lost.has(revId)) }
  })
  return textAnswer(200, 'application/xml; charset=utf-8', exportXml(site, model, chosen))
}

const NAMESPACE = 'http://www.mediawiki.org/xml/export-0.11/'
const ROOT = `<mediawiki xmlns="${NAMESPACE}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="${NAMESPACE} http://www.mediawiki.org/xml/export-0.11.xsd" version="0.11" xml:lang="en">`

/** Export XML 0.11 of the fake wiki, element by element as MediaWiki writes it: by revision number. */
function exportXml(
  site: FakeSite,
  model: FakeWikiModel,
  chosen: readonly { page: FakePage; revisions: readonly FakeRevision[] }[],
): string {
  const pages = chosen.flatMap(({ page, revisions }) => pageXml(model, page, revisions))
  return [ROOT, ...siteXml(site, model), ...pages, '</mediawiki>', ''].join('\n')
}

function siteXml(site: FakeSite, model: FakeWikiModel): string[] {
  const namespaces = model.titles.namespaces().map(({ id, name }) => {
    const start = `      <namespace key="${id}" case="first-letter"`
    return name === '' ? `${start} />` : `${start}>${escapeXml(name)}</namespace>`
  })
  return [
    '  <siteinfo>',
    `    <sitename>${escapeXml(site.name)}</sitename>`,
    '    <dbname>wiki</dbname>',
    `    <base>${site.url}/wiki/${underscored(MAIN_PAGE)}</base>`,
    `    <generator>MediaWiki ${site.version}</generator>`,
    '    <case>first-letter</case>',
    '    <namespaces>',
    ...namespaces,
    '    </namespaces>',
    '  </siteinfo>',
  ]
}

function pageXml(
  model: FakeWikiModel,
  page: FakePage,
  revisions: readonly FakeRevision[],
): string[] {
  const redirect = model.redirectOf(page)
  return [
    '  <page>',
    `    <title>${escapeXml(page.title)}</title>`,
    `    <ns>${page.ns}</ns>`,
    `    <id>${page.pageId}</id>`,
    ...(redirect === null
      ? []
      : [`    <redirect title="${escapeXml(redirect.title).replaceAll('"', '&quot;')}" />`]),
    ...revisions.toSorted((a, b) => a.revId - b.revId).flatMap((one) => revisionXml(one)),
    '  </page>',
  ]
}

function revisionXml(revision: FakeRevision): string[] {
  const { revId, parentId, at, isMinor, comment, hidden, slots } = revision
  const [main, ...others] = slots
  const isHidden = hidden.has('text')
  const summary = hidden.has('comment')
    ? ['      <comment deleted="deleted" />']
    : comment === ''
      ? []
      : [`      <comment>${escapeXml(comment)}</comment>`]
  return [
    '    <revision>',
    `      <id>${revId}</id>`,
    ...(parentId === 0 ? [] : [`      <parentid>${parentId}</parentid>`]),
    `      <timestamp>${iso(at)}</timestamp>`,
    ...contributorXml(revision),
    ...(isMinor ? ['      <minor/>'] : []),
    ...summary,
    ...(main === undefined ? [] : slotXml(main, isHidden, '      ')),
    ...others.flatMap((slot) => [
      '      <content>',
      `        <role>${slot.role}</role>`,
      ...slotXml(slot, isHidden, '        '),
      '      </content>',
    ]),
    isHidden ? '      <sha1/>' : `      <sha1>${base36(revisionSha1(revision))}</sha1>`,
    '    </revision>',
  ]
}

function contributorXml({ user, userId, hidden }: FakeRevision): string[] {
  if (hidden.has('user')) return ['      <contributor deleted="deleted" />']
  const isNamed = userId > 0 || user.includes('>')
  const who = isNamed
    ? [`        <username>${escapeXml(user)}</username>`, `        <id>${userId}</id>`]
    : [`        <ip>${escapeXml(user)}</ip>`]
  return ['      <contributor>', ...who, '      </contributor>']
}

function slotXml(slot: FakeSlot, isHidden: boolean, indent: string): string[] {
  const start = `<text bytes="${slot.size}" sha1="${base36(slot.sha1)}"`
  const text = isHidden
    ? `${start} deleted="deleted" />`
    : slot.text === ''
      ? `${start} />`
      : `${start} xml:space="preserve">${escapeXml(slot.text)}</text>`
  return [
    `<origin>${slot.origin}</origin>`,
    `<model>${slot.model}</model>`,
    `<format>${slot.format}</format>`,
    text,
  ].map((line) => indent + line)
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
