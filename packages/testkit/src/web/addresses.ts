/**
 * Host number ↔ loopback address. All of 127.0.0.0/8 answers on Linux, so one listening socket
 * is as many hosts as a test wants. Last octets run from 1 to 254, as they would on a real net.
 */

import { BadFakeWebSpec } from '../errors.ts'

const LAST_OCTETS = 254

export interface Addresses {
  of(hostIndex: number): string
  /** Undefined for text that is not an address at or after the first one. */
  indexOf(address: string): number | undefined
}

export function addressesFrom(firstAddress: string, hosts: number): Addresses {
  const first = ordinalOf(firstAddress)
  if (first === undefined)
    throw new BadFakeWebSpec(`"firstAddress" is ${firstAddress}, not a 127.a.b.c host address`)
  if (first + hosts > 256 * 256 * LAST_OCTETS)
    throw new BadFakeWebSpec(`${hosts} hosts do not fit into 127.0.0.0/8 from ${firstAddress} on`)
  return {
    of: (hostIndex) => addressOf(first + hostIndex),
    indexOf: (address) => {
      const ordinal = ordinalOf(address)
      return ordinal === undefined || ordinal < first ? undefined : ordinal - first
    },
  }
}

function ordinalOf(address: string): number | undefined {
  const octets = /^127\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(address)?.slice(1).map(Number)
  if (octets === undefined) return undefined
  const [b = 0, c = 0, d = 0] = octets
  if (b > 255 || c > 255 || d < 1 || d > LAST_OCTETS) return undefined
  return (b * 256 + c) * LAST_OCTETS + d - 1
}

function addressOf(ordinal: number): string {
  const network = Math.floor(ordinal / LAST_OCTETS)
  return `127.${network >> 8}.${network & 255}.${(ordinal % LAST_OCTETS) + 1}`
}
