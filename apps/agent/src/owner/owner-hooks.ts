/**
 * What the stages of an agent ask the owner's side of a volunteer's machine, and tell it. A
 * station's own agents have no owner but the station: they do without.
 */
import type { FetchOutcome } from '@minga/net'
import type { LeaseResponse, Block } from '@minga/protocol'
import type { AgentCondition } from './control.ts'
import type { LeasedRequest } from '../fetch/leased-request.ts'
import type { WorkBuffer } from '../fetch/work-buffer.ts'

export interface TurnRequest {
  /** By the monotonic clock: a request that cannot have a turn before this gets none. */
  deadlineMs: number
  signal: AbortSignal
  /** Asked when the turn has come: a lease that was lost in the meantime uses none up. */
  isWanted(): boolean
}

export interface OwnerHooks {
  /** Aborts when a pause begins; after a pause there is another one. */
  readonly pausing: AbortSignal
  /** Aborts when there is no time left for anything, not even to send. */
  readonly hurry: AbortSignal
  /** The most requests that may ever be in flight. */
  readonly concurrencyMax: number
  /** The largest upload that the owner's connection can handle at once. */
  readonly uploadBytesMax: number
  /** The work buffer of this agent, as soon as there is one, and who the station knows it as. */
  watch(buffer: WorkBuffer, device: string): void
  /** Whether nothing at all may be dialled. Asked immediately before every dial. */
  isPaused(): boolean
  /** Why nothing may be dialled, in one word; null when it may. */
  restsFor(): AgentCondition | null
  /** Resolves when the pause is over, or the signal aborts. */
  resumed(signal: AbortSignal): Promise<void>
  /** Whether the owner wants this host never to be asked. */
  refuses(url: string): boolean
  refusesAll(block: Block): boolean
  /** Waits until there is sense in asking for work: the limits would allow some of it soon. */
  readyForWork(signal: AbortSignal): Promise<void>
  /** Waits until the limits allow one more request; false when it is to be given back instead. */
  turn(turn: TurnRequest): Promise<boolean>
  began(leased: LeasedRequest): void
  /** It came back, or was cancelled. */
  ended(leased: LeasedRequest, outcome: FetchOutcome): void
  /** Not dialled at all; late when its lease was over, or would have been before its turn. */
  gaveBack(isLate: boolean): void
  /** What the station answered to our question; null when it was away. */
  stationSaid(answer: LeaseResponse | null): void
  /** Waits until the limits allow an upload. */
  roomToSend(signal: AbortSignal): Promise<void>
  /** So many bytes go out now, whether they arrive or not. */
  uploading(bytes: number): void
}
