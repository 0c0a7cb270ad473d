/**
 * Which part of a wiki a page belongs to. A page is never split, so parts can only be as even as the law of
 * large numbers makes them: with page histories as they are (log-normal, the largest some thousand times the
 * mean) parts of 10,000 pages and more differ by less than a fifth; few pages want few parts.
 */

/** 0 … parts − 1, the same for ever: files are named after it. */
export function partOf(wikiId: number, pageId: number, parts: number): number {
  const low = stirred(Math.imul(wikiId, 0x9e3779b1) ^ (pageId >>> 0))
  const both = stirred(low ^ Math.floor(pageId / 2 ** 32))
  return Math.floor((both / 2 ** 32) * parts)
}

/** 32 bits in, 32 bits out, every bit of the one moving about half of the other's. */
function stirred(value: number): number {
  let bits = value | 0
  bits = Math.imul(bits ^ (bits >>> 16), 0x7feb352d)
  bits = Math.imul(bits ^ (bits >>> 15), 0x846ca68b)
  return (bits ^ (bits >>> 16)) >>> 0
}
