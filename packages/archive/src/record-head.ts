/** The head of one WARC record: version line and named fields, WARC 0.17 to 1.1. */

import { HeaderLines, parseHeaderLines } from './header-lines.ts'

export interface RecordHead {
  version: string
  type: string
  headers: HeaderLines
  blockBytes: number
}

export interface BadHead {
  why: string
}

export function parseRecordHead(head: Buffer): RecordHead | BadHead {
  const text = head.toString('utf8')
  const feed = text.indexOf('\n')
  const versionLine = (feed < 0 ? text : text.slice(0, feed)).trimEnd()
  const version = /^WARC\/(\d+\.\d+)$/.exec(versionLine)?.[1]
  if (version === undefined) return { why: 'it does not start with a WARC version line.' }
  const headers = parseHeaderLines(feed < 0 ? '' : text.slice(feed + 1))
  const length = headers.get('Content-Length')
  if (length === undefined) return { why: 'it has no Content-Length.' }
  const blockBytes = /^\d{1,15}$/.test(length) ? Number(length) : undefined
  if (blockBytes === undefined) return { why: 'its Content-Length is not a number.' }
  return { version, type: headers.get('WARC-Type')?.toLowerCase() ?? '', headers, blockBytes }
}
