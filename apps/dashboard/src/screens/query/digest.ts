/**
 * SHA-256 and random ids also where browsers offer neither: a page that came over plain HTTP from another machine has no
 * `crypto.subtle` and no `randomUUID`. FIPS 180-4, section 6.2.
 */

/** `sha256:` and its digits. */
export async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  // Missing outside of secure contexts, whatever the types say.
  const subtle = crypto.subtle as SubtleCrypto | undefined
  const digest =
    subtle === undefined ? sha256(bytes) : new Uint8Array(await subtle.digest('SHA-256', bytes))
  return `sha256:${hex(digest)}`
}

/** A UUID of version 4. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return hex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

const hex = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')

const PRIMES = Array.from({ length: 311 }, (_, n) => n + 2).filter((n) =>
  Array.from({ length: Math.floor(Math.sqrt(n)) - 1 }, (_, d) => d + 2).every((d) => n % d !== 0),
)
/** The first 32 bits of what stands behind the point of a root of a prime. */
const fraction = (root: number): number => Math.floor((root - Math.floor(root)) * 2 ** 32) | 0
const CONSTANTS = Int32Array.from(PRIMES.slice(0, 64), (prime) => fraction(Math.cbrt(prime)))
const BEGIN = Int32Array.from(PRIMES.slice(0, 8), (prime) => fraction(Math.sqrt(prime)))
const BLOCK = 64

export function sha256(bytes: Uint8Array): Uint8Array {
  const padded = padding(bytes)
  const words = new DataView(padded.buffer)
  const state = Int32Array.from(BEGIN)
  const schedule = new Int32Array(BLOCK)
  for (let at = 0; at < padded.length; at += BLOCK) {
    for (let i = 0; i < 16; i++) schedule[i] = words.getInt32(at + 4 * i)
    for (let i = 16; i < BLOCK; i++) schedule[i] = scheduled(schedule, i)
    compress(state, schedule)
  }
  const answer = new Uint8Array(32)
  const view = new DataView(answer.buffer)
  for (const [i, word] of state.entries()) view.setInt32(4 * i, word)
  return answer
}

/** A one, zeros, and the length in bits at the end of the last block. */
function padding(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / BLOCK) * BLOCK)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  new DataView(padded.buffer).setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n)
  return padded
}

const turned = (word: number, by: number): number => (word >>> by) | (word << (32 - by))

function scheduled(w: Int32Array, i: number): number {
  const [a, b] = [w[i - 15]!, w[i - 2]!]
  const small = turned(a, 7) ^ turned(a, 18) ^ (a >>> 3)
  const large = turned(b, 17) ^ turned(b, 19) ^ (b >>> 10)
  return (w[i - 16]! + small + w[i - 7]! + large) | 0
}

function compress(state: Int32Array, w: Int32Array): void {
  let [a, b, c, d, e, f, g, h] = state as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  for (let i = 0; i < BLOCK; i++) {
    const sum = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)
    const choice = (e & f) ^ (~e & g)
    const first = (h + sum + choice + CONSTANTS[i]! + w[i]!) | 0
    const other = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)
    const majority = (a & b) ^ (a & c) ^ (b & c)
    ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + other + majority) | 0]
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] = (state[i]! + word) | 0
}
