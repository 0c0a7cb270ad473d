/** Bodies kept until a cap is reached. Nothing is evicted: a crawl asks for each page about once. */

export interface BodyCache {
  get(key: number, make: () => Buffer): Buffer
}

export function makeBodyCache(capBytes: number): BodyCache {
  const kept = new Map<number, Buffer>()
  let usedBytes = 0
  return {
    get: (key, make) => {
      const known = kept.get(key)
      if (known) return known
      const body = make()
      if (usedBytes + body.length <= capBytes) {
        usedBytes += body.length
        kept.set(key, body)
      }
      return body
    },
  }
}
