/** What this machine checks of a load test's part by itself, whatever its station says. */
import { isIP } from 'node:net'
import { hostKeyOf } from '@minga/net'
import { LOAD_MOST, type LoadOrder, type LoadPart } from '@minga/protocol'

/**
 * Why the part is not begun, as a sentence; null when it may be. In addition, the address guard
 * checks every request.
 */
export function partRefusal(part: LoadPart): string | null {
  const hosts = new Set(part.urls.map(hostOf))
  const [host] = hosts
  if (hosts.size !== 1 || host === null) return 'Its addresses are not all on one host.'
  if (part.urls.length > LOAD_MOST.urls) return `It has more than ${LOAD_MOST.urls} addresses.`
  if (isIP(part.address) === 0) return 'It names no IP address to dial.'
  if (!(part.durationMsMax > 0 && part.durationMsMax <= LOAD_MOST.durationMs)) {
    return `It lasts longer than ${LOAD_MOST.durationMs / 1_000} s.`
  }
  return null
}

function hostOf(text: string): string | null {
  const url = URL.parse(text)
  const isPlain =
    url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === ''
  return isPlain ? hostKeyOf(text) : null
}

/** An order within what any machine ever does. */
export function bounded(order: LoadOrder): LoadOrder {
  return {
    ...order,
    visitors: Math.floor(within(order.visitors, LOAD_MOST.visitors)),
    requestsPerSecond: within(order.requestsPerSecond, LOAD_MOST.requestsPerSecond),
    bytesLeft: within(order.bytesLeft, LOAD_MOST.bytes),
  }
}

function within(value: number, most: number): number {
  return value > 0 ? Math.min(value, most) : 0
}
