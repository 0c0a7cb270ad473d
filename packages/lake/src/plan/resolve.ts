/** From the steps of a query to nodes: parameters filled in, expressions read, columns known, names wrong refused. */
import { BadQuery } from '../errors.ts'
import { sqlName } from '../kernel/sql-text.ts'
import type { Column, Expression, Order, Query, Step } from '../model.ts'
import { stepName } from './check-query.ts'
import type { Expressions, ReadExpression, Refuse } from './expressions.ts'
import type { PlanInputs } from './inputs.ts'
import { nearNames } from './near-names.ts'
import { MEAN, QUANTILE_UNITS, type Aggregated, type Node, type Work } from './nodes.ts'
import { withConstants, type Constants } from './parameters.ts'
import { placeOf, placeOfInput } from './place-node.ts'

/** Nodes of all queries that are planned together. */
export class Nodes {
  readonly all: Node[] = []
  readonly expressions: Expressions
  readonly inputs: PlanInputs
  readonly #byKey = new Map<string, Node>()
  readonly #partitions: number | undefined

  constructor(expressions: Expressions, inputs: PlanInputs, partitions: number | undefined) {
    this.expressions = expressions
    this.inputs = inputs
    this.#partitions = partitions
  }

  /** The node that does this, new or known. */
  add(work: Work, columns: Column[], row: Node['row']): Node {
    const key = JSON.stringify(work, (_, part: unknown) =>
      typeof part === 'bigint' ? part.toString() : isNode(part) ? `n${part.id}` : part,
    )
    const known = this.#byKey.get(key)
    if (known !== undefined) return known
    const id = this.all.length + 1
    const place =
      work.step === 'scan'
        ? placeOfInput(work.input, this.inputs.bindingOf(work.input))
        : placeOf(work, { id, partitions: this.#partitions })
    const node: Node = { id, work, columns, needed: new Set(), row, place }
    this.all.push(node)
    this.#byKey.set(key, node)
    return node
  }
}

const isNode = (part: unknown): part is Node =>
  typeof part === 'object' && part !== null && 'needed' in part

/** What one query knows while its steps are resolved. */
export interface Resolving {
  nodes: Nodes
  query: Query
  constants: Constants
  /** Of the right side of a join: which one. */
  side: string
}

interface Resolved {
  node: Node
  /** Of its step, counted from the scan. */
  number: number
}

export async function resolveStep(step: Step, resolving: Resolving): Promise<Resolved> {
  const below = step.step === 'scan' ? null : await resolveStep(step.from, resolving)
  const number = (below?.number ?? 0) + 1
  const at = stepName(number, step.step, resolving.side)
  const refuse: Refuse = (why) => new BadQuery(`${resolving.query.name}${at}: ${why}.`)
  if (step.step === 'scan' || below === null) {
    return { node: scanned(step as Extract<Step, { step: 'scan' }>, resolving, refuse), number }
  }
  const there: There = { ...resolving, side: `${at}, right side`, from: below.node, refuse }
  const resolve = RESOLVERS[step.step] as (step: Step, there: There) => Promise<Node>
  return { node: await resolve(step, there), number }
}

interface There extends Resolving {
  from: Node
  refuse: Refuse
}

type Resolver<Kind extends Step['step']> = (
  step: Extract<Step, { step: Kind }>,
  there: There,
) => Promise<Node>

const RESOLVERS: { [Kind in Exclude<Step['step'], 'scan'>]: Resolver<Kind> } = {
  filter: async ({ where }, there) => {
    const { from, nodes } = there
    const [read, type] = await typed(where, there)
    if (type !== 'BOOLEAN') throw there.refuse(`"${where}" is ${type}, not true or false`)
    if (read.isUnnest) throw there.refuse('unnest() belongs into a project step')
    return addFilter(nodes, from, read)
  },

  project: async ({ columns }, there) => {
    const { from, nodes } = there
    const made = []
    for (const [name, expression] of Object.entries(columns)) {
      const [of, type] = await typed(expression, there)
      made.push({ name, of, type: storable(type) })
    }
    const given = made.map(({ name, type }) => ({ name, type }))
    refuseTwice(given, there.refuse)
    const isRepeated = from.row !== 'none' && made.some(({ of }) => of.isUnnest)
    return nodes.add(
      { step: 'project', from, columns: made },
      given,
      isRepeated ? 'repeated' : from.row,
    )
  },

  first: async ({ by }, there) => {
    const { from, nodes, refuse } = there
    if (from.row === 'none') {
      throw refuse('its rows have lost the order of the input; use first before group and top')
    }
    return nodes.add({ step: 'first', from, by: named(by, from, refuse) }, from.columns, from.row)
  },

  join: async (step, there) => {
    const { from, nodes, refuse } = there
    const { node: right } = await resolveStep(step.with, there)
    const on = step.on.map((pair): [string, string] => {
      const [left, other] = typeof pair === 'string' ? [pair, pair] : pair
      const keys = [columnOf(left, from, refuse), columnOf(other, right, refuse)] as const
      if (keys[0].type !== keys[1].type) {
        throw refuse(`${left} is ${keys[0].type} and ${other} is ${keys[1].type}; cast one of them`)
      }
      return [keys[0].name, keys[1].name]
    })
    const isOneSided = step.kind === 'semi' || step.kind === 'anti'
    const added = right.columns.filter(({ name }) => !on.some(([, key]) => key === name))
    const columns = isOneSided ? from.columns : [...from.columns, ...added]
    refuseTwice(columns, refuse)
    const row = from.row === 'none' || isOneSided ? from.row : 'repeated'
    const { kind, how } = step
    return nodes.add({ step: 'join', from, with: right, on, kind, how }, columns, row)
  },

  group: async (step, there) => {
    const { from, nodes, refuse } = there
    const by = named(step.by, from, refuse)
    const aggregates: Aggregated[] = []
    for (const [name, aggregate] of Object.entries(step.aggregates)) {
      const [of, type] =
        aggregate.of === undefined ? [null, 'BIGINT'] : await typed(aggregate.of, there)
      if (of?.isUnnest) throw refuse('unnest() belongs into a project step')
      const q = aggregate.is === 'quantile' ? await quantileOf(aggregate.q, there) : null
      aggregates.push({ name, is: aggregate.is, of, type, q })
    }
    if (by.length + aggregates.length === 0) throw refuse('it has neither keys nor aggregates')
    const keys = by.map((name) => columnOf(name, from, refuse))
    const made = aggregates.map((of) => ({ name: of.name, type: aggregateType(of, refuse) }))
    refuseTwice([...keys, ...made], refuse)
    return nodes.add({ step: 'group', from, by, aggregates }, [...keys, ...made], 'none')
  },

  quantile: async (step, there) => {
    const { from, nodes } = there
    const [of, type] = await typed(step.of, there)
    const q = await quantileOf(step.q, there)
    const at = nodes.add(
      { step: 'threshold', from, of, q },
      [{ name: '_threshold', type: storable(type) }],
      'none',
    )
    const { keep } = step
    return nodes.add({ step: 'quantile', from, at, of, keep }, from.columns, from.row)
  },

  top: async (step, there) => {
    const { from, nodes, refuse } = there
    const text = String(step.rows)
    const filled = withConstants(text, there.constants, refuse)
    const rows = BigInt(await nodes.expressions.constant(filled, 'BIGINT', refuse))
    if (rows < 1n) throw refuse(`${text} must be at least 1`)
    const by: Order[] = step.by.map(({ column, descending = false }) => ({
      column: columnOf(column, from, refuse).name,
      descending,
    }))
    return nodes.add({ step: 'top', from, rows, by }, from.columns, 'none')
  },

  rowFunction: async (step, there) => {
    const { from, nodes, refuse } = there
    const of = []
    for (const expression of step.of) of.push((await typed(expression, there))[0])
    await nodes.expressions.types(from.columns, [`CAST(NULL AS ${step.as.type})`], refuse)
    const columns = [...from.columns, step.as]
    refuseTwice(columns, refuse)
    const { function: name, as } = step
    return nodes.add({ step: 'rowFunction', from, function: name, of, as }, columns, from.row)
  },
}

function scanned(
  step: Extract<Step, { step: 'scan' }>,
  { nodes, query }: Resolving,
  refuse: Refuse,
): Node {
  if (!Object.hasOwn(query.inputs, step.input)) {
    throw refuse(
      `the query has no input "${step.input}"${nearNames(step.input, Object.keys(query.inputs))}`,
    )
  }
  const { name, columns } = nodes.inputs.use(query, step.input)
  return nodes.add({ step: 'scan', input: name }, columns, 'unique')
}

async function typed(
  expression: Expression,
  { nodes, from, constants, refuse }: There,
): Promise<[ReadExpression, string]> {
  const asked = expression.trim()
  // A column may be called as SQL calls something else: `at`, `end`, `review/score`.
  const isName = from.columns.some(({ name }) => name === asked)
  const text = isName ? sqlName(asked) : withConstants(asked, constants, refuse)
  const read = await nodes.expressions.read(text, from.columns, refuse)
  const [type = ''] = await nodes.expressions.types(from.columns, [text], refuse)
  return [read, type]
}

/** A number above 0 and up to 1, exactly as it is written: 0.9 is nine tenths. */
async function quantileOf(text: string, there: There): Promise<bigint> {
  const { nodes, constants, refuse } = there
  const filled = withConstants(text, constants, refuse)
  const value = await nodes.expressions.constant(filled, 'DECIMAL(18,9)', refuse)
  const q = BigInt(value.replace('.', ''))
  if (q <= 0n || q > QUANTILE_UNITS) throw refuse(`q is ${value}; it must be above 0 and at most 1`)
  return q
}

function named(names: string[], from: Node, refuse: Refuse): string[] {
  return [...new Set(names.map((name) => columnOf(name, from, refuse).name))]
}

function columnOf(name: string, { columns }: Node, refuse: Refuse): Column {
  const column = columns.find((of) => of.name.toLowerCase() === name.toLowerCase())
  if (column !== undefined) return column
  const names = columns.map((of) => of.name)
  throw refuse(`there is no column "${name}"${nearNames(name, names)}`)
}

function refuseTwice(columns: Column[], refuse: Refuse): void {
  const seen = new Set<string>()
  for (const { name } of columns) {
    if (seen.has(name.toLowerCase())) {
      throw refuse(`two columns are called "${name}"; give one another name in a project step`)
    }
    seen.add(name.toLowerCase())
  }
}

/** Parquet has no integers of 128 bits: DuckDB would write them as floating point, and lose digits. */
const storable = (type: string): string => (/^U?HUGEINT$/u.test(type) ? 'DECIMAL(38,0)' : type)

function aggregateType({ name, is, type }: Aggregated, refuse: Refuse): string {
  if (is === 'count' || is === 'distinct') return 'BIGINT'
  if (is === 'list') return `${storable(type)}[]`
  if (is === 'min' || is === 'max' || is === 'quantile') return storable(type)
  const scale = scaleOf(type)
  if (scale === null) {
    throw refuse(
      `${is} "${name}" is over ${type}, of which sums are not exact; cast it to DECIMAL(18,6) or an integer`,
    )
  }
  return is === 'avg' ? MEAN : `DECIMAL(38,${scale})`
}

/** Decimals of a number that can be added exactly; null: it cannot. */
export function scaleOf(type: string): number | null {
  if (/^U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?$/u.test(type)) return 0
  const scale = /^DECIMAL\(\d+,(\d+)\)$/u.exec(type)?.[1]
  return scale === undefined || Number(scale) > 18 ? null : Number(scale)
}

/**
 * A filter as far down as it can go. Within a stage DuckDB sees to that itself; here it is taken past what DuckDB
 * cannot see through: shuffles, and row functions, which cost more than everything else. Not past `first`: several
 * queries mostly share it, and rows that are thrown away before it would make it another one for each.
 */
function addFilter(nodes: Nodes, from: Node, where: ReadExpression): Node {
  const { work, columns, row } = from
  const isOver = (names: readonly string[]): boolean =>
    where.reads.length > 0 && where.reads.every((name) => names.includes(name))
  if (work.step === 'rowFunction' && !where.reads.includes(work.as.name)) {
    return nodes.add({ ...work, from: addFilter(nodes, work.from, where) }, columns, row)
  }
  if (work.step === 'group' && isOver(work.by)) {
    return nodes.add({ ...work, from: addFilter(nodes, work.from, where) }, columns, row)
  }
  const side = work.step === 'join' && work.how === 'shuffle' ? sideOf(work, isOver) : null
  if (work.step === 'join' && side !== null) {
    return nodes.add({ ...work, [side]: addFilter(nodes, work[side], where) }, columns, row)
  }
  return nodes.add({ step: 'filter', from, where }, columns, row)
}

/** Which side alone decides; the right one only where rows without a partner are dropped anyway. */
function sideOf(
  work: Extract<Work, { step: 'join' }>,
  isOver: (names: readonly string[]) => boolean,
): 'from' | 'with' | null {
  const names = ({ columns }: Node) => columns.map(({ name }) => name)
  if (isOver(names(work.from))) return 'from'
  return work.kind === 'inner' && isOver(names(work.with)) ? 'with' : null
}
