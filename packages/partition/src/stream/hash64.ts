/**
 * The hash that names are placed by. It must give the same 64 bits in every process, version and
 * language for ever, or hosts would change owners with an upgrade; so it is written out here:
 *
 *   FNV-1a over the UTF-8 bytes of the name (Fowler, Noll, Vo: offset basis cbf29ce484222325, prime
 *   100000001b3), then MurmurHash3's 64-bit finaliser (Appleby: three shifts by 33, multipliers
 *   ff51afd7ed558ccd and c4ceb9fe1a85ec53), because FNV alone leaves the high bits of short names alike.
 *
 * Not for secrets: a caller that chooses names can choose their hashes. Names are hashed as given;
 * lower case and punycode are up to the caller.
 */

/** 64 bits as two unsigned halves: numbers are exact to 53, and big integers are twenty times slower. */
export interface Hash64 {
  high: number
  low: number
}

const encoder = new TextEncoder()

export function hash64(name: string): Hash64 {
  let high = 0xcbf29ce4
  let low = 0x84222325
  for (const byte of encoder.encode(name)) {
    low = (low ^ byte) >>> 0
    // The prime is 2^40 + 0x1b3: a shift and a product that fits a double.
    const product = low * 0x1b3
    high = (Math.imul(high, 0x1b3) + Math.floor(product / 2 ** 32) + (low << 8)) >>> 0
    low = product >>> 0
  }
  return mixed({ high, low })
}

/** Every bit of the outcome depends on every bit given: MurmurHash3's finaliser. */
export function mixed(hash: Hash64): Hash64 {
  const once = times(folded(hash), 0xff51afd7, 0xed558ccd)
  return folded(times(folded(once), 0xc4ceb9fe, 0x1a85ec53))
}

function folded({ high, low }: Hash64): Hash64 {
  return { high, low: (low ^ (high >>> 1)) >>> 0 }
}

/** The low 64 bits of a product. */
export function times({ high, low }: Hash64, byHigh: number, byLow: number): Hash64 {
  const a = low >>> 16
  const b = low & 0xffff
  const c = byLow >>> 16
  const d = byLow & 0xffff
  const inner = a * d + ((b * d) >>> 16)
  const outer = b * c + (inner & 0xffff)
  const carry = a * c + (inner >>> 16) + (outer >>> 16)
  return {
    high: (carry + Math.imul(high, byLow) + Math.imul(low, byHigh)) >>> 0,
    low: Math.imul(low, byLow) >>> 0,
  }
}

/** The remainder of all 64 bits; exact for divisors up to 2^26. */
export function remainder({ high, low }: Hash64, divisor: number): number {
  return ((high % divisor) * (2 ** 32 % divisor) + (low % divisor)) % divisor
}
