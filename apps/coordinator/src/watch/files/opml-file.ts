/**
 * Watches as OPML 2.0, so that lists of feeds come and go. An outline with an `xmlUrl` is a page with
 * a feed; one with a `url` is a page; outlines around others are folders. What OPML has no word for
 * stands in attributes of our own, which other programs pass over.
 */
import { parseOpml, type Outline } from '@minga/net'
import type { WatchRequest } from '@minga/protocol'
import { ENTRY_NAMES, fieldIn, fieldText } from './watch-entry.ts'
import type { ReadEntry, ReadFile, WatchEntry } from './watch-entry.ts'

const CODE = 'MINGA_BAD_WATCH_FILE'
const NAMESPACE = 'urn:minga:watch'

/** OPML's own words say these. */
const OWN_WORDS: ReadonlySet<string> = new Set(['name', 'urls'])

export function opmlOf(entries: readonly WatchEntry[]): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<opml version="2.0" xmlns:minga="${NAMESPACE}">`,
    '  <head><title>Minga watches</title></head>',
    '  <body>',
    ...entries.flatMap(outlineOf),
    '  </body>',
    '</opml>',
    '',
  ].join('\n')
}

function outlineOf(entry: WatchEntry): string[] {
  const [first = ''] = entry.urls
  const [feed] = entry.feeds
  const kind: [string, string][] =
    feed === undefined
      ? [
          ['type', 'link'],
          ['url', first],
        ]
      : [
          ['type', 'rss'],
          ['xmlUrl', feed],
          ['htmlUrl', first],
        ]
  const own = ENTRY_NAMES.filter((name) => !OWN_WORDS.has(name)).flatMap(
    (name): [string, string][] => {
      const text = fieldText(entry[name])
      return text === '' ? [] : [[`minga:${name}`, text]]
    },
  )
  const tag = `    <outline${attributes([['text', entry.name], ...kind, ...own])}`
  if (entry.urls.length === 1) return [`${tag}/>`]
  const pages = entry.urls.map(
    (url) =>
      `      <outline${attributes([
        ['text', url],
        ['type', 'link'],
        ['url', url],
      ])}/>`,
  )
  return [`${tag}>`, ...pages, '    </outline>']
}

const attributes = (pairs: readonly (readonly [string, string])[]): string =>
  pairs.map(([name, value]) => ` ${name}="${escaped(value)}"`).join('')

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
}

/** XML has no way to write most control characters: they are left out. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll(/[&<>"\t\n\r]/g, (found) => ESCAPES[found]!)
}

export function readOpml(text: string): ReadFile {
  const { outlines, problems } = parseOpml(text)
  const read: ReadFile = {
    entries: [],
    problems: problems.map(({ line, message }) => ({ line, code: CODE, message })),
  }
  for (const outline of outlines) readOutline(outline, [], read)
  if (outlines.length === 0 && problems.length === 0) {
    read.problems.push({ line: 1, code: CODE, message: 'There is no outline in it.' })
  }
  return read
}

function readOutline(outline: Outline, folders: readonly string[], read: ReadFile): void {
  const { line, children } = outline
  const isOurs = outline.attributes.has('minga:subject')
  const urls = urlsOf(outline)
  if (urls.length > 0) {
    const pages = isOurs && children.length > 0 ? children.flatMap(urlsOf) : urls
    read.entries.push({ line, request: requestOf(outline, pages), folders })
    if (isOurs) return
  } else if (children.length === 0) {
    const message = 'The outline has neither an xmlUrl nor a url.'
    read.problems.push({ line, code: CODE, message })
  }
  const name = titleOf(outline)
  const inside = name === undefined ? folders : [...folders, name]
  for (const child of children) readOutline(child, inside, read)
}

function urlsOf({ attributes: given }: Outline): string[] {
  const url = given.get('htmlUrl') || given.get('url') || given.get('xmlUrl')
  return url ? [url] : []
}

const titleOf = ({ attributes: given }: Outline): string | undefined =>
  given.get('text') || given.get('title')

function requestOf(outline: Outline, urls: string[]): ReadEntry['request'] {
  const request: Record<string, unknown> = { urls }
  const name = titleOf(outline)
  const feed = outline.attributes.get('xmlUrl')
  if (name !== undefined) request['name'] = name
  if (feed !== undefined && feed !== '') request['feeds'] = [feed]
  for (const field of ENTRY_NAMES) {
    const text = outline.attributes.get(`minga:${field}`)
    if (text !== undefined && text !== '') request[field] = fieldIn(field, text)
  }
  return request as unknown as WatchRequest
}
