/** Which workers call, and what is known of each. It is kept in memory: who works calls again within the minute. */
import type { WorkerView } from '@minga/protocol'

export interface WorkerAbout {
  machine?: string | undefined
  pid?: number | undefined
  memoryMb?: number | undefined
  version?: string | undefined
}

export interface WorkerCall {
  worker: string
  boot: string
  engine?: string
  address: string
  about?: WorkerAbout | undefined
  tasks: number
  now: number
}

/** What a worker says of itself; what it has in hand and whether it rests is in the store. */
export type KnownWorker = Omit<WorkerView, 'isDrained' | 'task' | 'idle'>

/** Long after any worker would have called. */
const FORGOTTEN_MS = 120_000

export class KnownWorkers {
  readonly #known = new Map<string, KnownWorker>()

  called({ worker: name, boot, engine, address, about, tasks, now }: WorkerCall): void {
    const known = this.#known.get(boot)
    this.#known.set(boot, {
      name,
      boot,
      engine: engine ?? known?.engine ?? '',
      address,
      tasks,
      seenAt: now,
      since: known?.since ?? now,
      machine: about?.machine ?? known?.machine ?? null,
      pid: about?.pid ?? known?.pid ?? null,
      memoryMb: about?.memoryMb ?? known?.memoryMb ?? null,
      version: about?.version ?? known?.version ?? null,
      tasksDone: known?.tasksDone ?? 0,
    })
  }

  did(boot: string): void {
    const known = this.#known.get(boot)
    if (known !== undefined) this.#known.set(boot, { ...known, tasksDone: known.tasksDone + 1 })
  }

  ended(boot: string): void {
    this.#known.delete(boot)
  }

  /** By name. */
  list(now: number): KnownWorker[] {
    for (const [boot, { seenAt }] of this.#known) {
      if (seenAt < now - FORGOTTEN_MS) this.#known.delete(boot)
    }
    return [...this.#known.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }
}
