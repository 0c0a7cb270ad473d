/**
 * Owners by hash alone: what every other way of placing is measured against, and jump hash for parts
 * that only ever grow in number.
 */
import { BadPartitionInput } from '../errors.ts'
import { hash64, remainder, times, type Hash64 } from './hash64.ts'

/**
 * What is hashed. By URL the balance is best, but nearly every link crosses and politeness needs all
 * parts to agree; by host is the usual way; by address all hosts of a machine go together, so that the
 * balance is worst.
 */
export type HashKey = 'url' | 'host' | 'address'

/** `hash mod k`: simple, and a change of k moves nearly everything. */
export function hashOwner(page: Readonly<Record<HashKey, string>>, by: HashKey, k: number): number {
  checkParts(k)
  return remainder(hash64(page[by]), k)
}

/**
 * The part of a name among `k` numbered ones: going from k to k + 1 moves 1/(k + 1) of the names, all
 * of them to the new part. Only the last part can leave, and all weigh the same: else `Rendezvous`.
 * Lamping and Veach, "A fast, minimal memory, consistent hash algorithm", 2014. O(log k), no memory.
 */
export function jumpOwner(name: string, k: number): number {
  return jump(hash64(name), k)
}

/** Draws the next k at which the key would move, until it is beyond the k there is. */
export function jump(key: Hash64, k: number): number {
  checkParts(k)
  let state = key
  let part = 0
  let next = 0
  while (next < k) {
    part = next
    state = plusOne(times(state, 0x27bb2ee6, 0x87b0b0fd))
    next = Math.floor((part + 1) * (2 ** 31 / ((state.high >>> 1) + 1)))
  }
  return part
}

function plusOne({ high, low }: Hash64): Hash64 {
  return low === 0xffffffff ? { high: (high + 1) >>> 0, low: 0 } : { high, low: low + 1 }
}

const MOST_PARTS = 1_000_000

function checkParts(k: number): void {
  if (Number.isInteger(k) && k >= 1 && k <= MOST_PARTS) return
  throw new BadPartitionInput(`The number of parts is ${k}; it must be from 1 to ${MOST_PARTS}`)
}
