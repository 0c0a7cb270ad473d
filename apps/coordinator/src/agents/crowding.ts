/**
 * How many calls of one agent are answered at a time. An agent asks, beats and sends side by side,
 * one of each; who opens hundreds would take the places of all who wait, or fill the memory with
 * uploads that never end.
 */
import { RateLimited } from '../errors.ts'

/** A few more than it needs: a call that was given up may still be open here. */
const CALLS_MAX = 8
/** Each may hold as much memory as the largest upload. */
const UPLOADS_MAX = 4
const TRY_AGAIN_MS = 1_000

export class Crowding {
  readonly #inside = new Map<string, number>()

  /** Answers what is to be called when the call is over. */
  enter(boot: string, call: { isUpload: boolean }): () => void {
    const leave = this.#take(boot, CALLS_MAX)
    if (!call.isUpload) return leave
    try {
      const leaveUploads = this.#take(`${boot} uploads`, UPLOADS_MAX)
      return () => {
        leaveUploads()
        leave()
      }
    } catch (error) {
      leave()
      throw error
    }
  }

  #take(key: string, most: number): () => void {
    const inside = this.#inside.get(key) ?? 0
    if (inside >= most) throw new RateLimited('calls at the same time', TRY_AGAIN_MS)
    this.#inside.set(key, inside + 1)
    return () => {
      const left = this.#inside.get(key)! - 1
      if (left === 0) this.#inside.delete(key)
      else this.#inside.set(key, left)
    }
  }
}
