import { isAscii, isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'
import { HEADER_CHARS_MAX } from '../input-limits.ts'

/**
 * Bytes to text as browsers do it: byte order mark, then the Content-Type header, then what the
 * document declares in its first kilobyte, then UTF-8 when the bytes are valid, else windows-1252.
 */
export interface DecodedText {
  text: string
  /** The WHATWG name in lower case, for instance `utf-8` or `shift_jis`. */
  charset: string
}

/** The WHATWG prescan length: declarations further down are too late for browsers as well. */
const PRESCAN_BYTES = 1_024
/** A hostile header must not make us read a novel. */
const MAX_LABEL_CHARS = 40

/** Decoders are stateless between calls (no `stream`), so one per charset serves everyone. */
const decoders = new Map<string, TextDecoder | null>()

// In both patterns below blanks before and after a quote are separated by the quote: where it may be
// absent between two runs of blanks, every way to divide a long run would be tried.

export function decodeText(bytes: Uint8Array, contentType: string | undefined): DecodedText {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const mark = byteOrderMark(bytes)
  if (mark !== null) return decodeAs(buffer, mark)
  const declared = fromContentType(contentType) ?? fromDocument(buffer)
  if (declared !== null) return decodeAs(buffer, declared)
  return decodeAs(buffer, isUtf8(buffer) ? 'utf-8' : 'windows-1252')
}

function byteOrderMark(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return null
}

function fromContentType(contentType: string | undefined): string | null {
  if (contentType === undefined) return null
  const value = contentType.slice(0, HEADER_CHARS_MAX)
  return knownCharset(/;\s*charset\s*=\s*(?:["']\s*)?([^"'\s;,]+)/i.exec(value)?.[1])
}

function fromDocument(buffer: Buffer): string | null {
  const start = buffer.toString('latin1', 0, PRESCAN_BYTES)
  if (!start.includes('<')) return null
  const xml = /^\s*<\?xml[^>]*?encoding\s*=\s*["']([^"']+)/i.exec(start)
  const meta = /<meta\s[^>]*?charset\s*=\s*(?:["']\s*)?([^"'\s/>;]+)/i.exec(withoutComments(start))
  const charset = knownCharset((meta ?? xml)?.[1])
  // We could not have read the declaration if it were true.
  if (charset === 'utf-16le' || charset === 'utf-16be') return 'utf-8'
  return charset === 'x-user-defined' ? 'windows-1252' : charset
}

function withoutComments(html: string): string {
  return html.includes('<!--') ? html.replace(/<!--[^]*?(?:-->|$)/g, '') : html
}

/** The WHATWG name of a label, or null when no browser knows it either. */
function knownCharset(label: string | undefined): string | null {
  if (label === undefined || label.length > MAX_LABEL_CHARS) return null
  return decoderFor(label.toLowerCase())?.encoding ?? null
}

function decoderFor(label: string): TextDecoder | null {
  const known = decoders.get(label)
  if (known !== undefined) return known
  let decoder: TextDecoder | null
  try {
    decoder = new TextDecoder(label)
  } catch {
    decoder = null
  }
  // Unknown labels are the web's to invent; remembering all of them would be a leak.
  if (decoder !== null) decoders.set(label, decoder)
  return decoder
}

function decodeAs(buffer: Buffer, charset: string): DecodedText {
  const asciiCompatible = charset === 'utf-8' || charset === 'windows-1252'
  // A one-byte string: half the memory and the fastest to scan.
  if (asciiCompatible && isAscii(buffer)) return { text: buffer.toString('latin1'), charset }
  return { text: decoderFor(charset)?.decode(buffer) ?? buffer.toString('latin1'), charset }
}
