/**
 * Step 6, first of all and cheapest first: which results of an upload are of requests that its sender has in
 * progress. Everything else is dropped before a single record is unpacked.
 */
import type { LeasedHost } from '@minga/frontier'
import { BadUpload, readManifest, requireMembers, type Result } from '@minga/protocol'
import { BlockMask } from './block-mask.ts'

export interface Opening {
  /** The compressed manifest. */
  head: Uint8Array
  membersBytes: number
  boot: string
  /** Known to this station only: by it requests are masked. */
  secret: string
  leased: LeasedHost[]
  now: number
}

export interface OpenedUpload {
  /** Unmasked, each of a request that is leased to the sender. */
  results: Result[]
  /** When the lease of each result was opened. */
  openedAt: number[]
  /** Where the records of each result lie among the members: from, up to. */
  spans: [from: number, to: number][]
  /** How many results were of nothing that is leased. */
  dropped: number
  /** Size of the manifest as it was unpacked. */
  unpackedBytes: number
}

export function openUpload(opening: Opening): OpenedUpload {
  const { manifest, unpackedBytes } = readManifest(Buffer.from(opening.head))
  requireMembers(manifest, opening.membersBytes)
  if (manifest.boot !== opening.boot) throw new BadUpload('it is of another boot than its session')
  const open = new OpenRequests(opening.leased)
  const opened: OpenedUpload = { results: [], openedAt: [], spans: [], dropped: 0, unpackedBytes }
  let offset = 0
  for (const result of new BlockMask(opening.secret).unmask(manifest.results)) {
    const from = offset
    if (result.type === 'captured') for (const length of result.members) offset += length
    const openedAt = open.take(result)
    if (openedAt === null) {
      opened.dropped += 1
      continue
    }
    opened.results.push(withinLease(result, opening.now - openedAt))
    opened.openedAt.push(openedAt)
    opened.spans.push([from, offset])
  }
  return opened
}

/** An answer that ended before its lease was opened would move the clock of its host into the past. */
function withinLease(result: Result, leaseAgeMs: number): Result {
  if (result.type === 'returned') return result
  return { ...result, endedAgoMs: Math.min(result.endedAgoMs, Math.max(0, leaseAgeMs)) }
}

/** Each request is answered once. */
class OpenRequests {
  readonly #hosts = new Map<string, { openedAt: number; hashes: Set<number> }>()

  constructor(leased: readonly LeasedHost[]) {
    for (const { fence, hostId, collectionId, openedAt, hashes } of leased) {
      const key = `${fence} ${hostId} ${collectionId}`
      this.#hosts.set(key, { openedAt, hashes: new Set(hashes) })
    }
  }

  /** When its lease was opened; null when it is not open. */
  take({ fence, hostId, collectionId, hash }: Result): number | null {
    const host = this.#hosts.get(`${fence} ${hostId} ${collectionId}`)
    return host?.hashes.delete(hash) ? host.openedAt : null
  }
}
