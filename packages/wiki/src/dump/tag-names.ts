/**
 * Names of tags as strings. A dump says the same two dozen millions of times, and making a string of bytes takes
 * longer than finding the one that was made before.
 */

/** By two of their bytes and their length; those that meet in a place take it from each other. */
const PLACES = 1024
/** Longer ones are rare, and none of MediaWiki's. */
const KEPT_BYTES = 32

export class TagNames {
  private readonly names: string[] = Array.from({ length: PLACES }, () => '')

  /** Bytes `from` to `to`, which are one character each. */
  read(bytes: Buffer, from: number, to: number): string {
    const length = to - from
    if (length === 0 || length > KEPT_BYTES) return bytes.toString('latin1', from, to)
    const place = (bytes[from]! * 31 + bytes[to - 1]! * 7 + length) % PLACES
    const known = this.names[place]!
    if (known.length === length && isSame(known, bytes, from)) return known
    const name = bytes.toString('latin1', from, to)
    this.names[place] = name
    return name
  }
}

function isSame(name: string, bytes: Buffer, from: number): boolean {
  for (let index = 0; index < name.length; index += 1) {
    if (name.charCodeAt(index) !== bytes[from + index]) return false
  }
  return true
}
