/** When everything was asked to be visited: such a round is no plan, and no wish for one watch either. */
import type { Sql } from '@minga/store'
import { readFact, writeFact } from '../../station/station-facts.ts'

const NAME = 'visitRounds'
/** The oldest are forgotten: only the latest visits are explained. */
const ROUNDS_MOST = 200

export interface AskedRound {
  at: number
  /** Whose watches were visited; null: everyone's. */
  owner: string | null
}

export async function askedRounds(sql: Sql): Promise<AskedRound[]> {
  return JSON.parse((await readFact(sql, { name: NAME })) ?? '[]') as AskedRound[]
}

export async function noteRound(sql: Sql, round: AskedRound): Promise<void> {
  const rounds = [...(await askedRounds(sql)), round].slice(-ROUNDS_MOST)
  await writeFact(sql, { name: NAME, value: JSON.stringify(rounds) })
}
