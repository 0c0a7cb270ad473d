/** A machine that fetches: threads, one processor, one line. The same for agents and for the one
 * that fetches directly, so that their comparison is about the way of working alone. */
import { AGENT_DOWN_BYTES_PER_MS } from './costs.ts'
import { SerialResource, type Events } from './events.ts'
import type { Response, Web } from './web.ts'

export interface MachineSpec {
  name: string
  /** Column of Table 5.1. */
  column: number
  country: string
  threads: number
  /** As an agent: how many requests it may hold. */
  inHand: number
  /** Times slower than the thesis's machine: its line or its neighbourhood. */
  slowness: number
  fetchCpuMs: number
}

export interface Fetched extends Response {
  startedAtMs: number
  endedAtMs: number
}

export class Machine {
  readonly spec: MachineSpec
  readonly #events: Events
  readonly #web: Web
  readonly #line = new SerialResource()
  readonly #processor = new SerialResource()
  freeThreads: number

  constructor(spec: MachineSpec, world: { events: Events; web: Web }) {
    this.spec = spec
    this.#events = world.events
    this.#web = world.web
    this.freeThreads = spec.threads
  }

  /**
   * Takes a thread, which must be free, and gives it back when `done` is called. Answers how to give
   * the request up: as long as the response has not come, that frees the thread, and `done` is never
   * called; after that it is too late, and false.
   */
  fetch(
    target: { host: number; page: number | null },
    done: (fetched: Fetched) => void,
  ): () => boolean {
    const { column, slowness, fetchCpuMs } = this.spec
    const startedAtMs = this.#events.nowMs
    this.freeThreads--
    const response = this.#web.visit({ column, slowness, ...target, atMs: startedAtMs })
    let isInAir = true
    this.#events.after(response.ms, () => {
      if (!isInAir) return
      isInAir = false
      const transferMs = response.bytes / AGENT_DOWN_BYTES_PER_MS
      const receivedAtMs = this.#line.doneAt(this.#events.nowMs, transferMs)
      const endedAtMs = this.#processor.doneAt(receivedAtMs, fetchCpuMs * this.spec.slowness)
      this.#events.at(endedAtMs, () => {
        this.freeThreads++
        done({ ...response, startedAtMs, endedAtMs })
      })
    })
    return () => {
      if (!isInAir) return false
      isInAir = false
      this.freeThreads++
      const endMs = startedAtMs + response.ms
      this.#web.giveUp({ host: target.host, endMs, atMs: this.#events.nowMs })
      return true
    }
  }
}
