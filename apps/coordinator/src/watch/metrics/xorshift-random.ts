/**
 * Numbers that look drawn and are the same each time: who asks for a comparison twice gets the
 * same answer. Marsaglia, "Xorshift RNGs", 2003.
 */
export function xorshiftRandom(seed: number): () => number {
  // Zero would stay zero; neighbouring seeds are spread apart first.
  let state = Math.imul(seed | 0, 0x9e3779b1) | 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}
