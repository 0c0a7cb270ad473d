/** The address of a station as it is printed to its operator: never with a key, which would stay in logs for good. */
import type { LocalStation } from './station.ts'

type Reached = Pick<LocalStation, 'url' | 'signIn'>

/** On loopback only the operator reaches it, and needs no other address than the one that signs in. */
export function greeting({ url, signIn }: Reached, listen: string): string {
  if (/^(127\.|\[?::1\]?$|localhost$)/.test(listen)) return `Minga is up at ${signIn}\n`
  return `Minga is up at ${url}\nFor the operator: ${signIn}\n`
}

/** For stderr, next to the address. */
export const SIGN_IN_NOTE =
  'minga: this address signs in one browser within 15 minutes; `minga station sign-in` prints another\n'

/** The last line of a demo, when all of it is there. */
export const readyLine = ({ signIn }: Reached): string => `Ready: ${signIn} (Ctrl-C stops)\n`
