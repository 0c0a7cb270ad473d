/**
 * What a supervisor saw happen to its processes, on its way into the log of the station. Often it is the coordinator
 * itself that died: notes wait, in order, until they are written. One that is killed between writing
 * and saying so leaves a line twice, which is better than none.
 */
import {
  spanText,
  systemClock,
  type EventDetails,
  type NewEvent,
  type ProcessCode,
} from '@minga/protocol'

export type ProcessNote = Extract<NewEvent, { code: ProcessCode }>
/** Answers whether they are in the log. */
export type Carry = (notes: readonly ProcessNote[]) => Promise<boolean>

/** A station that is gone for long cannot receive everything; the oldest notes say what the others would. */
const WAITING_MOST = 200
const AT_ONCE = 50
const AGAIN_MS = 1_000

export class ProcessNotes {
  readonly #waiting: ProcessNote[] = []
  readonly #stopping: AbortSignal
  #carry: Carry | null = null
  #isCarrying = false

  constructor(stopping: AbortSignal) {
    this.#stopping = stopping
  }

  note(note: ProcessNote): void {
    if (this.#waiting.length >= WAITING_MOST) return
    this.#waiting.push(note)
    void this.#run()
  }

  /** By whom they travel from now on. */
  carriedBy(carry: Carry): void {
    this.#carry = carry
    void this.#run()
  }

  async #run(): Promise<void> {
    if (this.#isCarrying) return
    this.#isCarrying = true
    while (this.#carry !== null && this.#waiting.length > 0 && !this.#stopping.aborted) {
      const some = this.#waiting.slice(0, AT_ONCE)
      const isWritten = await this.#carry(some).catch(() => false)
      if (isWritten) this.#waiting.splice(0, some.length)
      else await systemClock.sleep(AGAIN_MS, this.#stopping)
    }
    this.#isCarrying = false
  }
}

type Said<C extends ProcessCode> = EventDetails<C> & { name: string }

export function endedNote({ name, ...details }: Said<'process:ended'>): ProcessNote {
  const sentence = `A ${details.role} (process ${details.pid}) ended: ${details.how}.`
  return { ...noteOf(name, sentence), code: 'process:ended', details }
}

export function hungNote({ name, ...details }: Said<'process:hung'>): ProcessNote {
  const silent = spanText(Number(details.silentMs))
  const sentence = `A ${details.role} (process ${details.pid}) gave no sign for ${silent} and was killed.`
  return { ...noteOf(name, sentence), code: 'process:hung', details }
}

export function replacedNote({ name, ...details }: Said<'process:replaced'>): ProcessNote {
  const { role, pid, former } = details
  const away = spanText(Number(details.awayMs))
  const sentence = `A new ${role} (process ${pid}) took the place of process ${former}, which was away for ${away}.`
  return { ...noteOf(name, sentence), code: 'process:replaced', details }
}

export function restingNote({ name, ...details }: Said<'process:resting'>): ProcessNote {
  const { role, ends } = details
  const rest = spanText(Number(details.restMs))
  const sentence = `A ${role} ended ${ends} times in a row; the next one begins in ${rest}.`
  return { ...noteOf(name, sentence), code: 'process:resting', details }
}

function noteOf(
  subject: string,
  sentence: string,
): { at: number; subject: string; sentence: string } {
  return { at: systemClock.now(), subject, sentence }
}
