/** What a station knows of its own place in a federation. */
import { ROUTING_MODES, type RoutingMode } from '@minga/protocol'
import type { Sql } from '@minga/store'

export interface FederationFacts {
  /** This station's id. */
  self: string
  registrar: string
  term: number
  /** Up to here the map has taken effect. */
  epoch: number
  mode: RoutingMode
}

const NAMES: Record<keyof FederationFacts, string> = {
  self: 'federation.self',
  registrar: 'federation.registrar',
  term: 'federation.term',
  epoch: 'federation.epoch',
  mode: 'federation.mode',
}
const ALL_NAMES = Object.values(NAMES)
const MARKS = ALL_NAMES.map(() => '?').join(', ')

/** This station's id; null at one that collects alone. */
export async function readSelf(sql: Sql): Promise<string | null> {
  const row = await sql.get<{ value: string }>(
    `SELECT value FROM station_facts WHERE name = 'federation.self'`,
  )
  return row?.value ?? null
}

/** Null at a station that collects alone. */
export async function readFederation(sql: Sql): Promise<FederationFacts | null> {
  const rows = await sql.all<{ name: string; value: string }>(
    `SELECT name, value FROM station_facts WHERE name IN (${MARKS})`,
    ALL_NAMES,
  )
  const facts = new Map(rows.map(({ name, value }) => [name, value]))
  const self = facts.get(NAMES.self)
  if (self === undefined) return null
  return {
    self,
    registrar: facts.get(NAMES.registrar) ?? self,
    term: Number(facts.get(NAMES.term) ?? 0),
    epoch: Number(facts.get(NAMES.epoch) ?? 0),
    mode: ROUTING_MODES.find((mode) => mode === facts.get(NAMES.mode)) ?? 'hash',
  }
}

export async function writeFederation(sql: Sql, facts: Partial<FederationFacts>): Promise<void> {
  const names = Object.keys(facts) as (keyof FederationFacts)[]
  await sql.insertMany({
    table: 'station_facts',
    columns: ['name', 'value'],
    rows: names.map((name) => [NAMES[name], String(facts[name])]),
    onConflict: { keys: ['name'], update: ['value'] },
  })
}

export async function forgetFederation(sql: Sql): Promise<void> {
  await sql.run(`DELETE FROM station_facts WHERE name LIKE 'federation.%'`)
}
