/**
 * A worker process as K's is seen from the station: asks, beats, writes, commits. It may be killed at any moment,
 * sleep for longer than its lease and go on as if nothing had happened, and its disk may be full.
 */
import type { Task, TaskDone } from '../../../src/model.ts'
import type { LeaseId } from '../../../src/schedule/resolve-task.ts'
import { between } from './dice.ts'
import { FileGone, runFake } from './fake-kernel.ts'
import { Violation } from './judge.ts'
import type { World } from './world.ts'

interface Work {
  task: Task
  /** It was notified that another worker has the lease. */
  isLost: boolean
  isOver: boolean
}

export function startWorker(world: World, name: string, life = 0): FakeWorker {
  return new FakeWorker(world, name, life)
}

class FakeWorker {
  readonly #world: World
  readonly #name: string
  readonly #boot: string
  #isDead = false
  #sleepsUntil = 0

  constructor(world: World, name: string, life: number) {
    this.#world = world
    this.#name = name
    this.#boot = `${name}/${life}`
    this.#askForTask()
    this.#meetFate(life)
  }

  /** Killed or suspended, once in a while; its supervisor starts another. */
  #meetFate(life: number): void {
    const { agenda, dice, station } = this.#world
    agenda.in(between(dice, 200, 25_000), () => {
      if (this.#isDead || !this.#world.isFaulty(0.8)) {
        if (!this.#isDead) this.#meetFate(life)
        return
      }
      if (dice.chance(0.4)) {
        this.#sleepsUntil = agenda.now + between(dice, 100, 12_000)
        return this.#meetFate(life)
      }
      this.#die(life)
      if (dice.chance(0.5))
        station.ask(
          (scheduler) => scheduler.endWorker(this.#boot),
          () => {},
          () => {},
        )
    })
  }

  #die(life: number): void {
    this.#isDead = true
    const { agenda, dice } = this.#world
    agenda.in(between(dice, 50, 2_000), () => void startWorker(this.#world, this.#name, life + 1))
  }

  /** Nothing happens in a dead process, and in a sleeping one only when it wakes up. */
  #later(ms: number, act: () => void): void {
    this.#world.agenda.in(ms, () => this.#awake(act))
  }

  #awake(act: () => void): void {
    if (this.#isDead) return
    const { now } = this.#world.agenda
    if (now < this.#sleepsUntil) this.#later(this.#sleepsUntil - now, act)
    else act()
  }

  /** It rests the longer the more often there was nothing. */
  #askForTask(restMs = 50): void {
    if (this.#world.isClosing) return
    const rest = Math.min(1_600, restMs * 2)
    const askAgain = (): void =>
      this.#later(between(this.#world.dice, restMs / 2, restMs), () => this.#askForTask(rest))
    this.#world.station.ask(
      (scheduler) => scheduler.lease({ worker: this.#name, boot: this.#boot }),
      ({ task }) => this.#awake(() => (task === null ? askAgain() : this.#begin(task))),
      () => this.#awake(askAgain),
    )
  }

  #begin(task: Task): void {
    const { dice, options } = this.#world
    const work: Work = { task, isLost: false, isOver: false }
    this.#beatOn(work)
    const isSlow = dice.chance(0.05)
    const ms = isSlow ? between(dice, 500, options.leaseMs * 3) : between(dice, 5, 300)
    this.#later(ms, () => this.#finish(work))
  }

  #beatOn(work: Work): void {
    this.#later(this.#world.options.leaseMs / 4, () => {
      if (work.isOver) return
      const tasks = [{ ...idOf(work.task), progress: 1 }]
      this.#world.station.ask(
        (scheduler) => scheduler.beat({ boot: this.#boot, tasks }),
        ({ lost }) => this.#awake(() => void (work.isLost ||= lost.length > 0)),
        () => {},
      )
      this.#beatOn(work)
    })
  }

  #finish(work: Work): void {
    if (work.isLost) return this.#next(work)
    const { task } = work
    const curse = this.#world.curseOf(task)
    if (curse === 'kills') return this.#die(1_000)
    if (curse !== null) return this.#fail(work, curse)
    if (this.#world.isFaulty(0.03)) return this.#fail(work, 'later')
    if (this.#world.isFaulty(0.03)) return this.#giveBack(work)
    try {
      const { done, contents } = runFake(task, this.#world.disk)
      this.#write(work, { done, contents })
    } catch (error) {
      if (!(error instanceof FileGone)) throw error
      if (this.#world.judge.isHeld(idOf(task))) throw new Violation(`${error.file} was needed`)
      this.#fail(work, 'later')
    }
  }

  /** One file after another: it may be killed between any two. */
  #write(work: Work, { done, contents }: { done: TaskDone; contents: Map<string, string> }): void {
    const files = [...contents]
    const writeNext = (): void => {
      const next = files.shift()
      if (!next) return this.#commit(work, done)
      this.#world.disk.set(...next)
      this.#later(between(this.#world.dice, 0, 3), writeNext)
    }
    writeNext()
  }

  /** Until there is an answer: whether its files count is not for it to guess. */
  #commit(work: Work, done: TaskDone): void {
    this.#world.station.ask(
      (scheduler) => scheduler.commit(idOf(work.task), done),
      ({ answer }) =>
        this.#awake(() => {
          if (answer === 'stale') for (const { file } of done.outputs) this.#world.disk.delete(file)
          this.#next(work)
        }),
      () => this.#later(between(this.#world.dice, 50, 500), () => this.#commit(work, done)),
    )
  }

  #fail(work: Work, retry: 'later' | 'never'): void {
    const error = { code: 'MINGA_TASK_DISK_TROUBLE', message: 'full', retry, sql: 'SELECT 1' }
    const next = (): void => this.#awake(() => this.#next(work))
    this.#world.station.ask((scheduler) => scheduler.fail(idOf(work.task), error), next, next)
  }

  #giveBack(work: Work): void {
    const next = (): void => this.#awake(() => this.#next(work))
    this.#world.station.ask((scheduler) => scheduler.giveBack(idOf(work.task)), next, next)
  }

  #next(work: Work): void {
    work.isOver = true
    this.#askForTask()
  }
}

function idOf({ query, stage, index, fence }: Task): LeaseId {
  return { query, stage, index, fence }
}
