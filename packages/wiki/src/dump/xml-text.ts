/** References of XML (`&amp;`, `&#233;`) back to bytes, attributes to a map. Entities of a document are never expanded. */

const AMP = 0x26
const SEMICOLON = 0x3b
const REFERENCE_BYTES = 16

const NAMED: ReadonlyMap<string, number> = new Map([
  ['amp', 0x26],
  ['lt', 0x3c],
  ['gt', 0x3e],
  ['quot', 0x22],
  ['apos', 0x27],
])

/**
 * After a reference the next one is often near (`&lt;ref&gt;`), so a few bytes are checked one by
 * one; then the native search takes over, which costs more to begin and less per byte.
 */
const NEAR_BYTES = 24

/** `problem` is called for each reference that cannot be read, which stays as written. */
export function unescapeXml(bytes: Buffer, problem: (reference: string) => void): Buffer {
  const first = bytes.indexOf(AMP)
  if (first < 0) return bytes
  const out = Buffer.allocUnsafe(bytes.length)
  bytes.copy(out, 0, 0, first)
  let write = first
  let read = first
  while (read < bytes.length) {
    const common = commonReference(bytes, read)
    if (common > 0) {
      out[write++] = COMMON[bytes[read + 1]! - 0x61]!
      read += common
    } else {
      const other = readReference(bytes, read)
      if (other === null) problem(bytes.toString('latin1', read, read + REFERENCE_BYTES))
      write += out.write(other?.text ?? '&', write, 'utf8')
      read += other?.length ?? 1
    }
    const near = Math.min(read + NEAR_BYTES, bytes.length)
    while (read < near && bytes[read] !== AMP) out[write++] = bytes[read++]!
    if (read < near || read === bytes.length) continue
    const next = bytes.indexOf(AMP, read)
    const until = next < 0 ? bytes.length : next
    write += bytes.copy(out, write, read, until)
    read = until
  }
  return out.subarray(0, write)
}

/** What `&amp;`, `&gt;`, `&lt;` and `&quot;` stand for, by their first letter. */
const COMMON = Buffer.alloc(26)
COMMON[0] = 0x26
COMMON[6] = 0x3e
COMMON[11] = 0x3c
COMMON[16] = 0x22

/** Length of `&lt;`, `&gt;`, `&amp;` or `&quot;` at the index, else 0: they are nearly all that dumps hold. */
function commonReference(bytes: Buffer, at: number): number {
  const second = bytes[at + 1]
  if (second === 0x6c || second === 0x67) {
    return bytes[at + 2] === 0x74 && bytes[at + 3] === SEMICOLON ? 4 : 0
  }
  if (second === 0x71) {
    const isQuote = bytes[at + 2] === 0x75 && bytes[at + 3] === 0x6f && bytes[at + 4] === 0x74
    return isQuote && bytes[at + 5] === SEMICOLON ? 6 : 0
  }
  if (second === 0x61) {
    const isAmp = bytes[at + 2] === 0x6d && bytes[at + 3] === 0x70
    return isAmp && bytes[at + 4] === SEMICOLON ? 5 : 0
  }
  return 0
}

function readReference(bytes: Buffer, at: number): { text: string; length: number } | null {
  const end = bytes.subarray(at, at + REFERENCE_BYTES).indexOf(SEMICOLON)
  if (end < 2) return null
  const name = bytes.toString('latin1', at + 1, at + end)
  const code = NAMED.get(name) ?? codeOf(name)
  return code === null ? null : { text: String.fromCodePoint(code), length: end + 1 }
}

/**
 * Control characters are read although XML 1.0 forbids them: the digest of the revision says whether they
 * were meant. Nothing stands for NUL, halves of surrogate pairs or numbers beyond Unicode.
 */
function codeOf(name: string): number | null {
  const match = /^#(?:x([0-9a-f]+)|([0-9]+))$/i.exec(name)
  if (match === null) return null
  const code = match[1] === undefined ? parseInt(match[2]!, 10) : parseInt(match[1], 16)
  const isSurrogate = code >= 0xd800 && code <= 0xdfff
  return code === 0 || code > 0x10ffff || isSurrogate ? null : code
}

export function readAttributes(raw: Buffer | null): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>()
  if (raw === null) return attributes
  // A name without a value is matched as well, so that it is read once and not again from each of its letters.
  for (const [, name, double, single] of raw
    .toString()
    .matchAll(/([^\s=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'))?/g)) {
    const value = double ?? single
    if (value === undefined) continue
    const plain = value.includes('&') ? unescapeXml(Buffer.from(value), () => {}).toString() : value
    attributes.set(name!, plain)
  }
  return attributes
}
