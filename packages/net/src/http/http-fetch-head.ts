/**
 * Reads the head of an HTTP/1.1 response before undici does, and shows undici what its parser
 * accepts where browsers accept more: lines that end in a bare LF, a Content-Length that is
 * repeated with the same value, and unrequested interim responses. What was received is kept for
 * the archive. Everything else, a broken head included, passes unchanged, so that undici judges it.
 */
import type { Socket } from 'node:net'
import type { HeaderList } from './fetch-outcome.ts'

export interface ReceivedHead {
  statusText: string
  headers: HeaderList
}

const START = 'HTTP/1.'
const STATUS_LINE = /^HTTP\/1\.[01] (\d{3})(?: (.*))?$/
const FIELD_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)$/
const BARE_LF = /(?<!\r)\n/
const SWITCHING_PROTOCOLS = 101

export class HeadReader {
  readonly #bytesMax: number
  #isReading = false
  #pending: Buffer = Buffer.alloc(0)
  /** The head as it was received, where undici was shown another; null where it saw the same. */
  received: ReceivedHead | null = null

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** A request is about to be written: what comes next is the head of its response. */
  begin(): void {
    this.#isReading = true
    this.#pending = Buffer.alloc(0)
    this.received = null
  }

  /** What undici is to read instead of these bytes; null while the head is not complete. */
  read(chunk: Buffer): Buffer | null {
    if (!this.#isReading) return chunk
    let bytes = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk])
    while (mayBeHead(bytes) && bytes.length < this.#bytesMax) {
      // An empty line has at most two bytes before those that are new.
      const end = endOfHead(bytes, Math.max(0, this.#pending.length - 2))
      if (end < 0) {
        this.#pending = bytes
        return null
      }
      const text = bytes.toString('latin1', 0, end)
      const rest = bytes.subarray(end)
      if (!isInterim(text)) return this.#finish(bytes, { text, rest })
      bytes = rest
      this.#pending = Buffer.alloc(0)
      if (bytes.length === 0) return null
    }
    this.#isReading = false
    return bytes
  }

  #finish(bytes: Buffer, { text, rest }: { text: string; rest: Buffer }): Buffer {
    this.#isReading = false
    if (!isOdd(text)) return bytes
    const read = readHead(text)
    if (read === null) return bytes
    this.received = read.received
    return Buffer.concat([Buffer.from(read.shown, 'latin1'), rest])
  }
}

/** Puts the reader between a socket and undici, which takes what arrives by `read`. */
export function readHeadsOf(socket: Socket, reader: HeadReader): void {
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null
  socket.read = (size?: number): Buffer | null => {
    // Until the socket itself has no more: only then it announces what arrives next.
    for (;;) {
      const chunk = read(size)
      const shown = chunk === null ? null : reader.read(chunk)
      if (chunk === null || shown !== null) return shown
    }
  }
}

function mayBeHead(bytes: Buffer): boolean {
  const start = bytes.toString('latin1', 0, START.length)
  return START.startsWith(start)
}

/** Just behind the empty line, however lines end; −1 when it has not come yet. */
function endOfHead(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(10, from); at >= 0; at = bytes.indexOf(10, at + 1)) {
    if (bytes[at + 1] === 10) return at + 2
    if (bytes[at + 1] === 13 && bytes[at + 2] === 10) return at + 3
  }
  return -1
}

/**
 * A 100 or 103 that comes before the response itself. An unrequested upgrade is none: no response
 * follows.
 */
function isInterim(head: string): boolean {
  const status = Number(/^HTTP\/1\.[01] (1\d\d)\b/.exec(head)?.[1] ?? SWITCHING_PROTOCOLS)
  return status !== SWITCHING_PROTOCOLS
}

function isOdd(head: string): boolean {
  return BARE_LF.test(head) || (head.match(/\ncontent-length[\t ]*:/gi)?.length ?? 0) > 1
}

/** Null where it is broken in another way. */
function readHead(head: string): { received: ReceivedHead; shown: string } | null {
  const [first = '', ...lines] = head.replace(/\r?\n\r?\n$/, '').split(/\r?\n/)
  const status = STATUS_LINE.exec(first)
  if (status === null) return null
  const headers: HeaderList = []
  for (const line of lines) {
    const field = FIELD_LINE.exec(line)
    if (field === null) return null
    headers.push([field[1]!, withoutBlanks(field[2]!)])
  }
  const lengths = headers.filter(isLength)
  if (lengths.some(([, value]) => value !== lengths[0]![1])) return null
  const shown = headers.filter((field) => !isLength(field) || field === lengths[0])
  const text = [first, ...shown.map(([name, value]) => `${name}: ${value}`), '', ''].join('\r\n')
  return { received: { statusText: status[2] ?? '', headers }, shown: text }
}

/** Not `trim`: a byte that is a blank in Latin-1 belongs to the value. Nor a pattern, which would take quadratic time. */
function withoutBlanks(value: string): string {
  const isBlank = (at: number): boolean => value[at] === ' ' || value[at] === '\t'
  let [start, end] = [0, value.length]
  while (start < end && isBlank(start)) start++
  while (end > start && isBlank(end - 1)) end--
  return value.slice(start, end)
}

function isLength([name]: HeaderList[number]): boolean {
  return name.toLowerCase() === 'content-length'
}
