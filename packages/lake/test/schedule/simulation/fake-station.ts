/**
 * Coordinators over one store, and the road to them: messages are slow, lost, doubled and overtaken; coordinators
 * die between any two operations and come back with nothing but what is in the store; their clocks differ.
 */
import { isMingaError } from '@minga/protocol'
import { Scheduler } from '../../../src/schedule/scheduler.ts'
import { between } from './dice.ts'
import { Violation } from './judge.ts'
import type { World } from './world.ts'

interface Coordinator {
  isUp: boolean
  /** Grows with each start: answers of an earlier life do not arrive. */
  life: number
  clock: { now(): number }
  scheduler: Scheduler
}

/** The coordinator died before it could answer, or its disk was full. */
class NoAnswer extends Error {}

const SWEEP_LATEST_MS = 2_000
const COLLECT_EVERY_MS = 4_000
const PATIENCE_MS = 2_000

export class FakeStation {
  readonly #world: World
  readonly #coordinators: Coordinator[]

  constructor(world: World) {
    this.#world = world
    this.#coordinators = [0, between(world.dice, -400, 400)].map((skewMs) => {
      const clock = { now: (): number => world.agenda.now + skewMs }
      const coordinator = { isUp: true, life: 0, clock } as Coordinator
      coordinator.scheduler = this.#newScheduler(coordinator)
      this.#sweepOn(coordinator)
      this.#collectOn(coordinator)
      return coordinator
    })
    this.#sometimesDie()
  }

  /** Sends a message to any coordinator. `heard` is called once at most; `unheard` when patience is over. */
  ask<R>(
    message: (scheduler: Scheduler) => Promise<R>,
    heard: (answer: R) => void,
    unheard: () => void,
  ): void {
    const { agenda, dice } = this.#world
    let isSettled = false
    const settle = (act: () => void): void => {
      if (isSettled) return
      isSettled = true
      act()
    }
    const coordinator = dice.pick(this.#coordinators)
    const arrive = async (): Promise<void> => {
      if (!coordinator.isUp) return settle(unheard)
      const { life } = coordinator
      const answer = await this.#answerOf(() => message(coordinator.scheduler))
      if (answer === null || this.#world.isFaulty(0.02)) return
      agenda.in(this.#delay(), () => {
        if (coordinator.life === life) settle(() => heard(answer.value))
      })
    }
    if (!this.#world.isFaulty(0.02)) agenda.in(this.#delay(), arrive)
    if (this.#world.isFaulty(0.03)) agenda.in(between(dice, 100, 9_000), arrive)
    agenda.in(PATIENCE_MS, () => settle(unheard))
  }

  /** Null when no answer comes: a refusal of the store counts as a lost answer. */
  async #answerOf<R>(message: () => Promise<R>): Promise<{ value: R } | null> {
    try {
      return { value: await message() }
    } catch (error) {
      if (error instanceof NoAnswer || isMingaError(error)) return null
      throw error
    }
  }

  #newScheduler(coordinator: Coordinator): Scheduler {
    const call: World['call'] = async (operation, args) => {
      if (!coordinator.isUp) throw new NoAnswer('dead')
      if (this.#world.isFaulty(0.002)) throw new NoAnswer('disk full')
      const answer = await this.#world.call(operation, args)
      if (this.#world.isFaulty(0.003)) {
        this.#die(coordinator)
        throw new NoAnswer('died after it was done')
      }
      return answer
    }
    return new Scheduler({ call }, coordinator.clock, this.#world.options)
  }

  #delay(): number {
    const { dice } = this.#world
    return this.#world.isFaulty(0.03) ? between(dice, 50, 6_000) : between(dice, 0, 20)
  }

  #sometimesDie(): void {
    const { agenda, dice } = this.#world
    agenda.in(between(dice, 500, 20_000), () => {
      if (this.#world.isFaulty(0.7)) this.#die(dice.pick(this.#coordinators))
      this.#sometimesDie()
    })
  }

  #die(coordinator: Coordinator): void {
    if (!coordinator.isUp) return
    coordinator.isUp = false
    coordinator.life += 1
    this.#world.agenda.in(between(this.#world.dice, 50, 9_000), () => this.#start(coordinator))
  }

  async #start(coordinator: Coordinator): Promise<void> {
    coordinator.isUp = true
    coordinator.scheduler = this.#newScheduler(coordinator)
    await this.#answerOf(() => coordinator.scheduler.keepLeases())
  }

  /** When the last sweep said that there is something to do, but not seldom. */
  #sweepOn(coordinator: Coordinator, inMs = SWEEP_LATEST_MS): void {
    this.#world.agenda.in(inMs, async () => {
      const swept = coordinator.isUp
        ? await this.#answerOf(() => coordinator.scheduler.sweep())
        : null
      const nextAt = swept?.value.nextAt ?? Infinity
      const dueMs = Math.max(20, nextAt - coordinator.clock.now())
      this.#sweepOn(coordinator, Math.min(SWEEP_LATEST_MS, dueMs))
    })
  }

  #collectOn(coordinator: Coordinator): void {
    this.#world.agenda.in(COLLECT_EVERY_MS, async () => {
      if (coordinator.isUp) await this.#answerOf(() => this.#collect(coordinator.scheduler))
      this.#collectOn(coordinator)
    })
  }

  /** As the coordinator's tick does it: files first, then the row, then folders that belong to nothing. */
  async #collect(scheduler: Scheduler): Promise<void> {
    const { disk } = this.#world
    for (const { id, folder, keep } of await scheduler.garbage({ most: 10 })) {
      const kept = new Set(keep)
      for (const file of keep) {
        if (!disk.has(file)) throw new Violation(`${file} is to be kept and is gone`)
      }
      this.#world.removeFiles((file) => file.startsWith(`${folder}/`) && !kept.has(file))
      await scheduler.collected(id)
    }
    const folders = [...disk.keys()].flatMap((file) => /^queries\/([^/]+)\//.exec(file)?.[1] ?? [])
    const strays = new Set(await scheduler.strays([...new Set(folders)]))
    this.#world.removeFiles((file) => strays.has(/^queries\/([^/]+)\//.exec(file)?.[1] ?? ''))
  }
}
