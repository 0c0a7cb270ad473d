/**
 * The thesis's adversary: one machine that fetches everything itself, as politely as the fleet.
 * Robots.txt first, one request at a time per host, a pause after each response, the same number of
 * retries. It asks no coordinator, sends nothing on, and keeps what it has on its own disk at no cost.
 */
import { DELAY_MS, RETRIES } from './costs.ts'
import type { Events } from './events.ts'
import type { Fetched, Machine } from './machine.ts'
import type { Web } from './web.ts'

interface HostWork {
  host: number
  hasRobots: boolean
  /** Pages that were not fetched yet, the next one last, with the tries each had. */
  pages: { page: number; tries: number }[]
}

export class DirectMachine {
  readonly #machine: Machine
  readonly #events: Events
  readonly #line: HostWork[]
  #open: number
  failed = 0
  readonly repliesMs: number[] = []
  readonly endsMs: number[] = []

  constructor(machine: Machine, world: { events: Events; web: Web }) {
    this.#machine = machine
    this.#events = world.events
    this.#line = world.web.hosts.map(({ urls }, host) => ({
      host,
      hasRobots: false,
      pages: Array.from({ length: urls }, (_, i) => ({ page: urls - 1 - i, tries: 0 })),
    }))
    this.#open = this.#line.reduce((sum, { pages }) => sum + pages.length, 0)
  }

  start(): void {
    this.#pump()
  }

  #pump(): void {
    while (this.#machine.freeThreads > 0 && this.#line.length > 0) this.#fetch(this.#line.shift()!)
  }

  #fetch(work: HostWork): void {
    const next = work.pages.at(-1)!
    const page = work.hasRobots ? next.page : null
    this.#machine.fetch({ host: work.host, page }, (fetched) => {
      this.#ended(work, fetched)
      if (this.#open === 0) return this.#events.stop()
      if (work.pages.length > 0)
        this.#events.after(DELAY_MS, () => {
          this.#line.push(work)
          this.#pump()
        })
      this.#pump()
    })
  }

  #ended(work: HostWork, fetched: Fetched): void {
    if (!work.hasRobots) {
      work.hasRobots = !fetched.isLost
      return
    }
    const next = work.pages.at(-1)!
    if (fetched.isLost && next.tries++ < RETRIES) return
    work.pages.pop()
    this.#open--
    if (fetched.isLost) this.failed++
    this.repliesMs.push(fetched.endedAtMs - fetched.startedAtMs)
    this.endsMs.push(fetched.endedAtMs)
  }
}
