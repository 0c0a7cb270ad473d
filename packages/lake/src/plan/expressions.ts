/**
 * Expressions are DuckDB's own SQL, and DuckDB itself is asked what they are: parsed to a tree that must hold nothing
 * but scalar parts, and bound to columns without rows, so that whatever cannot run is refused before anything does.
 * Only functions whose answer depends on nothing but their arguments are let in: a task may run twice, anywhere.
 */
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { sqlName } from '../kernel/sql-text.ts'
import type { Column, Expression } from '../model.ts'
import { nearNames } from './near-names.ts'
import { wrapped } from './clauses.ts'

/** An expression that was found to be harmless. */
export interface ReadExpression {
  text: Expression
  /** Columns of the step before that it reads. */
  reads: string[]
  /** It makes several rows of one. */
  isUnnest: boolean
  /** It is nothing but the name of this column. */
  isColumn: string | null
}

export type Refuse = (why: string) => Error

interface Parsed {
  class?: unknown
  [part: string]: unknown
}

const SCALAR_PARTS = new Set([
  'BETWEEN',
  'CASE',
  'CAST',
  'COLUMN_REF',
  'COMPARISON',
  'CONJUNCTION',
  'CONSTANT',
  'FUNCTION',
  'LAMBDA',
  'LAMBDA_REF',
  'OPERATOR',
])

const REFUSALS: Record<string, string> = {
  COLLATE: 'holds a collation; text is compared by its bytes everywhere',
  SUBQUERY: 'holds a query of its own; use a join',
  STAR: 'holds a star; name the columns',
  WINDOW: 'holds a window, which a task cannot see the whole of; use group, first, quantile or top',
  PARAMETER: 'holds a parameter without a name',
  POSITIONAL_REFERENCE: 'names a column by its number; use its name',
}

/** Said by DuckDB to depend on their arguments alone, though they ask the clock, the settings or the machine. */
const REFUSED = new Set([
  'current_localtime',
  'current_localtimestamp',
  'current_setting',
  'getenv',
  'getvariable',
  'json_serialize_plan',
  'vector_type',
  'version',
])

/** Functions that DuckDB writes in SQL; of the others of that kind some look at the catalogue or the session. */
const MACROS =
  /^(list_\w+|array_\w+|date_add|days_in_month|fdiv|fmod|json|map_contains_\w+|md5_number_\w+|nullif|round_even|roundbankers|split_part)$/u

