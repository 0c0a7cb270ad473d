/** What operators change while the station runs. Read inside each operation, so that a change
 * holds from the next operation on, for every coordinator. */
import type { Sql } from '@minga/store'
import { BadSetting } from '../errors.ts'

export const STRATEGIES = ['democratic', 'least-busy', 'nearest', 'fastest'] as const
export type Strategy = (typeof STRATEGIES)[number]

export interface PlacementSettings {
  strategy: Strategy
  /** Requests that one agent may hold at a time, over all its blocks. */
  inHandMax: number
  /** Requests of one block at most: larger ones save questions, smaller ones lose less with an agent. */
  blockMax: number
}

const DEFAULT_SETTINGS: PlacementSettings = {
  // It evens out agents of any speed by itself, and needs to know nothing of them.
  strategy: 'least-busy',
  // As many as one question may ask for; a dead agent's hosts are out of reach for ten seconds.
  inHandMax: 10_000,
  blockMax: 10_000,
}

export async function placementSettings(sql: Sql): Promise<PlacementSettings> {
  const rows = await sql.all<{ name: string; value: string }>(
    `SELECT name, value FROM settings WHERE name IN ('strategy', 'inHandMax', 'blockMax')`,
  )
  const stored = Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value)]))
  return { ...DEFAULT_SETTINGS, ...(stored as Partial<PlacementSettings>) }
}

export interface SettingChange {
  now: number
  /** Who changed it, for the operators' eyes. */
  by: string | null
}

/**
 * From now on turns are assigned by this strategy. What is out stays out, what is assigned stays
 * assigned until it is taken or stolen by the new strategy's rule: nothing is lost by a switch.
 */
export async function setStrategy(
  sql: Sql,
  args: SettingChange & { strategy: string },
): Promise<void> {
  if (!STRATEGIES.some((strategy) => strategy === args.strategy)) {
    throw new BadSetting('strategy', `one of ${STRATEGIES.join(', ')}`)
  }
  await writeSetting(sql, { ...args, name: 'strategy', value: args.strategy })
}

export const setInHandMax = (
  sql: Sql,
  args: SettingChange & { inHandMax: number },
): Promise<void> => writeCount(sql, args, ['inHandMax', args.inHandMax])

export const setBlockMax = (sql: Sql, args: SettingChange & { blockMax: number }): Promise<void> =>
  writeCount(sql, args, ['blockMax', args.blockMax])

async function writeCount(
  sql: Sql,
  change: SettingChange,
  [name, value]: [name: string, value: number],
): Promise<void> {
  if (!Number.isSafeInteger(value) || value < 1) throw new BadSetting(name, 'a whole number from 1')
  await writeSetting(sql, { ...change, name, value })
}

async function writeSetting(
  sql: Sql,
  args: SettingChange & { name: string; value: string | number },
): Promise<void> {
  await sql.insertMany({
    table: 'settings',
    columns: ['name', 'value', 'changed_at', 'changed_by'],
    rows: [[args.name, JSON.stringify(args.value), args.now, args.by]],
    onConflict: { keys: ['name'], update: ['value', 'changed_at', 'changed_by'] },
  })
}
