/** HTTP messages as WARC blocks hold them: head, empty line, body as the recorder stored it. */

import { findHeadEnd, HEAD_BYTES_MAX, type HeaderLines, parseHeaderLines } from './header-lines.ts'

export interface HttpMessage {
  /** The request line, or the status line. */
  startLine: string
  /** 0 in requests. */
  status: number
  statusText: string
  headers: HeaderLines
  /** Without transfer encoding; content encoding is still on: `@minga/net` removes it. */
  body: Buffer
  /** True when the stored body really was chunked and has been put together. */
  dechunked: boolean
}

/** Null when the block is not HTTP at all, for example `text/dns`, or has a head of megabytes. */
export function parseHttpBlock(block: Buffer): HttpMessage | null {
  const end = findHeadEnd(block)
  if ((end?.headBytes ?? block.length) > HEAD_BYTES_MAX) return null
  const head = block.toString('latin1', 0, end?.headBytes ?? block.length)
  const firstFeed = head.indexOf('\n')
  const startLine = (firstFeed < 0 ? head : head.slice(0, firstFeed)).trimEnd()
  const answer = /^HTTP\/[\d.]+\s+(\d{3})(.*)$/.exec(startLine)
  if (!answer && !/ HTTP\/[\d.]+$/.test(startLine)) return null

  const headers = parseHeaderLines(firstFeed < 0 ? '' : head.slice(firstFeed + 1))
  const stored = block.subarray(end?.bodyAt ?? block.length)
  const isChunked = headers.all('transfer-encoding').some((value) => /\bchunked\b/i.test(value))
  const joined = isChunked ? dechunk(stored) : null
  return {
    startLine,
    status: answer ? Number(answer[1]) : 0,
    statusText: answer?.[2]?.trimStart() ?? '',
    headers,
    body: joined ?? stored,
    dechunked: joined !== null,
  }
}

/**
 * Null when the body is not chunked after all: many recorders join the chunks and keep the
 * header (pywb#584). A body cut off after at least one whole chunk still counts as chunked.
 */
export function dechunk(stored: Buffer): Buffer | null {
  const parts: Buffer[] = []
  let at = 0
  while (at < stored.length) {
    const feed = stored.indexOf(0x0a, at)
    const sizeLine =
      feed < 0 || feed - at > LONGEST_SIZE_LINE ? '' : stored.toString('latin1', at, feed)
    const size = /^([0-9a-f]{1,12})[ \t]*(?:;.*)?\r?$/i.exec(sizeLine)?.[1]
    if (size === undefined) return parts.length > 0 && feed < 0 ? Buffer.concat(parts) : null
    const start = feed + 1
    const end = start + Number.parseInt(size, 16)
    if (end === start) return Buffer.concat(parts)
    if (end > stored.length) {
      return parts.length > 0 ? Buffer.concat([...parts, stored.subarray(start)]) : null
    }
    parts.push(stored.subarray(start, end))
    at = skipLineEnd(stored, end)
    if (at === end && end < stored.length) return null
  }
  return parts.length > 0 ? Buffer.concat(parts) : null
}

/** Chunk extensions are allowed but never long in practice; a page's first line may be. */
const LONGEST_SIZE_LINE = 256

function skipLineEnd(bytes: Buffer, at: number): number {
  if (bytes[at] === 0x0d && bytes[at + 1] === 0x0a) return at + 2
  return bytes[at] === 0x0a ? at + 1 : at
}
