/**
 * From queries to a plan: resolve → needs → sites → stages. The same queries of the same inputs
 * always give the same plan, letter for letter: a task that is repeated after a crash is exactly
 * the same task. The number of workers does not matter; the sizes of the inputs do.
 */
import { BadQuery } from '../errors.ts'
import { sqlName } from '../kernel/sql-text.ts'
import type { Binding, Order, Plan, Query } from '../model.ts'
import { checkQuery } from './check-query.ts'
import { Expressions } from './expressions.ts'
import { printedMean } from './group-sql.ts'
import { PlanInputs } from './inputs.ts'
import { nearNames } from './near-names.ts'
import { spreadNeeds } from './needs.ts'
import { MEAN, type Node } from './nodes.ts'
import { constantsOf } from './parameters.ts'
import { Nodes, resolveStep } from './resolve.ts'
import { Sites, type Piece } from './sites.ts'
import { stagesOf } from './stages.ts'
import { nameOf, tieBreakers } from './step-sql.ts'

export interface QueryRequest {
  query: Query
  /** Instead of its defaults. */
  parameters?: Readonly<Record<string, string | number>>
}

export interface PlanOptions {
  /** How results are written. */
  format: 'csv' | 'jsonl' | 'parquet'
  /** Of every shuffle; by the size of the inputs when left out. */
  partitions?: number
}

export async function planQueries(
  asked: readonly QueryRequest[],
  bindings: Readonly<Record<string, Binding>>,
  options: PlanOptions,
): Promise<Plan> {
  const queries = asked.map(({ query, parameters = {} }) => ({
    query: checkQuery(query),
    parameters,
  }))
  refuseTwice(queries.map(({ query }) => query.name))
  const expressions = await Expressions.open()
  try {
    const inputs = new PlanInputs(bindings)
    const nodes = new Nodes(expressions, inputs, options.partitions)
    const results: Result[] = []
    for (const { query, parameters } of queries) {
      const constants = constantsOf(query, parameters)
      const { node } = await resolveStep(query.from, { nodes, query, constants, side: '' })
      results.push(resultOf(query, node, results.length + 1))
    }
    spreadNeeds(
      nodes.all,
      results.map(({ node }) => node),
    )
    return planOf(inputs, results, options)
  } finally {
    expressions.close()
  }
}

interface Result {
  query: Query
  node: Node
  /** Name of the statement that gives it. */
  as: string
  /** Of the file; ties are broken by all columns, so that it is always the same. */
  order: Order[]
  /** What the statement selects: the columns, and what they are ordered by if that is not one of them as printed. */
  selects: { name: string; sql: string }[]
}

function resultOf(query: Query, node: Node, number: number): Result {
  const wanted = query.output.columns.map((name) => columnOf(name, node, query))
  const order: Order[] = []
  const selects = wanted.map(({ name, type }) => ({
    name,
    sql: type === MEAN ? printedMean(name) : sqlName(name),
  }))
  for (const { column, descending = false } of query.output.order) {
    const { name, type } = columnOf(column, node, query)
    const isPrinted = type !== MEAN && wanted.some((one) => one.name === name)
    const by = isPrinted ? name : `_order${order.length + 1}`
    if (!isPrinted) selects.push({ name: by, sql: sqlName(name) })
    order.push({ column: by, descending })
    node.needed.add(name)
  }
  for (const { name } of wanted) node.needed.add(name)
  const names = wanted.map(({ name }) => name)
  order.push(...tieBreakers(order, names))
  return { query, node, as: `r${number}`, order, selects }
}

function columnOf(wanted: string, { columns }: Node, query: Query) {
  const column = columns.find(({ name }) => name.toLowerCase() === wanted.toLowerCase())
  if (column !== undefined) return column
  const names = columns.map(({ name }) => name)
  throw new BadQuery(
    `${query.name}, output: there is no column "${wanted}"${nearNames(wanted, names)}.`,
  )
}

function refuseTwice(names: string[]): void {
  if (names.length === 0) throw new BadQuery('No query was asked for.')
  const twice = names.find((name, place) => names.indexOf(name) !== place)
  if (twice !== undefined) throw new BadQuery(`"${twice}" was asked for twice in one run.`)
}

function planOf(inputs: PlanInputs, results: Result[], { format }: PlanOptions): Plan {
  const sites = new Sites()
  for (const result of results) addResult(sites, result, format)
  const { stages, idOf } = stagesOf(sites)
  return {
    stages,
    inputs: inputs.used(),
    results: results.map(({ query, selects }) => ({
      query: query.name,
      columns: selects.map(({ name }) => name).filter((name) => !name.startsWith('_')),
      rows: idOf(rowsName(query)),
      file: idOf(query.name),
    })),
  }
}

const rowsName = ({ name }: Query): string => `${name}-rows`

/** Rows as they come, and the file in its order: by the same task when it has all rows, by one after all else if not. */
function addResult(sites: Sites, result: Result, format: PlanOptions['format']): void {
  const { query, node, as, order, selects } = result
  const site = sites.locate(node)
  const made = selects.map(({ name, sql }) => `${sql} AS ${sqlName(name)}`)
  const piece: Piece = {
    order: Number.MAX_SAFE_INTEGER,
    words: `rows of ${query.name}`,
    reads: [nameOf(node)],
    isHeavy: false,
    does: { sql: `SELECT ${made.join(', ')} FROM ${sqlName(nameOf(node))}` },
  }
  site.pieces.set(as, piece)
  sites.output(site, rowsName(query), { from: as, format: 'parquet' })
  const columns = selects.map(({ name }) => name).filter((name) => !name.startsWith('_'))
  const file = { columns, order, format }
  if (node.place.cut?.length === 0) {
    sites.output(site, query.name, { from: as, ...file })
    return
  }
  const last = sites.site(as, node.place.wave + 1, { over: 'one' })
  last.reads.set(`${as}_in`, { from: 'output', output: rowsName(query), part: 'whole' })
  sites.output(last, query.name, { from: `${as}_in`, ...file })
}
