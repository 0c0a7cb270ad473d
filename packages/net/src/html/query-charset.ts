/**
 * The query of a link as browsers send it from a page that is not in UTF-8: in the charset of the page (the "query
 * state" of the WHATWG URL standard). Paths are UTF-8 always, and so is what headers and stylesheets point at.
 *
 * Node has no encoders, only decoders: those are asked once what every sequence of one and two bytes means. Where several
 * mean the same, the Encoding standard says which one is written. Compared with Chromium: Node's decoders lack a few
 * characters (the euro of euc-kr, Cyrillic in big5), which are sent as if the charset lacked them.
 */
import { TextDecoder } from 'node:util'

/** A character, and its bytes as they stand in a query. */
type Encoder = ReadonlyMap<string, string>

interface Pairs {
  /** The least first byte that is written; greater ones have the rest of the standard's index. */
  from: number
  /** First bytes that are only read. */
  except: readonly number[]
  /** Characters of which the last sequence is written. */
  last: string
}

const ALL: Pairs = { from: 0x81, except: [], last: '' }
/** Of a first byte and a second; all other charsets that are known have one byte for each character. */
const PAIRED: Readonly<Record<string, Pairs>> = {
  big5: { ...ALL, from: 0xa1, last: '═╞╡╪十卅' },
  'euc-jp': { ...ALL, from: 0x8e, except: [0x8f] },
  'euc-kr': ALL,
  // Characters of four bytes are treated as unknown: no user types them into an address.
  gb18030: { ...ALL, last: '€' },
  gbk: ALL,
  shift_jis: { ...ALL, except: [0xed, 0xee] },
}
/** Unicode is written as UTF-8 in queries, too; the others are not written byte by byte. */
const UNTOUCHED = new Set([
  'utf-8',
  'utf-16le',
  'utf-16be',
  'iso-2022-jp',
  'replacement',
  'x-user-defined',
])
/** Greater bytes are escaped. None of the ASCII characters that are, too, is the second byte of a pair. */
const ASCII_MOST = 0x7e
const BYTE_MOST = 0xff
const TRAIL_LEAST = 0x40

const encoders = new Map<string, Encoder>()

/** `charset` as `decodeText` names it. */
export function withQueryIn(charset: string, reference: string): string {
  if (UNTOUCHED.has(charset)) return reference
  const start = reference.indexOf('?')
  const hash = reference.indexOf('#')
  const end = hash < 0 ? reference.length : hash
  if (start < 0 || end < start) return reference
  const query = reference.slice(start, end)
  if (!/[^\0-\x7f]/.test(query)) return reference
  const encoder = encoderOf(charset)
  const written = query
    .toWellFormed()
    .replace(/[^\0-\x7f]/gu, (character) => encoder.get(character) ?? numbered(character))
  return reference.slice(0, start) + written + reference.slice(end)
}

/** What the charset lacks, as a form would send it: `&#8364;`. */
const numbered = (character: string): string => `%26%23${character.codePointAt(0)}%3B`

function encoderOf(charset: string): Encoder {
  const known = encoders.get(charset)
  if (known !== undefined) return known
  const made = makeEncoder(charset)
  encoders.set(charset, made)
  return made
}

function makeEncoder(charset: string): Encoder {
  const decoder = new TextDecoder(charset)
  const encoder = new Map<string, string>()
  const note = (bytes: readonly number[], last = ''): void => {
    const [character, more] = decoder.decode(Uint8Array.from(bytes))
    // Two characters: a byte alone, and one that has nothing to do with it.
    if (character === undefined || more !== undefined || character === '\ufffd') return
    if (!encoder.has(character) || last.includes(character)) {
      encoder.set(character, bytes.map(escaped).join(''))
    }
  }
  for (let byte = ASCII_MOST + 1; byte <= BYTE_MOST; byte++) note([byte])
  const pairs = PAIRED[charset]
  if (pairs === undefined) return encoder
  for (let lead = pairs.from; lead < BYTE_MOST; lead++) {
    if (pairs.except.includes(lead)) continue
    for (let trail = TRAIL_LEAST; trail < BYTE_MOST; trail++) note([lead, trail], pairs.last)
  }
  return encoder
}

const escaped = (byte: number): string =>
  byte > ASCII_MOST ? `%${byte.toString(16).toUpperCase()}` : String.fromCharCode(byte)
