/** The address of a station as it is printed to its operator. */
import type { LocalStation } from './station.ts'

type Reached = Pick<LocalStation, 'url' | 'apiKey'>

/** The key travels behind the #, which browsers never send; the page takes it out of the bar. */
const addressWithKey = ({ url, apiKey }: Reached): string => `${url}/#key=${apiKey}`

/** On loopback only the operator reaches it, and needs no other address than the one with the key. */
export function greeting(station: Reached, listen: string): string {
  if (/^(127\.|\[?::1\]?$|localhost$)/.test(listen)) {
    return `Minga is up at ${addressWithKey(station)}\n`
  }
  return `Minga is up at ${station.url}\nFor the operator: ${addressWithKey(station)}\n`
}

/** The last line of a demo, when all of it is there. */
export const readyLine = (station: Reached): string =>
  `Ready: ${addressWithKey(station)} (Ctrl-C stops)\n`
