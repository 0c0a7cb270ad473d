/** Export XML 0.11 of the fake wiki, element by element as MediaWiki writes it: by revision number. */

import type { FakeSite } from './api/site-info.ts'
import {
  base36,
  revisionSha1,
  type FakePage,
  type FakeRevision,
  type FakeSlot,
} from './fake-revision.ts'
import { MAIN_PAGE, type FakeWikiModel } from './fake-wiki-model.ts'
import { iso } from './perform-operation.ts'
import { underscored } from './titles.ts'

const NAMESPACE = 'http://www.mediawiki.org/xml/export-0.11/'
const ROOT = `<mediawiki xmlns="${NAMESPACE}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="${NAMESPACE} http://www.mediawiki.org/xml/export-0.11.xsd" version="0.11" xml:lang="en">`

export function exportXml(
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
