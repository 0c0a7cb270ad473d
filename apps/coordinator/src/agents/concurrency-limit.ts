/**
 * How many calls of one agent, and of all agents of one owner, are answered at a time. An agent asks, beats and
 * sends in parallel, one of each; one that opens hundreds would take the places of all who wait, or fill the
 * memory with uploads that never end. An owner may have any number of devices, so devices alone are no limit.
 */
import { RateLimited } from '../station/errors.ts'
import { LARGEST_UPLOAD_BYTES } from '../http/request-limits/body-limits.ts'
import type { AgentSession } from './agent-sessions.ts'

/** A few more than it needs: a call that was given up may still be open here. */
const CALLS_MAX = 8
/** Each may hold as much memory as the largest upload. */
const UPLOADS_MAX = 4
/** A volunteer with a room full of devices, each of which asks and beats. */
const OWNER_CALLS_MAX = 64
/**
 * Of all uploads that are open together, as they say how long they are: a station of two gigabytes survives it. One
 * owner has room for one upload of the largest kind, and volunteers together leave room for the station's own devices.
 */
const OWNER_BYTES_MAX = LARGEST_UPLOAD_BYTES
const VOLUNTEERS_BYTES_MAX = 3 * LARGEST_UPLOAD_BYTES
const ALL_BYTES_MAX = 4 * LARGEST_UPLOAD_BYTES
const TRY_AGAIN_MS = 1_000

export interface AgentCall {
  /** How long its body is, as it says; null when it is no upload. */
  uploadBytes: number | null
}

type Caller = Pick<AgentSession, 'boot' | 'owner' | 'isTrusted'>

interface Limit {
  name: string
  by: number
  most: number
}

export class ConcurrencyLimit {
  readonly #open = new Map<string, number>()

  /** Answers what is to be called when the call is over. */
  enter(session: Caller, { uploadBytes }: AgentCall): () => void {
    const limits = callLimits(session)
    if (uploadBytes !== null) limits.push(...uploadLimits(session, uploadBytes))
    const full = limits.find(({ name, by, most }) => (this.#open.get(name) ?? 0) + by > most)
    if (full !== undefined) throw new RateLimited('calls at the same time', TRY_AGAIN_MS)
    for (const { name, by } of limits) this.#change(name, by)
    return () => limits.forEach(({ name, by }) => this.#change(name, -by))
  }

  #change(name: string, by: number): void {
    const open = (this.#open.get(name) ?? 0) + by
    if (open === 0) this.#open.delete(name)
    else this.#open.set(name, open)
  }
}

function callLimits({ boot, owner, isTrusted }: Caller): Limit[] {
  const limits = [{ name: `boot ${boot} calls`, by: 1, most: CALLS_MAX }]
  if (!isTrusted) limits.push({ name: `owner ${owner} calls`, by: 1, most: OWNER_CALLS_MAX })
  return limits
}

function uploadLimits({ boot, owner, isTrusted }: Caller, bytes: number): Limit[] {
  const all = { name: 'bytes', by: bytes, most: ALL_BYTES_MAX }
  // The station's own devices have one owner, the operator, who limits them by their number.
  if (isTrusted) return [{ name: `boot ${boot} uploads`, by: 1, most: UPLOADS_MAX }, all]
  return [
    { name: `owner ${owner} uploads`, by: 1, most: UPLOADS_MAX },
    { name: `owner ${owner} bytes`, by: bytes, most: OWNER_BYTES_MAX },
    { name: 'volunteers bytes', by: bytes, most: VOLUNTEERS_BYTES_MAX },
    all,
  ]
}
