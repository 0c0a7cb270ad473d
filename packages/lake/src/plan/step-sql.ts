/** The statement of each step, over the names by which a task knows what it reads. */
import { sqlName } from '../kernel/sql-text.ts'
import type { Order } from '../model.ts'
import { rankSql } from './group-sql.ts'
import { neededOf } from './needs.ts'
import { ROW, type Node, type Work } from './nodes.ts'
import { listed, ordered, wrapped } from './clauses.ts'

type Of<Step extends Work['step']> = Extract<Work, { step: Step }>

/** By which its rows are known to the statements of a task. */
export const nameOf = ({ id, work }: Node): string =>
  work.step === 'scan' ? `input_${work.input}` : `n${id}`

/** The whole of a node that came from other tasks. */
export const wholeNameOf = (node: Node): string => `${nameOf(node)}_whole`

export function filterSql(node: Node, { from, where }: Of<'filter'>): string {
  return `${select(node, nameOf(from))} WHERE ${wrapped(where.text)}`
}

export function projectSql({ needed }: Node, { from, columns }: Of<'project'>): string {
  const made = columns
    .filter(({ name }) => needed.has(name))
    .map(({ name, of, type }) =>
      // Of its own type already, but for integers of 128 bits.
      type === 'DECIMAL(38,0)'
        ? `CAST(${wrapped(of.text)} AS ${type}) AS ${sqlName(name)}`
        : `${wrapped(of.text)} AS ${sqlName(name)}`,
    )
  const row = needed.has(ROW) ? [sqlName(ROW)] : []
  return `SELECT ${[...made, ...row].join(', ')} FROM ${sqlName(nameOf(from))}`
}

/** Of the rows of one task, or of those that several found to be first among theirs. */
export function firstSql(node: Node, { from, by }: Of<'first'>, name: string): string {
  return firstRows(neededOf(node), { from, by }, name)
}

/** Those that found theirs keep whatever is needed to compare them. */
export function firstPartSql(node: Node, { from, by }: Of<'first'>): string {
  const all = from.row === 'repeated' ? namesOf(from) : []
  const columns = [...new Set([...neededOf(node), ...by, ...all, ROW])]
  return firstRows(columns, { from, by }, nameOf(from))
}

function firstRows(
  columns: string[],
  { from, by }: Omit<Of<'first'>, 'step'>,
  name: string,
): string {
  const select = `SELECT ${listed(columns)} FROM ${sqlName(name)}`
  if (from.row === 'unique') {
    const firsts = `SELECT min(${sqlName(ROW)}) FROM ${sqlName(name)} GROUP BY ${listed(by)}`
    return `${select} WHERE ${sqlName(ROW)} IN (${firsts})`
  }
  // Several rows were made of one row of the input: all their columns order them.
  const order = ordered([ROW, ...namesOf(from)].map((column) => ({ column })))
  return `${select} QUALIFY row_number() OVER (PARTITION BY ${listed(by)} ORDER BY ${order}) = 1`
}

const JOINS = { inner: 'JOIN', left: 'LEFT JOIN', semi: 'SEMI JOIN', anti: 'ANTI JOIN' }

export function joinSql(
  node: Node,
  { from, on, kind }: Of<'join'>,
  sides: [string, string],
): string {
  const [left, right] = sides
  const lefts = new Set([...namesOf(from), ROW])
  const columns = neededOf(node).map((name) =>
    lefts.has(name) ? `l.${sqlName(name)}` : `r.${sqlName(name)}`,
  )
  const keys = on.map(([one, other]) => `l.${sqlName(one)} = r.${sqlName(other)}`).join(' AND ')
  return `SELECT ${columns.join(', ')} FROM ${sqlName(left)} l ${JOINS[kind]} ${sqlName(right)} r ON ${keys}`
}

/** How often each value is there: all that a rank needs to know. */
export function ranksSql({ from, of }: Of<'threshold'>, type: string): string {
  const value = `CAST(${wrapped(of.text)} AS ${type})`
  return `SELECT ${value} AS "_value", count(*) AS "_rows" FROM ${sqlName(nameOf(from))} WHERE ${wrapped(of.text)} IS NOT NULL GROUP BY ALL`
}

export function thresholdSql({ q }: Of<'threshold'>, name: string): string {
  const counted = `SELECT "_value", sum("_rows") OVER (ORDER BY "_value") AS "_upto", sum("_rows") OVER () AS "_all" FROM ${sqlName(name)}`
  return `SELECT min("_value") AS "_threshold" FROM (${counted}) WHERE "_upto" >= ${rankSql('"_all"', q)}`
}

export function quantileSql(node: Node, { from, of, keep }: Of<'quantile'>, at: string): string {
  const columns = neededOf(node).map((name) => `l.${sqlName(name)}`)
  const compare = keep === 'from' ? '>=' : '<'
  return `SELECT ${columns.join(', ')} FROM ${sqlName(nameOf(from))} l, ${sqlName(at)} WHERE ${wrapped(of.text)} ${compare} "_threshold"`
}

/** Ties are broken by all columns in their order, so that every task finds the same rows on top. */
export function topSql(node: Node, { from, rows, by }: Of<'top'>, name: string): string {
  const order = [...by, ...tieBreakers(by, namesOf(from))]
  return `${select(node, name)} ORDER BY ${ordered(order)} LIMIT ${rows}`
}

export const tieBreakers = (by: readonly Order[], columns: readonly string[]): Order[] =>
  columns
    .filter((column) => !by.some((order) => order.column === column))
    .map((column) => ({ column }))

const select = (node: Node, name: string): string =>
  `SELECT ${listed(neededOf(node))} FROM ${sqlName(name)}`

const namesOf = ({ columns }: Node): string[] => columns.map(({ name }) => name)
