/** How a host's clock reads: may it be asked, and if not, when and why. */
import type { Host } from '../api/api-types.ts'

export type HostState = 'out' | 'resting' | 'ready' | 'done'
export type DelayReason = 'collection' | 'robots' | 'backoff'

export function hostStateOf(host: Host, now: number): HostState {
  if (host.isOut) return 'out'
  if (host.queued === 0) return 'done'
  return host.nextAllowedAt > now ? 'resting' : 'ready'
}

/** The largest of the three counts; on a tie the collection's own, which needs no explanation. */
export function delayOf(host: Host): { ms: number; reason: DelayReason } {
  const { delayMs: collectionMs, crawlDelayMs, backoffMs } = host
  if (backoffMs > collectionMs && backoffMs > crawlDelayMs)
    return { ms: backoffMs, reason: 'backoff' }
  if (crawlDelayMs > collectionMs) return { ms: crawlDelayMs, reason: 'robots' }
  return { ms: collectionMs, reason: 'collection' }
}

/** It was busy or slow, and is let rest longer than the collection would by itself. */
export const isLimited = ({ backoffMs }: Host): boolean => backoffMs > 0
