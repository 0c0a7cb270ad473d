/** An address with more registrable domains than this is a CDN: capped in flight, not spaced. */
export const CDN_DOMAINS_MIN = 50
