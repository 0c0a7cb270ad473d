/**
 * A client with one query: it submits until it is accepted, polls now and then, and takes rows as
 * they appear. It may stay away for a while or for ever, cancel, or send everything twice.
 */
import type { QueryStatus } from '../../../src/schedule/query-status.ts'
import type { QuerySubmission } from '../../../src/schedule/scheduler.ts'
import { between } from './dice.ts'
import { PlainRun } from './fake-kernel.ts'
import { expect } from './judge.ts'
import type { World } from './world.ts'

export class FakeClient {
  readonly #world: World
  readonly #query: QuerySubmission
  /** Files with rows that it was shown. */
  readonly #shown: string[] = []
  #after = 0
  isOver = false

  constructor(world: World, query: QuerySubmission) {
    this.#world = world
    this.#query = query
    this.#submit()
  }

  #submit(): void {
    this.#world.station.ask(
      (scheduler) => scheduler.submit(this.#query),
      () => this.#lookIn(),
      () => this.#submit(),
    )
  }

  #lookIn(): void {
    const { agenda, dice, station } = this.#world
    if (this.#world.isFaulty(0.03)) {
      station.ask(
        (scheduler) => scheduler.cancel(this.#query.id),
        () => {},
        () => {},
      )
    }
    // For ever means: until the faults are over, as a client that comes back to look for its query.
    const awayMs = this.#world.isFaulty(0.04)
      ? between(dice, 5_000, 60_000)
      : between(dice, 200, 2_000)
    agenda.in(awayMs, () =>
      station.ask(
        async (scheduler) => {
          await scheduler.touch(this.#query.id)
          return scheduler.status(this.#query.id)
        },
        (status) => this.#takeRows(status),
        () => this.#lookIn(),
      ),
    )
  }

  #takeRows(status: QueryStatus | null): void {
    expect(status !== null, `${this.#query.id} was forgotten`)
    const { id } = this.#query
    this.#world.station.ask(
      (scheduler) => scheduler.outputs({ id, after: this.#after, most: 3 }),
      ({ outputs, after, isEnded, isCollected }) => {
        // An old answer that was overtaken: what it says is known.
        if (after > this.#after) this.#shown.push(...outputs.map(({ file }) => file))
        this.#after = Math.max(this.#after, after)
        if (isEnded && status.state === 'done' && !isCollected) this.#takeResults(status.endedAt!)
        else if (isEnded && status.state !== 'running') this.#end(status)
        else this.#lookIn()
      },
      () => this.#lookIn(),
    )
  }

  /** What is in the result is what one process would have computed. */
  #takeResults(endedAt: number): void {
    const { id, plan } = this.#query
    // By the clock that is most ahead: from then on results may be gone.
    const keptUntil = endedAt + this.#world.options.keepMs - 1_000
    this.#world.station.ask(
      async (scheduler) => {
        const results = await scheduler.results(id)
        // Read in the same breath: files may be collected before the answer arrives.
        const isLate = this.#world.agenda.now >= keptUntil
        return results.map(({ file }) => ({ file, isLate, content: this.#world.disk.get(file) }))
      },
      (results) => {
        const isGone = results.some(({ isLate, content }) => isLate && content === undefined)
        if (results.length < plan.results.length || isGone) return this.#lookIn()
        const run = new PlainRun(plan)
        for (const [place, { file, content }] of results.entries()) {
          const { stage, output } = plan.results[place]!.file
          const wanted = plan.stages.find((one) => one.id === stage)!
          expect(content === run.content(wanted, 0, output, null), `${file} is not the result`)
        }
        this.#checkRows()
        this.isOver = true
      },
      () => this.#lookIn(),
    )
  }

  /** Every file with rows was shown, and none twice. */
  #checkRows(): void {
    const { plan } = this.#query
    const [result] = plan.results
    if (!result) return
    const stage = plan.stages.find(({ id }) => id === result.rows.stage)!
    const { partitions = 1, partitionBy } = stage.outputs[0]!
    const files = new PlainRun(plan).tasksOf(stage) * (partitionBy ? partitions : 1)
    expect(new Set(this.#shown).size === this.#shown.length, 'rows were shown twice')
    expect(this.#shown.length === files, `${this.#shown.length} of ${files} files were shown`)
  }

  #end({ state, error, id }: QueryStatus): void {
    if (state === 'failed') {
      const isKnown = ['MINGA_TASK_DISK_TROUBLE', 'MINGA_TASK_POISON', 'MINGA_QUERY_OVERDUE']
      expect(error && isKnown.includes(error.code), `${id} failed without a reason`)
    }
    this.isOver = true
  }
}
