/** Header blocks of WARC records and HTTP messages: `name: value` lines, names without case. */

import type { HeaderPair } from './warc-record.ts'

/** No head of a record or of an HTTP message is nearly as long; splitting one of millions of lines would fill the memory. */
export const HEAD_BYTES_MAX = 1024 * 1024

export class HeaderLines {
  readonly pairs: readonly HeaderPair[]

  constructor(pairs: readonly HeaderPair[]) {
    this.pairs = pairs
  }

  /** The first value under that name. */
  get(name: string): string | undefined {
    const wanted = name.toLowerCase()
    for (const [key, value] of this.pairs) if (key.toLowerCase() === wanted) return value
    return undefined
  }

  all(name: string): string[] {
    const wanted = name.toLowerCase()
    return this.pairs.filter(([key]) => key.toLowerCase() === wanted).map(([, value]) => value)
  }

  /** URIs were written `<uri>` by WARC/1.0 tools (wget among them) and bare by WARC/1.1. */
  uri(name: string): string | undefined {
    const value = this.get(name)
    return value?.startsWith('<') && value.endsWith('>') ? value.slice(1, -1) : value
  }
}

/** WARC/1.1 dropped the angle brackets that 1.0 had around addresses, except around identifiers. */
export function bareUri([name, value]: HeaderPair): HeaderPair {
  const bare = /^<(https?:.*)>$/i.exec(value)?.[1]
  return [name, bare ?? value]
}

/** Lines without a colon are dropped, folded lines joined: old servers send both. */
export function parseHeaderLines(text: string): HeaderLines {
  const pairs: [string, string][] = []
  for (const line of text.split(/\r?\n/)) {
    const last = pairs.at(-1)
    if (last && (line.startsWith(' ') || line.startsWith('\t'))) {
      last[1] += ` ${line.trim()}`
      continue
    }
    const colon = line.indexOf(':')
    if (colon > 0) pairs.push([line.slice(0, colon).trim(), line.slice(colon + 1).trim()])
  }
  return new HeaderLines(pairs)
}

export interface HeadEnd {
  /** Length of the head without its empty line. */
  headBytes: number
  /** Where the body starts. */
  bodyAt: number
}

/** The first empty line at or after `start`; bare line feeds are accepted as every lenient parser does. */
export function findHeadEnd(bytes: Buffer, start = 0): HeadEnd | null {
  let from = start
  for (;;) {
    const feed = bytes.indexOf(0x0a, from)
    if (feed < 0) return null
    if (bytes[feed + 1] === 0x0a) return { headBytes: feed, bodyAt: feed + 2 }
    if (bytes[feed + 1] === 0x0d && bytes[feed + 2] === 0x0a) {
      return { headBytes: feed, bodyAt: feed + 3 }
    }
    from = feed + 1
  }
}
