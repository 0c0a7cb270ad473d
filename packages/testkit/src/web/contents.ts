/** Pages whose difficulty lies in what they contain: charsets, directives, copies. */

import { pageAnswer, smallPage, textAnswer, type Answer } from './answer.ts'

type Table = Record<string, (() => Answer) | undefined>

/** A page in some charset with one link, which only a client that decodes it right will find. */
function inCharset(name: string, type: string, encode: (html: string) => Buffer): () => Answer {
  return () => {
    const target = `/decoded/${name}`
    const html = smallPage({ title: `Grüße ${name}`, links: [target] })
    return { ...textAnswer(200, type, encode(html)), links: () => [target] }
  }
}

const utf8 = (html: string): Buffer => Buffer.from(html, 'utf8')
const latin1 = (html: string): Buffer => Buffer.from(html, 'latin1')
const utf16le = (html: string): Buffer => Buffer.from(`\uFEFF${html}`, 'utf16le')
/** "日本語" in Shift_JIS, put where the umlauts stood. */
const shiftJis = (html: string): Buffer =>
  Buffer.from(html.replace('Grüße', '\x93\xFA\x96\x7B\x8C\xEA'), 'latin1')
const metaTag = (html: string): Buffer =>
  latin1(html.replace('<head>', '<head><meta charset="windows-1252">'))

export const CHARSETS: Table = {
  '/charset/utf-8': inCharset('utf-8', 'text/html; charset=utf-8', utf8),
  '/charset/utf-8-bom': inCharset('utf-8-bom', 'text/html', (html) => utf8(`\uFEFF${html}`)),
  '/charset/latin-1': inCharset('latin-1', 'text/html; charset=iso-8859-1', latin1),
  '/charset/shift_jis': inCharset('shift_jis', 'text/html; charset=Shift_JIS', shiftJis),
  '/charset/utf-16le': inCharset('utf-16le', 'text/html', utf16le),
  '/charset/utf-16be': inCharset('utf-16be', 'text/html', (html) => utf16le(html).swap16()),
  '/charset/meta-only': inCharset('meta-only', 'text/html', metaTag),
  '/charset/wrong-label': inCharset('wrong-label', 'text/html; charset=utf-8', latin1),
  '/charset/unknown-label': inCharset('unknown-label', 'text/html; charset=x-klingon', utf8),
}

export function decodedPage(path: string): Answer | undefined {
  return path.startsWith('/decoded/') ? pageAnswer({ title: `Found: ${path}` }) : undefined
}

/** Pages behind a nofollow are `maybe`: whether to go there is the crawler's policy. */
export const DIRECTIVES: Table = {
  '/directive/canonical': () =>
    pageAnswer({ title: 'A copy', head: '<link rel="canonical" href="/p/0">' }),
  '/directive/noindex': () =>
    pageAnswer({ title: 'Unlisted', head: '<meta name="robots" content="noindex">' }),
  '/directive/noindex-header': () => {
    const answer = pageAnswer({ title: 'Unlisted by header' })
    return { ...answer, headers: [...answer.headers, 'x-robots-tag', 'noindex, nofollow'] }
  },
  '/directive/nofollow': () => ({
    ...pageAnswer({
      title: 'Dead end',
      links: ['/behind-nofollow/meta'],
      head: '<meta name="robots" content="nofollow">',
    }),
    links: () => [],
  }),
  '/directive/nofollow-link': () => {
    const html = smallPage({ title: 'Advertisement' }).replace(
      '</ul>',
      '<li><a rel="nofollow" href="/behind-nofollow/link">ad</a></ul>',
    )
    return textAnswer(200, 'text/html; charset=utf-8', html)
  },
}

export function behindNofollow(path: string): Answer | undefined {
  const isBehind = path.startsWith('/behind-nofollow/')
  return isBehind ? pageAnswer({ title: `Reached: ${path}` }, 'maybe') : undefined
}

const COPY = textAnswer(
  200,
  'text/html; charset=utf-8',
  smallPage({ title: 'The same everywhere' }).padEnd(3000, '.'),
)

export function duplicatePaths(copies: number): string[] {
  return Array.from({ length: copies }, (_, n) => `/copy/${n}`)
}

export function duplicateAnswer(path: string): Answer | undefined {
  return path.startsWith('/copy/') ? COPY : undefined
}

/** Linked although it does not exist; with `soft404` the host answers 200 all the same. */
export const SOFT_404_ENTRIES = ['/gone/1', '/gone/2']

export function soft404Answer(): Answer {
  return pageAnswer({ title: 'Sorry, this page could not be found', links: ['/p/0'] })
}
