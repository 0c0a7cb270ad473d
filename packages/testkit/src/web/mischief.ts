/** Answers that break the protocol or the client: cut, lying, malformed, exploding. */

import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib'

import { pageAnswer, rawAnswer, resetAnswer, smallPage, type Answer } from './answer.ts'

type Table = Record<string, (() => Answer) | undefined>

const CRLF = '\r\n'

/** 256 MiB: beyond every sane limit, yet a client without one survives to fail the test. */
const DEFAULT_BOMB_BYTES = 268_435_456
/** Above node:http's and undici's 16 KiB default limit on all headers together. */
const HUGE_HEADER_BYTES = 65_536

function response(statusLine: string, headers: string[], body: string): () => Buffer {
  const text = [statusLine, 'Content-Type: text/html', ...headers, '', body].join(CRLF)
  return () => Buffer.from(text, 'latin1')
}

const PAGE = smallPage({ title: 'Not as promised' }).padEnd(1000, ' ')
const OK = 'HTTP/1.1 200 OK'

export const BROKEN: Table = {
  '/broken/reset': resetAnswer,
  '/broken/close': () => rawAnswer(0, { bytes: () => Buffer.alloc(0), after: 'close' }),
  '/broken/mid-header': () =>
    rawAnswer(0, { bytes: () => Buffer.from(`${OK}${CRLF}Content-Ty`), after: 'reset' }),
  '/broken/mid-body': () =>
    rawAnswer(200, {
      bytes: response(OK, ['Content-Length: 5000'], PAGE),
      after: 'reset',
    }),
  '/broken/mid-chunk': () =>
    rawAnswer(200, {
      bytes: response(OK, ['Transfer-Encoding: chunked'], `fff${CRLF}${PAGE}`),
      after: 'reset',
    }),
}

export const LYING: Table = {
  // More bytes than announced: the rest must not be read as the next response.
  '/lying/short': () =>
    rawAnswer(200, {
      bytes: response(OK, ['Content-Length: 100'], PAGE),
      after: 'stay',
      captured: 'maybe',
    }),
  '/lying/long': () =>
    rawAnswer(200, { bytes: response(OK, ['Content-Length: 2000'], PAGE), after: 'close' }),
  '/lying/twice': () =>
    rawAnswer(200, {
      bytes: response(OK, ['Content-Length: 1000', 'Content-Length: 10'], PAGE),
      after: 'close',
      captured: 'maybe',
    }),
  '/lying/negative': () =>
    rawAnswer(200, {
      bytes: response(OK, ['Content-Length: -5'], PAGE),
      after: 'close',
      captured: 'maybe',
    }),
}

function malformed(status: number, bytes: () => Buffer): Answer {
  return rawAnswer(status, { bytes, after: 'close', captured: 'maybe' })
}

export const MALFORMED: Table = {
  '/malformed/huge-header': () =>
    malformed(200, response(OK, [`X-Huge: ${'h'.repeat(HUGE_HEADER_BYTES)}`], PAGE)),
  '/malformed/many-headers': () =>
    malformed(
      200,
      response(
        OK,
        Array.from({ length: 3000 }, (_, n) => `X-${n}: ${n}`),
        PAGE,
      ),
    ),
  '/malformed/status-line': () => malformed(0, response('HTTP/9.9 abc what', [], PAGE)),
  '/malformed/status-999': () => malformed(999, response('HTTP/1.1 999 Beyond', [], PAGE)),
  '/malformed/no-reason': () => malformed(200, response('HTTP/1.1 200', [], PAGE)),
  '/malformed/header-line': () =>
    malformed(200, response(OK, ['no colon here', ': no name', 'X-\u0000: zero'], PAGE)),
  '/malformed/http-0.9': () => malformed(0, () => Buffer.from(PAGE)),
  '/malformed/bare-newlines': () =>
    malformed(200, () => Buffer.from(`${OK}\nContent-Type: text/html\n\n${PAGE}`)),
  '/malformed/bad-gzip': () => encodedPage('gzip', Buffer.from('this is not gzip')),
}

function encodedPage(encoding: string, body: Buffer): Answer {
  const answer = pageAnswer({ title: 'encoded' }, 'maybe')
  return {
    ...answer,
    headers: [...answer.headers, 'content-encoding', encoding],
    body: () => body,
  }
}

/** Members and frames may be concatenated, so a big bomb costs no more to build than a small one. */
const BOMB_PIECE_BYTES = 16_777_216

function repeated(piece: Buffer, expandedBytes: number): Buffer {
  const times = Math.ceil(expandedBytes / BOMB_PIECE_BYTES)
  return Buffer.concat(Array.from({ length: times }, () => piece))
}

const FAST_BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }

const BOMBS: Record<string, (expandedBytes: number) => Answer> = {
  '/bomb/gzip': (bytes) =>
    encodedPage('gzip', repeated(gzipSync(Buffer.alloc(BOMB_PIECE_BYTES, ' ')), bytes)),
  '/bomb/gzip-gzip': (bytes) =>
    encodedPage(
      'gzip, gzip',
      gzipSync(repeated(gzipSync(Buffer.alloc(BOMB_PIECE_BYTES, ' ')), bytes)),
    ),
  '/bomb/zstd': (bytes) =>
    encodedPage('zstd', repeated(zstdCompressSync(Buffer.alloc(BOMB_PIECE_BYTES, ' ')), bytes)),
  // One brotli stream cannot be glued from pieces; this one is built whole.
  '/bomb/br': (bytes) =>
    encodedPage('br', brotliCompressSync(Buffer.alloc(bytes, ' '), FAST_BROTLI)),
}

export const BOMB_ENTRIES = Object.keys(BOMBS)

const builtBombs = new Map<string, Answer>()

export function bombAnswer(path: string, expandedBytes = DEFAULT_BOMB_BYTES): Answer | undefined {
  const key = `${path} ${expandedBytes}`
  const answer = builtBombs.get(key) ?? BOMBS[path]?.(expandedBytes)
  if (answer) builtBombs.set(key, answer)
  return answer
}
