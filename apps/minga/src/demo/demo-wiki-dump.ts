/** The histories of the demo's wiki until a moment, as a dump in MediaWiki's export format. */
import { createHash } from 'node:crypto'
import type { DemoRevision, DemoWiki, DemoWikiPage } from './demo-wiki.ts'
import {
  isoSeconds,
  revisionsUntil,
  WIKI_DATABASE,
  WIKI_GENERATOR,
  WIKI_MAIN_PAGE,
  WIKI_NAME,
  WIKI_NAMESPACES,
} from './demo-wiki-site.ts'

export function demoWikiDump(
  { pages }: DemoWiki,
  { origin, until }: { origin: string; until: number },
): string {
  const written = pages.map((page) => ({ ...page, revisions: revisionsUntil(page, until) }))
  return `${headOf(origin + WIKI_MAIN_PAGE)}${written.map(pageXml).join('')}</mediawiki>\n`
}

const NAMESPACE = 'http://www.mediawiki.org/xml/export-0.11/'
const headOf = (
  base: string,
): string => `<mediawiki xmlns="${NAMESPACE}" version="0.11" xml:lang="en">
  <siteinfo>
    <sitename>${WIKI_NAME}</sitename>
    <dbname>${WIKI_DATABASE}</dbname>
    <base>${base}</base>
    <generator>${WIKI_GENERATOR}</generator>
    <case>first-letter</case>
    <namespaces>
${[...WIKI_NAMESPACES].map(namespaceXml).join('')}    </namespaces>
  </siteinfo>
`

function namespaceXml([key, name]: [number, string]): string {
  return `      <namespace key="${key}" case="first-letter">${name}</namespace>\n`
}

function pageXml({ id, title, revisions }: DemoWikiPage): string {
  return `  <page>
    <title>${title}</title>
    <ns>0</ns>
    <id>${id}</id>
${revisions.map(revisionXml).join('')}  </page>
`
}

function revisionXml({ id, parentId, at, editor, comment, isMinor, text }: DemoRevision): string {
  const bytes = Buffer.byteLength(text)
  const sha1 = base36(createHash('sha1').update(text).digest('hex'))
  const who =
    editor.id === 0
      ? `<ip>${editor.name}</ip>`
      : `<username>${editor.name}</username><id>${editor.id}</id>`
  return `    <revision>
      <id>${id}</id>
${parentId === 0 ? '' : `      <parentid>${parentId}</parentid>\n`}      <timestamp>${isoSeconds(at)}</timestamp>
      <contributor>${who}</contributor>
${isMinor ? '      <minor/>\n' : ''}${comment === '' ? '' : `      <comment>${comment}</comment>\n`}      <origin>${id}</origin>
      <model>wikitext</model>
      <format>text/x-wiki</format>
      <text bytes="${bytes}" sha1="${sha1}" xml:space="preserve">${text}</text>
      <sha1>${sha1}</sha1>
    </revision>
`
}

const HASH_DIGITS = 31

function base36(hex: string): string {
  return BigInt(`0x${hex}`).toString(36).padStart(HASH_DIGITS, '0')
}
