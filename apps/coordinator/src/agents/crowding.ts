/**
 * How many calls of one agent, and of all agents of one owner, are answered at a time. An agent asks, beats and
 * sends in parallel, one of each; one that opens hundreds would take the places of all who wait, or fill the
 * memory with uploads that never end. An owner may have any number of devices, so devices alone are no limit.
 */
import { RateLimited } from '../errors.ts'
import type { AgentSession } from './agent-sessions.ts'

/** A few more than it needs: a call that was given up may still be open here. */
const CALLS_MAX = 8
/** Each may hold as much memory as the largest upload. */
const UPLOADS_MAX = 4
/** A volunteer with a room full of devices, each of which asks and beats. */
const OWNER_CALLS_MAX = 64
const TRY_AGAIN_MS = 1_000

export class Crowding {
  readonly #inside = new Map<string, number>()

  /** Answers what is to be called when the call is over. */
  enter(
    { boot, owner, isTrusted }: Pick<AgentSession, 'boot' | 'owner' | 'isTrusted'>,
    call: { isUpload: boolean },
  ): () => void {
    // The station's own devices have one owner, the operator, who limits them by their number.
    const key = isTrusted ? `boot ${boot}` : `owner ${owner}`
    const limits: [key: string, most: number][] = [[`boot ${boot} calls`, CALLS_MAX]]
    if (!isTrusted) limits.push([`${key} calls`, OWNER_CALLS_MAX])
    if (call.isUpload) limits.push([`${key} uploads`, UPLOADS_MAX])
    const full = limits.find(([name, most]) => (this.#inside.get(name) ?? 0) >= most)
    if (full !== undefined) throw new RateLimited('calls at the same time', TRY_AGAIN_MS)
    for (const [name] of limits) this.#change(name, 1)
    return () => limits.forEach(([name]) => this.#change(name, -1))
  }

  #change(name: string, by: number): void {
    const inside = (this.#inside.get(name) ?? 0) + by
    if (inside === 0) this.#inside.delete(name)
    else this.#inside.set(name, inside)
  }
}
