/** What a host's key (see `hostKeyOf` of the net room) says of the host. */
import { isIP } from 'node:net'

/** The address inside `127.0.0.1:8080` or `[::1]:8080`, or null for a name to be resolved. */
export function literalAddress(hostKey: string): string | null {
  const bracketed = /^\[([^\]]+)\]/.exec(hostKey)
  const bare = bracketed ? bracketed[1]! : hostKey.replace(/:\d+$/, '')
  return isIP(bare) ? bare : null
}

/** The name to resolve: the host key without its port. */
export function hostNameOf(hostKey: string): string {
  return hostKey.replace(/:\d+$/, '')
}
