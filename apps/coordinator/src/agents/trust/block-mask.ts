/**
 * Hides from agents which collection a request belongs to. Everyone knows how a URL is hashed, so a
 * collection number or a hash in the open would distinguish a second opinion from ordinary work,
 * and a forger could be honest just there. Each host of each lease has a separate mask that only
 * this station can make; uploads are unmasked before they are processed.
 */
import { hash as digestOf } from 'node:crypto'
import type { Block, Result } from '@minga/protocol'

/** Hashes have 52 bits, in numbers whose lower 32 can be combined exactly. */
const LOW = 0x1_0000_0000

interface Mask {
  collection: number
  hashHigh: number
  hashLow: number
}

export class BlockMask {
  readonly #secret: string

  constructor(secret: string) {
    this.#secret = secret
  }

  mask(block: Block): Block {
    const hosts = block.hosts.map((host) => {
      const mask = this.#maskOf(block.fence, host.hostId)
      const requests = host.requests.map((request) => ({
        ...request,
        hash: combined(request.hash, mask),
      }))
      return { ...host, collectionId: host.collectionId ^ mask.collection, requests }
    })
    return { ...block, hosts }
  }

  /** What a stranger made up unmasks to some other number, which no lease has. */
  unmask(results: readonly Result[]): Result[] {
    const known = new Map<string, Mask>()
    return results.map((result) => {
      const key = `${result.fence} ${result.hostId}`
      const mask = known.get(key) ?? this.#maskOf(result.fence, result.hostId)
      known.set(key, mask)
      const collectionId = result.collectionId ^ mask.collection
      return { ...result, collectionId, hash: combined(result.hash, mask) }
    })
  }

  /**
   * One plain hash, a fifth of an HMAC's cost: at most 12 of its 32 bytes are ever visible, so a
   * length-extension attack is impossible.
   */
  #maskOf(fence: number, hostId: number): Mask {
    const bytes = digestOf('sha256', `mask ${this.#secret} ${fence} ${hostId}`, 'buffer')
    return {
      // 31 bits, so that the result stays a positive number.
      collection: bytes.readUInt32LE(0) >>> 1,
      hashHigh: bytes.readUInt32LE(4) >>> 12,
      hashLow: bytes.readUInt32LE(8),
    }
  }
}

/** Exclusive or, twice the same is nothing. */
function combined(hash: number, { hashHigh, hashLow }: Mask): number {
  const high = (Math.floor(hash / LOW) ^ hashHigh) >>> 0
  const low = ((hash % LOW) ^ hashLow) >>> 0
  return high * LOW + low
}
