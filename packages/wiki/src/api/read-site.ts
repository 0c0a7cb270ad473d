/** What wiki it is: the answer of siteinfo, and the head of a page that says where api.php is. */
import { canonicalUrl, decodeText, headerValues } from '@minga/net'
import { Parser } from 'htmlparser2'
import type { Namespace, SiteInfo } from '../model.ts'
import type { Envelope, WikiAnswer } from './answer-envelope.ts'
import { listAt, numberAt, objectAt, textAt, type Json } from './answer-shape.ts'

/** Without the right to more; siteinfo itself does not say it. */
const RV_LIMIT = 50
const RV_LIMIT_HIGH = 500
/** Slots came with 1.32. */
const SLOTS_SINCE = [1, 32] as const
/** The head of a page is at its beginning; some skins put much before it. */
const HEAD_BYTES = 512 * 1024

/** Null when the answer does not describe a wiki. */
export function siteOf({ query }: Envelope, apiUrl: string): SiteInfo | null {
  const general = objectAt(query, 'general')
  const base = textAt(general, 'base')
  if (general === null || base === null) return null
  const letters = textAt(general, 'case') ?? 'first-letter'
  const rights = objectAt(query, 'rightsinfo')
  return {
    name: textAt(general, 'sitename') ?? '',
    dbName: textAt(general, 'wikiid'),
    base: canonicalUrl(base, apiUrl) ?? base,
    generator: textAt(general, 'generator'),
    language: textAt(general, 'lang'),
    case: letters,
    namespaces: namespacesOf(query, letters),
    apiUrl,
    articlePath: textAt(general, 'articlepath'),
    rvLimit: mayAskMore(query) ? RV_LIMIT_HIGH : RV_LIMIT,
    rights: { text: textAt(rights, 'text'), url: textAt(rights, 'url') },
  }
}

function namespacesOf(query: Json | null, letters: string): Namespace[] {
  const aliases = listAt(query, 'namespacealiases')
  return listAt(query, 'namespaces').flatMap((each): Namespace[] => {
    const id = numberAt(each, 'id')
    if (id === null) return []
    const name = nameOf(each) ?? ''
    const others = aliases.filter((alias) => numberAt(alias, 'id') === id).map(nameOf)
    const known = [textAt(each, 'canonical'), ...others].filter((other) => other !== null)
    const isCaseSensitive = (textAt(each, 'case') ?? letters) === 'case-sensitive'
    return [{ id, name, aliases: known.filter((other) => other !== name), isCaseSensitive }]
  })
}

function nameOf(from: Json): string | null {
  return textAt(from, 'name') ?? textAt(from, 'alias') ?? textAt(from, '*')
}

function mayAskMore(query: Json | null): boolean {
  const rights = objectAt(query, 'userinfo')?.['rights']
  return Array.isArray(rights) && rights.includes('apihighlimits')
}

/** Unknown versions are taken for new ones: an old wiki ignores what it does not know. */
export function hasSlots(site: Pick<SiteInfo, 'generator'> | null): boolean {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(site?.generator ?? '') ?? []
  if (major === undefined || minor === undefined) return true
  const [sinceMajor, sinceMinor] = SLOTS_SINCE
  return Number(major) > sinceMajor || (Number(major) === sinceMajor && Number(minor) >= sinceMinor)
}

export interface PageHead {
  /** Where it says that api.php is. */
  api: string | null
  /** Where index.php is, so that closed wikis can be read as pages. */
  index: string | null
  isMediaWiki: boolean
}

export function readPageHead(answer: WikiAnswer, url: string): PageHead {
  const [contentType] = headerValues(answer, 'content-type')
  const { text } = decodeText(answer.body.subarray(0, HEAD_BYTES), contentType)
  const head: PageHead = {
    api: null,
    index: null,
    isMediaWiki: /\bRLCONF\b|"wgPageName"/.test(text),
  }
  const parser = new Parser({
    onopentag(name, attributes) {
      const { rel = '', href = '', name: named = '', content = '' } = attributes
      if (name === 'link' && /\bEditURI\b/i.test(rel)) head.api ??= scriptAt(href, url, 'api.php')
      if (name === 'link' && /\balternate\b|\bedit\b/i.test(rel))
        head.index ??= scriptAt(href, url, 'index.php')
      if (name === 'meta' && named === 'generator')
        head.isMediaWiki ||= content.startsWith('MediaWiki')
    },
  })
  parser.end(text)
  const told = /"wgScript":"([^"]+)"/.exec(text)?.[1]
  if (told !== undefined) head.index ??= scriptAt(told.replaceAll('\\/', '/'), url, 'index.php')
  head.index ??= head.api?.replace(/api\.php$/, 'index.php') ?? null
  return { ...head, isMediaWiki: head.isMediaWiki || head.api !== null }
}

function scriptAt(href: string, base: string, script: string): string | null {
  const found = canonicalUrl(href, base)
  const path = found?.replace(/\?.*$/s, '') ?? ''
  return path.endsWith(`/${script}`) ? path : null
}