export class Expressions {
  readonly #instance: DuckDBInstance
  readonly #connection: DuckDBConnection
  readonly #functions: ReadonlySet<string>
  readonly #aggregates: ReadonlySet<string>
  readonly #known = new Map<string, string[]>()

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection, rows: string[][]) {
    this.#instance = instance
    this.#connection = connection
    const ofKind = (kind: string) =>
      new Set(rows.filter(([, of]) => of === kind).map(([name]) => name ?? ''))
    this.#functions = ofKind('scalar')
    this.#aggregates = ofKind('aggregate')
  }

  static async open(): Promise<Expressions> {
    // The library is large: a process that plans nothing never loads it.
    const { DuckDBInstance } = await import('@duckdb/node-api')
    const instance = await DuckDBInstance.create(':memory:', {
      threads: '1',
      memory_limit: '256MB',
      enable_external_access: 'false',
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      lock_configuration: 'true',
    })
    const connection = await instance.connect()
    const rows = await connection.runAndReadAll(
      `SELECT function_name, function_type FROM duckdb_functions() WHERE function_type IN ('scalar', 'aggregate', 'macro')
       GROUP BY ALL HAVING bool_and(function_type = 'macro' OR stability = 'CONSISTENT')`,
    )
    const names = (rows.getRows() as string[][]).map(([name = '', kind = '']) =>
      kind === 'macro' ? [name, MACROS.test(name) ? 'scalar' : 'macro'] : [name, kind],
    )
    return new Expressions(instance, connection, names)
  }

  close(): void {
    this.#connection.closeSync()
    this.#instance.closeSync()
  }

  /** Is it one scalar expression over these columns? */
  async read(
    text: Expression,
    columns: readonly Column[],
    refuse: Refuse,
  ): Promise<ReadExpression> {
    const tree = await this.#parse(text, refuse)
    const names = new Map(columns.map(({ name }) => [name.toLowerCase(), name]))
    const found: Found = { reads: new Set(), isUnnest: false }
    this.#walk(tree, { names, lambda: new Set(), found, refuse })
    const isColumn =
      tree.class === 'COLUMN_REF' && (tree['column_names'] as string[]).length === 1
        ? ([...found.reads][0] ?? null)
        : null
    return { text, reads: [...found.reads], isUnnest: found.isUnnest, isColumn }
  }

  /** Types of expressions over columns; whatever DuckDB cannot bind is refused in its words. */
  async types(
    columns: readonly Column[],
    expressions: readonly Expression[],
    refuse: Refuse,
  ): Promise<string[]> {
    if (expressions.length === 0) return []
    const from = columns.map(({ name, type }) => `CAST(NULL AS ${type}) AS ${sqlName(name)}`)
    const asked = expressions.map((text, place) => `${wrapped(text)} AS c${place}`)
    const sql = `DESCRIBE SELECT ${asked.join(', ')} FROM (SELECT ${from.join(', ')})`
    const known = this.#known.get(sql)
    if (known !== undefined) return known
    const rows = await this.#ask(sql, refuse)
    const types = rows.map((row) => String(row[1]))
    this.#known.set(sql, types)
    return types
  }

  /** The value of a sum without columns, as text of this type. Here it is computed, so functions are not let in. */
  async constant(text: Expression, type: string, refuse: Refuse): Promise<string> {
    if (!/^[0-9.+*/() -]+$/u.test(text) || text.includes('--')) {
      throw refuse(`"${text}" must be a number, or numbers with + - * / between them`)
    }
    const rows = await this.#ask(
      `SELECT CAST(CAST(${wrapped(text)} AS ${type}) AS VARCHAR)`,
      refuse,
    )
    const value = rows[0]?.[0]
    if (typeof value !== 'string') throw refuse(`"${text}" has no value`)
    return value
  }

  async #ask(sql: string, refuse: Refuse): Promise<unknown[][]> {
    try {
      return (await this.#connection.runAndReadAll(sql)).getRowsJson()
    } catch (error) {
      throw refuse(reasonOf(error))
    }
  }

  async #parse(text: Expression, refuse: Refuse): Promise<Parsed> {
    const sql = `SELECT ${wrapped(text)}`
    const rows = await this.#ask(
      `SELECT json_serialize_sql('${sql.replaceAll("'", "''")}')`,
      refuse,
    )
    const answer = JSON.parse(String(rows[0]?.[0])) as Serialized
    const node = answer.statements?.[0]?.node
    if (answer.error || node === undefined) {
      throw refuse(`"${text}" cannot be read: ${answer.error_message ?? 'it is no expression'}`)
    }
    const only = node.select_list?.[0]
    const isOne =
      answer.statements?.length === 1 &&
      node.type === 'SELECT_NODE' &&
      node.select_list?.length === 1 &&
      node.from_table?.type === 'EMPTY' &&
      [node.where_clause, node.having, node.qualify, node.sample].every((part) => part === null) &&
      [node.modifiers, node.group_expressions, node.cte_map?.map].every((of) => of?.length === 0)
    if (!isOne || only === undefined || only['alias'] !== '') {
      throw refuse(`"${text}" is more than one expression`)
    }
    return only
  }

  #walk(part: unknown, walk: Walk): void {
    if (Array.isArray(part)) for (const one of part) this.#walk(one, walk)
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return
    const parsed = part as Parsed
    if (typeof parsed.class === 'string' && !SCALAR_PARTS.has(parsed.class)) {
      throw walk.refuse(REFUSALS[parsed.class] ?? `holds a ${parsed.class.toLowerCase()}`)
    }
    if (parsed.class === 'CONSTANT') return
    if (parsed.class === 'COLUMN_REF') return noteColumn(parsed['column_names'] as string[], walk)
    if (parsed.class === 'FUNCTION') this.#checkFunction(parsed, walk)
    const inner =
      parsed.class === 'LAMBDA'
        ? { ...walk, lambda: new Set([...walk.lambda, ...namesIn(parsed['lhs'])]) }
        : walk
    for (const child of Object.values(parsed)) this.#walk(child, inner)
  }

  #checkFunction(call: Parsed, walk: Walk): void {
    const name = String(call['function_name']).toLowerCase()
    if (name === 'unnest') {
      walk.found.isUnnest = true
      return
    }
    // Lists and other forms of its own DuckDB reads as calls of functions in `main`.
    const isBare = ['', 'main'].includes(String(call['schema'])) && call['catalog'] === ''
    if (this.#functions.has(name) && !REFUSED.has(name) && isBare) {
      if (name !== 'age' || (call['children'] as unknown[]).length > 1) return
    }
    if (this.#aggregates.has(name)) throw walk.refuse(`${name}() sums up rows; use a group step`)
    const names = [...this.#functions].filter((known) => /^[a-z]/u.test(known))
    const near = nearNames(name, names)
    throw walk.refuse(
      `${name}() is no function of its arguments alone that is known here` +
        (near.startsWith('; near') ? near : ''),
    )
  }
}

interface Serialized {
  error: boolean
  error_message?: string
  statements?: {
    node: {
      type: string
      select_list?: Parsed[]
      from_table?: { type: string }
      where_clause: unknown
      having: unknown
      qualify: unknown
      sample: unknown
      modifiers?: unknown[]
      group_expressions?: unknown[]
      cte_map?: { map: unknown[] }
    }
  }[]
}

interface Found {
  reads: Set<string>
  isUnnest: boolean
}

interface Walk {
  /** In small letters → as the column is called. */
  names: ReadonlyMap<string, string>
  lambda: ReadonlySet<string>
  found: Found
  refuse: Refuse
}

/** A bare word that is no column could be `current_date` or `user`, which DuckDB takes for a function. */
function noteColumn(path: string[], { names, lambda, found, refuse }: Walk): void {
  const [first = ''] = path
  if (lambda.has(first.toLowerCase())) return
  const name = names.get(first.toLowerCase())
  if (name === undefined) {
    throw refuse(`there is no column "${first}"${nearNames(first, [...names.values()])}`)
  }
  found.reads.add(name)
}

function namesIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return []
  if (Array.isArray(part)) return part.flatMap(namesIn)
  const { column_names: path, ...rest } = part as Parsed
  return Array.isArray(path)
    ? path.map((name) => String(name).toLowerCase())
    : Object.values(rest).flatMap(namesIn)
}

/** DuckDB's sentence without its kind and without the picture of the statement. */
function reasonOf(error: unknown): string {
  const [text = ''] = (error instanceof Error ? error.message : String(error)).split('\n\nLINE')
  return text.replace(/^\w+ Error: /u, '').replaceAll(/\s*\n\s*/gu, ' ')
}
