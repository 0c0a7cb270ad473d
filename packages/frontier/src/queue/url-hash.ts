/**
 * 52-bit hash of a URL: half of the seen-set's key. Two 32-bit multiplicative lanes (the mixing
 * of MurmurHash3's finaliser) folded into a safe integer. Collisions are expected to be rare,
 * never assumed absent: the seen-set compares the full URL and probes upwards.
 */
export function urlHash(url: string): number {
  let low = 0x9e3779b9 ^ url.length
  let high = 0x85ebca6b
  for (let i = 0; i < url.length; i++) {
    const unit = url.charCodeAt(i)
    low = Math.imul(low ^ unit, 0xcc9e2d51)
    low = (low << 13) | (low >>> 19)
    high = Math.imul(high ^ unit, 0x1b873593)
    high = (high << 17) | (high >>> 15)
  }
  low = finish(low ^ high)
  high = finish(high + low)
  // 20 high bits and 32 low bits: the largest integers that survive a trip through SQL and JSON.
  // The lowest bit pattern 0 is reserved for a host's own robots.txt.
  return (high >>> 12) * 0x1_0000_0000 + (low >>> 0) || 1
}

function finish(lane: number): number {
  let mixed = lane ^ (lane >>> 16)
  mixed = Math.imul(mixed, 0x85ebca6b)
  mixed ^= mixed >>> 13
  mixed = Math.imul(mixed, 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}
