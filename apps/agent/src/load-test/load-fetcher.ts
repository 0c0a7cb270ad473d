/** How visitors of a load test fetch: as all of this agent's requests, within limits of their own. */
import type { FetcherOptions } from '@minga/net'
import { LOAD_MOST, type LoadPart } from '@minga/protocol'

/** Larger answers are cut: they say more about the line than about the site. */
const BODY_BYTES_MAX = 8 * 1024 * 1024

export function loadFetcherOptions(usual: FetcherOptions, part: LoadPart): FetcherOptions {
  const { answerMsMax } = part
  return {
    ...usual,
    limits: {
      ...usual.limits,
      bodyBytesMax: BODY_BYTES_MAX,
      connectMs: Math.min(usual.limits.connectMs, answerMsMax),
      firstByteMs: answerMsMax,
      idleMs: answerMsMax,
      totalMs: answerMsMax,
    },
    // Each visitor has a browser of their own.
    connectionsPerHost: LOAD_MOST.visitors,
    connectionsMax: LOAD_MOST.visitors,
  }
}
