/** Plain http is read and changed by anyone on the way; only this machine is exempt. */
import { PermanentError } from './errors.ts'

export class InsecureStation extends PermanentError {
  readonly code = 'MINGA_INSECURE_STATION'
  constructor(url: string, remedy: string) {
    super(
      `${url} uses plain http outside of this machine, so the key could be read on the way. ${remedy}`,
    )
  }
}

/** Of an address. The whole name: 127.0.0.1.example.org is another machine's. URL has made 127.1 into four numbers. */
export function isLoopbackName(hostname: string): boolean {
  return /^(127(\.\d+){3}|\[::1\]|localhost)$/.test(hostname)
}

export function refuseInsecure(url: string, remedy = 'Use its https address.'): void {
  const { protocol, hostname } = new URL(url)
  if (protocol !== 'https:' && !isLoopbackName(hostname)) throw new InsecureStation(url, remedy)
}
