/** Results that wait for their upload, in the order they came. */
import { encodeUpload, type Result } from '@minga/protocol'

export interface Parcel {
  result: Result
  members: Buffer[]
  /** When the response ended, by the monotonic clock; an upload turns it into an age. */
  endedAtMs: number
  /** What the parcel counts for in memory: the body it was made from. */
  weightBytes: number
}

/** An upload, ready to send, and what it empties. */
export interface Batch {
  body: Uint8Array<ArrayBuffer>
  fences: number[]
  weightBytes: number
}

/** Half of what a station takes in one upload: bodyless results are many before they are large. */
const RESULTS_MAX = 5_000

export class Outbox {
  #parcels: Parcel[] = []

  put(parcel: Parcel): void {
    this.#parcels.push(parcel)
  }

  /**
   * The oldest parcels up to a size as one upload, or null. Ages are taken here: an upload that is
   * sent again later says too small an age, and a host rests longer than it must.
   */
  take(options: { boot: string; bytesMax: number; nowMs: number }): Batch | null {
    let bytes = 0
    let count = 0
    const countMax = Math.min(this.#parcels.length, RESULTS_MAX)
    while (count < countMax && bytes < options.bytesMax) bytes += sizeOf(this.#parcels[count++]!)
    if (count === 0) return null
    const taken = this.#parcels.splice(0, count)
    const results = taken.map((parcel) => withAge(parcel, options.nowMs))
    const members = taken.flatMap((parcel) => parcel.members)
    let weightBytes = 0
    for (const parcel of taken) weightBytes += parcel.weightBytes
    return {
      body: encodeUpload({ boot: options.boot, results }, members),
      fences: taken.map(({ result }) => result.fence),
      weightBytes,
    }
  }
}

/**
 * What is said of a page counts as well: one of nothing but links, or with long headers, shrinks to
 * little as a record, while a station reads only so much of the manifest.
 */
function sizeOf({ result, members }: Parcel): number {
  let bytes = 0
  for (const member of members) bytes += member.length
  if (result.type !== 'captured') return bytes
  const { url, location, etag, lastModified, title, body } = result
  for (const text of [url, location, etag, lastModified, title, body]) bytes += text?.length ?? 0
  for (const list of [result.links, result.embeds, result.sitemaps]) {
    for (const link of list) bytes += link.length
  }
  return bytes
}

function withAge({ result, endedAtMs }: Parcel, nowMs: number): Result {
  if (result.type === 'returned') return result
  return { ...result, endedAgoMs: Math.max(0, Math.floor(nowMs - endedAtMs)) }
}
