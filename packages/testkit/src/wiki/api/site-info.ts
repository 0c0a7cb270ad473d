/** `meta=siteinfo` and `meta=userinfo`, with the names and values of MediaWiki 1.39. */

import { MAIN_PAGE, type FakeWikiModel } from '../fake-wiki-model.ts'
import { iso } from '../perform-operation.ts'
import { NAMESPACE_ALIASES, underscored } from '../titles.ts'
import type { Json } from './api-answer.ts'

export interface FakeSite {
  /** Where it is served, without a slash at the end. */
  url: string
  name: string
  /** For example `1.39.17`. */
  version: string
}

export const RIGHTS = {
  url: 'https://creativecommons.org/licenses/by-sa/4.0/',
  text: 'Creative Commons Attribution-ShareAlike 4.0',
}
const VISITORS_RIGHTS = ['createaccount', 'read', 'edit', 'createpage', 'createtalk', 'writeapi']

export function siteInfoJson(site: FakeSite, model: FakeWikiModel, props: readonly string[]): Json {
  const asked = props.length === 0 ? ['general'] : props
  return {
    ...(asked.includes('general') && { general: general(site, model) }),
    ...(asked.includes('namespaces') && { namespaces: namespaces(model) }),
    ...(asked.includes('namespacealiases') && { namespacealiases: NAMESPACE_ALIASES }),
    ...(asked.includes('rightsinfo') && { rightsinfo: RIGHTS }),
    ...(asked.includes('statistics') && { statistics: statistics(model) }),
  }
}

function general({ url, name, version }: FakeSite, model: FakeWikiModel): Json {
  return {
    mainpage: MAIN_PAGE,
    base: `${url}/wiki/${underscored(MAIN_PAGE)}`,
    sitename: name,
    mainpageisdomainroot: false,
    generator: `MediaWiki ${version}`,
    case: 'first-letter',
    lang: 'en',
    fallback: [],
    rtl: false,
    readonly: false,
    writeapi: true,
    timezone: 'UTC',
    timeoffset: 0,
    articlepath: '/wiki/$1',
    scriptpath: '/w',
    script: '/w/index.php',
    variantarticlepath: false,
    server: url,
    servername: new URL(url).hostname,
    wikiid: 'wiki',
    time: iso(model.now()),
    misermode: false,
  }
}

const CONTENT_NS = 0
const FIRST_TALK_NS = 1
/** Holds the words of the wiki itself. */
const MESSAGES_NS = 8

function namespaces(model: FakeWikiModel): Json {
  const entries = model.titles.namespaces().map(({ id, name, canonical }) => [
    String(id),
    {
      id,
      case: 'first-letter',
      name,
      subpages: id >= FIRST_TALK_NS && !WITHOUT_SUBPAGES.has(id),
      ...(id !== CONTENT_NS && { canonical }),
      content: id === CONTENT_NS,
      nonincludable: false,
      ...(id === MESSAGES_NS && { namespaceprotection: 'editinterface' }),
    },
  ])
  return Object.fromEntries(entries)
}

/** File and Category; the others but articles have subpages. */
const WITHOUT_SUBPAGES = new Set([6, 14])

function statistics(model: FakeWikiModel): Json {
  return { pages: model.pages.size, edits: model.revisions.size }
}

/** Everyone who asks the fake wiki is anonymous. */
export function userInfoJson(props: readonly string[]): Json {
  const rights = props.includes('rights') ? { rights: VISITORS_RIGHTS } : {}
  return { id: 0, name: '127.0.0.1', anon: true, ...rights }
}
