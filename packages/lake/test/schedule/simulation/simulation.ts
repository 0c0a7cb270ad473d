/**
 * The scheduler under faults, in virtual time: the real operations on a real database; workers, coordinators,
 * clients and the network between them are played, and everything that goes wrong comes from one seed. After every
 * operation a judge compares the answer with books of its own; at the end all queries have ended, those that were
 * done gave what one process would have computed, and no file is left over.
 */
import type { Calls } from '@minga/store'
import type { Plan, Task } from '../../../src/model.ts'
import type { ScheduleOperations } from '../../../src/schedule/schedule-operations.ts'
import {
  SCHEDULE_DEFAULTS,
  type QuerySubmission,
  type ScheduleOptions,
} from '../../../src/schedule/scheduler.ts'
import { Agenda } from './agenda.ts'
import { between, type Dice } from './dice.ts'
import { FakeClient } from './fake-client.ts'
import { PlainRun } from './fake-kernel.ts'
import { FakeStation } from './fake-station.ts'
import { startWorker } from './fake-worker.ts'
import { expect, Judge, type OwnerLoad } from './judge.ts'
import { randomPlan } from './random-plan.ts'
import type { Curse, World } from './world.ts'

/** A database that one simulation has for itself. */
export interface Database {
  /** The highest fence that was ever given. */
  lastFence: number
  /** Runs an operation in a transaction. */
  call: Calls<ScheduleOperations>['call']
  /** What owners have under way and ready. */
  loads(): Promise<OwnerLoad[]>
  /** Throws when a counter is not what it counts, or an ended query has anything leased. */
  recount(): Promise<void>
  /** Files of a table in the order of their rows. */
  segments(table: string): Promise<string[]>
}

export interface Figures {
  steps: number
  operations: number
  virtualMs: number
  ended: Record<string, number>
}

const OPTIONS: Omit<ScheduleOptions, 'keepMs'> = {
  ...SCHEDULE_DEFAULTS,
  leaseMs: 2_000,
  deathsMost: 6,
  abandonMs: 20_000,
}
const RECOUNT_EVERY = 40
/** Long enough for every rest, lease, deadline and absence to be over. */
const PEACE_MS = 600_000

export async function simulate(dice: Dice, database: Database): Promise<Figures> {
  const agenda = new Agenda(1_000_000)
  const faultsUntil = agenda.now + between(dice, 5_000, 40_000)
  const queries = randomQueries(dice)
  const figures: Figures = { steps: 0, operations: 0, virtualMs: 0, ended: {} }
  const world = newWorld({ agenda, dice, database, figures, faultsUntil, queries })
  world.station = new FakeStation(world)
  for (let i = 0; i <= dice.integer(4); i++) startWorker(world, `w${i}`)
  const clients: FakeClient[] = []
  for (const { submission } of queries) {
    agenda.in(between(dice, 0, 8_000), () => void clients.push(new FakeClient(world, submission)))
  }
  const areOver = (): boolean =>
    clients.length === queries.length && clients.every((client) => client.isOver)
  const deadline = faultsUntil + PEACE_MS
  await agenda.run(() => areOver() || agenda.now > deadline)
  expect(areOver(), 'a query did not end')
  await cleanUp(world, database)
  await checkTables(world, database, queries)
  figures.steps = agenda.steps
  figures.virtualMs = agenda.now - 1_000_000
  for (const { state } of world.judge.queries.values()) {
    figures.ended[state] = (figures.ended[state] ?? 0) + 1
  }
  return figures
}

interface Ingredients {
  agenda: Agenda
  dice: Dice
  database: Database
  figures: Figures
  faultsUntil: number
  queries: readonly RandomQuery[]
}

function newWorld({ agenda, dice, database, figures, faultsUntil, queries }: Ingredients): World {
  const judge = new Judge(database.lastFence)
  const disk = new Map<string, string>()
  for (const { submission } of queries) {
    for (const file of filesOf(submission.plan)) disk.set(file, file)
  }
  return {
    agenda,
    dice,
    disk,
    judge,
    options: { ...OPTIONS, keepMs: between(dice, 1_000, 15_000) },
    isClosing: false,
    station: undefined as never,
    call: async (operation, args) => {
      const loads = operation === 'lakeLease' ? await database.loads() : []
      const answer = await database.call(operation, args)
      judge.saw({ operation, args, answer })
      if (operation === 'lakeLease') {
        const { leased } = answer as { leased: Task | null }
        if (leased) judge.checkFairness(leased, loads)
      }
      figures.operations += 1
      if (figures.operations % RECOUNT_EVERY === 0) await database.recount()
      return answer
    },
    isFaulty: (probability) => agenda.now < faultsUntil && dice.chance(probability),
    curseOf: (task) => {
      const curse = queries.find(({ submission }) => submission.id === task.query)?.curse
      return curse?.stage === task.stage && task.index === 0 ? curse.is : null
    },
    removeFiles: (mayGo) => {
      for (const file of disk.keys()) if (mayGo(file)) disk.delete(file)
    },
  }
}

interface RandomQuery {
  submission: QuerySubmission
  curse: { stage: string; is: Curse } | null
}

function randomQueries(dice: Dice): RandomQuery[] {
  return Array.from({ length: between(dice, 1, 4) }, (_, place) => {
    const table = dice.chance(0.15) ? `t${place}` : null
    const plan = randomPlan(dice, table)
    const submission: QuerySubmission = {
      id: `q${place}`,
      owner: `owner ${dice.integer(3)}`,
      kind: table === null ? dice.pick(['query', 'query', 'query', 'compact']) : 'import',
      plan,
      weight: dice.pick([1, 1, 2]),
      deadlineMs: dice.chance(0.1) ? between(dice, 2_000, 60_000) : null,
      ...(dice.chance(0.2) ? { abandonMs: null } : {}),
    }
    const isCursed = dice.chance(0.08)
    const is = dice.pick(['later', 'never', 'kills'] as const)
    return { submission, curse: isCursed ? { stage: dice.pick(plan.stages).id, is } : null }
  })
}

function filesOf(plan: Plan): string[] {
  return Object.values(plan.inputs).flatMap(({ binding }) =>
    binding.kind === 'table' ? binding.manifest.segments.map(({ file }) => file) : [],
  )
}

/** Nothing is left of anyone, but what tables name. */
async function cleanUp(world: World, database: Database): Promise<void> {
  const { agenda, disk, judge } = world
  for (const [id, { state }] of judge.queries) expect(state !== 'running', `${id} runs for ever`)
  await database.recount()
  // The last worker may be asleep, the last message on its way; then results are kept for a while.
  world.isClosing = true
  const until = agenda.now + world.options.keepMs + 25_000
  await agenda.run(() => agenda.now > until)
  const left = [...disk.keys()].filter((file) => file.startsWith('queries/'))
  expect(left.length === 0, `${left[0]} is left over`)
}

/** An import that was done is in its table, row by row as one process would have written it; others are not. */
async function checkTables(
  { disk, judge }: World,
  database: Database,
  queries: readonly RandomQuery[],
): Promise<void> {
  for (const { submission } of queries) {
    const { id, plan } = submission
    for (const { table, of } of plan.segments ?? []) {
      const isDone = judge.queries.get(id)?.state === 'done'
      const stage = plan.stages.find((one) => one.id === of.stage)!
      const wanted = isDone ? new PlainRun(plan).contentsOf(stage, of.output) : []
      const files = await database.segments(table)
      expect(
        files.map((file) => disk.get(file)).join() === wanted.join(),
        `table ${table} is not what ${id} was to put into it`,
      )
    }
  }
}
