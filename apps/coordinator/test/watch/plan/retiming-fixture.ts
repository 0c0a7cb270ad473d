/** The coordinator's operations, and besides: watched URLs as months of visits leave them, and their
 * plans. Loaded by the store. */
import { encodeBelief, newBelief, observeVisit, rateOf, type Belief } from '@minga/forecast'
import type { OperationTable, Sql, Value } from '@minga/store'
import { operations as coordinator } from '../../../src/operations.ts'
import { KNOWN_COLUMNS } from '../visits/forecast-columns-fixture.ts'
import type { ForecastRow } from '../../../src/watch/plan/forecast-rows.ts'

export { blobSeries } from '../../../src/operations.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

export interface Fill {
  collectionId: number
  count: number
  seed: number
  now: number
  /** All alike but for the last visit: the higher the hash, the longer ago. */
  isEven?: boolean
}

type Random = () => number

function randomOf(seed: number): Random {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const COLUMNS = [...KNOWN_COLUMNS, 'plan', 'policy_state']

const KINDS = 40

interface Drawing {
  random: Random
  beliefs: readonly Belief[]
}

async function fillForecasts(sql: Sql, args: Fill): Promise<void> {
  const random = randomOf(args.seed)
  const beliefs = Array.from({ length: KINDS }, () => learnt(args.now, random))
  const rows = Array.from({ length: args.count }, (_, i) =>
    args.isEven ? evenRow(args, i) : someRow(args, i, { random, beliefs }),
  )
  await sql.insertMany({ table: 'forecasts', columns: COLUMNS, rows })
}

function evenRow({ collectionId, now }: Fill, i: number): Value[] {
  const from = now - 20 * DAY_MS - i * HOUR_MS
  const url = `http://even.test/${i}`
  const planned = [now + 5 * DAY_MS, from - DAY_MS, from, 2, 0, 0, 0, null, null, null]
  return [collectionId, 1, i, url, 'page', 1, ...planned]
}

function someRow({ collectionId, now }: Fill, i: number, { random, beliefs }: Drawing): Value[] {
  const lastVisitAt = Math.round(now - random() ** 2 * 40 * DAY_MS)
  const belief = random() < 0.05 ? null : beliefs[Math.floor(random() * KINDS)]!
  const isNew = random() < 0.03
  const draw = random()
  const nextVisitAt = draw < 0.05 ? null : Math.round(now + (draw - 0.1) ** 2 * 20 * DAY_MS)
  const memory = random() < 0.05 ? '"test"' : random() < 0.5 ? 'null' : null
  return [
    collectionId,
    i % 7,
    i,
    `http://some-${i % 7}.test/${i}`,
    random() < 0.1 ? 'feed' : 'page',
    0.2 + 3 * random(),
    draw >= 0.05 && draw < 0.1 ? now - 1 : nextVisitAt,
    isNew ? null : now - 90 * DAY_MS,
    isNew ? null : lastVisitAt,
    30,
    Math.floor(random() * 3),
    random(),
    belief === null ? 0 : rateOf(belief).perDay,
    belief === null ? null : encodeBelief(belief),
    JSON.stringify({ policy: 'minga', at: nextVisitAt }),
    memory,
  ]
}

/** Fast and slow pages, some that change on every fetch, and some in working hours only. */
function learnt(until: number, random: Random): Belief {
  const belief = newBelief()
  const kind = random()
  const perDay = 0.01 * 2_000 ** random()
  const gapMs = kind < 0.2 ? 6 * HOUR_MS : DAY_MS
  const visits = kind < 0.2 ? 200 : 25
  for (let visit = 1; visit <= visits; visit++) {
    const at = until - (visits - visit) * gapMs
    const isWork = new Date(at).getUTCHours() >= 8 && new Date(at).getUTCHours() < 20
    const chance = kind < 0.2 ? (isWork ? 0.7 : 0.02) : kind < 0.3 ? 1 : -Math.expm1(-perDay)
    observeVisit(belief, { at, sinceMs: gapMs, changed: random() < chance })
  }
  return belief
}

export type PlanRow = Pick<
  ForecastRow,
  'collection_id' | 'hash' | 'role' | 'next_visit_at' | 'plan' | 'policy_state'
>

function allPlans(sql: Sql): Promise<PlanRow[]> {
  return sql.all(
    `SELECT collection_id, hash, role, next_visit_at, plan, policy_state FROM forecasts
     ORDER BY collection_id, hash`,
  )
}

export const operations = {
  ...coordinator,
  fillForecasts,
  allPlans,
} satisfies OperationTable

export type RetimingOperations = typeof operations
