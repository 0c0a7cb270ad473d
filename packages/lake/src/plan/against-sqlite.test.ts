// Goal: every step means the same as plain SQL. Method: random trees of steps over three inputs
// with awkward values, each compared with the same tree as a SELECT for SQLite, which shares no
// code with DuckDB; once in single tasks, and once cut into several, which must not change a byte.
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { Binding, InputRules, Query } from '../model.ts'
import { count, defineQuery, distinct, max, min, quantile, scan, sum } from './define-query.ts'
import { PlanBench, sent } from '../../test/plan/plan-fixture.ts'
import { planQueries } from './plan-queries.ts'

/** A seed of its own in every long run. */
const COUNT = process.env['MINGA_LONG'] === '1' ? { numRuns: 300 } : { numRuns: 6, seed: 11 }

type Rows = ReturnType<typeof scan>

/** The same rows for both, with the columns of COLUMNS. */
interface Tree {
  rows: Rows
  sql: string
}

const COLUMNS = ['k', 'g', 'i', 'd'] as const
const NAMES = ['t1', 't2', 't3'] as const
const rules: InputRules = {
  columns: {
    k: { type: 'text' },
    g: { type: 'text' },
    i: { type: 'integer' },
    d: { type: 'number' },
  },
}
const inputs = { t1: rules, t2: rules, t3: rules }

const TEXTS = ['a', 'b', 'A', 'zz', '', 'é', 'e\u0301', 'ß', '0', "o'q", '"', 'x\ny', '\u{10000}']
const INTEGERS = [
  '0',
  '1',
  '2',
  '3',
  '-1',
  '-2',
  '7',
  '',
  '-0',
  `${2n ** 63n - 1n}`,
  `-${2n ** 63n}`,
]
const NUMBERS = ['0', '-0', '0.0', '1.5', '-1.5', '', '0.1', '0.30000000000000004', '1e-320', '3']

type Grow = (tree: Tree, other: Tree) => Tree

const filtered =
  (condition: string): Grow =>
  ({ rows, sql }) => ({
    rows: rows.filter(condition),
    sql: `SELECT * FROM (${sql}) WHERE ${condition}`,
  })

const projected =
  (columns: Record<(typeof COLUMNS)[number], string>): Grow =>
  ({ rows, sql }) => ({
    rows: rows.project(columns),
    sql: `SELECT ${COLUMNS.map((name) => `${columns[name]} AS ${name}`).join(', ')} FROM (${sql})`,
  })

/** Ties are broken by the other columns, and what is missing comes last. */
const topped =
  (most: number, by: { column: string; descending?: boolean }[]): Grow =>
  ({ rows, sql }) => {
    const others = COLUMNS.filter((name) => by.every(({ column }) => column !== name))
    const order = [...by, ...others.map((column) => ({ column, descending: false }))].map(
      ({ column, descending }) => `${column} ${descending ? 'DESC' : 'ASC'} NULLS LAST`,
    )
    return {
      rows: rows.top(most, by),
      sql: `SELECT * FROM (${sql}) ORDER BY ${order.join(', ')} LIMIT ${most}`,
    }
  }

/** Nearest rank: the ⌈q·n⌉-th smallest. */
const ranked = (value: string, from: string, tenths: number, where = 'TRUE'): string =>
  `(SELECT v FROM (SELECT ${value} AS v, row_number() OVER (ORDER BY ${value}) AS place, count(*) OVER () AS of_all
    FROM (${from}) z WHERE ${value} IS NOT NULL AND ${where}) WHERE place = (of_all * ${tenths} + 9) / 10)`

const cutAt =
  (value: string, tenths: number, keeps: 'atLeast' | 'below'): Grow =>
  ({ rows, sql }) => {
    const q = `${tenths / 10}`
    const sign = keeps === 'atLeast' ? '>=' : '<'
    return {
      rows: keeps === 'atLeast' ? rows.atLeastQuantile(value, q) : rows.belowQuantile(value, q),
      sql: `SELECT * FROM (${sql}) WHERE ${value} ${sign} ${ranked(value, sql, tenths)}`,
    }
  }

const grouped =
  (by: string[], having: string): Grow =>
  ({ rows, sql }) => {
    const figures = {
      n: count(),
      ni: count('i'),
      s: sum('i'),
      lo: min('k'),
      hi: max('g'),
      u: distinct('g'),
      ud: distinct('d'),
      middle: quantile('d', '0.5'),
    }
    const told = `hi || ':' || s || ':' || ni || ':' || u || ':' || ud`
    const same = by.map((name) => `z.${name} IS y.${name}`).join(' AND ')
    const groups = `SELECT count(*) AS n, count(i) AS ni, whole_sum(i) AS s, min(k) AS lo, max(g) AS hi,
      count(DISTINCT g) AS u, count(DISTINCT d) AS ud, ${ranked('d', sql, 5, same)} AS middle
      FROM (${sql}) y GROUP BY ${by.join(', ')}`
    return {
      rows: rows
        .group(by, figures)
        .filter(having)
        .project({ k: 'lo', g: told, i: 'CAST(n AS BIGINT)', d: 'middle' }),
      sql: `SELECT lo AS k, ${told} AS g, n AS i, middle AS d FROM (${groups}) WHERE ${having}`,
    }
  }

const joined =
  (
    kind: 'inner' | 'left' | 'semi' | 'anti',
    how: 'broadcast' | 'shuffle',
    on: (typeof COLUMNS)[number][],
  ): Grow =>
  (tree, other) => {
    const right = other.rows.project({ rk: 'k', rg: 'g', ri: 'i', rd: 'd' })
    const pairs = on.map((name): [string, string] => [name, `r${name}`])
    const both = tree.rows.join(right, pairs, { kind, how })
    const match = on.map((name) => `l.${name} = r.${name}`).join(' AND ')
    if (kind === 'semi' || kind === 'anti') {
      const found = `EXISTS (SELECT 1 FROM (${other.sql}) r WHERE ${match})`
      const sql = `SELECT * FROM (${tree.sql}) l WHERE ${kind === 'anti' ? 'NOT ' : ''}${found}`
      return { rows: both, sql }
    }
    return {
      rows: both.project({ k: 'k', g: 'rg', i: 'i', d: 'd' }),
      sql: `SELECT l.k AS k, r.g AS g, l.i AS i, l.d AS d
        FROM (${tree.sql}) l ${kind === 'left' ? 'LEFT' : 'INNER'} JOIN (${other.sql}) r ON ${match}`,
    }
  }

const multiplied: Grow = ({ rows, sql }) => ({
  rows: rows.project({ k: "unnest([k, g, 'u'])", g: 'g', i: 'i', d: 'd' }),
  sql: ['k', 'g', "'u'"].map((k) => `SELECT ${k} AS k, g, i, d FROM (${sql})`).join(' UNION ALL '),
})

const measured: Grow = ({ rows, sql }) => ({
  rows: rows
    .rowFunction('characters', ['k'], { name: 'n', type: 'BIGINT' })
    .project({ k: 'k', g: 'g', i: 'coalesce(n, 0)', d: 'd' }),
  sql: `SELECT k, g, coalesce(length(k), 0) AS i, d FROM (${sql})`,
})

const GROWTHS: Grow[] = [
  ...['i % 3 = 1', "k = 'a' OR g IS NULL", 'k >= g', 'd = 0', "k IN ('a', 'zz', NULL)"].map(
    filtered,
  ),
  ...['NOT (d > 0)', 'i BETWEEN -1 AND 3', "coalesce(k, g) = 'b'"].map(filtered),
  projected({ k: 'g', g: 'k', i: 'i % 5', d: 'd' }),
  projected({ k: "coalesce(k, 'none')", g: 'k || g', i: 'length(g)', d: '-d' }),
  projected({ k: 'nullif(k, g)', g: "replace(g, 'a', '')", i: 'i', d: 'd * 0.5' }),
  multiplied,
  measured,
  topped(3, [{ column: 'i', descending: true }]),
  topped(7, [{ column: 'd', descending: true }, { column: 'g' }]),
  cutAt('i', 5, 'atLeast'),
  cutAt('d', 3, 'below'),
  cutAt('k', 9, 'atLeast'),
  grouped(['k'], 'n > 1'),
  grouped(['i', 'g'], 'ni >= 0'),
  grouped(['d'], 'u < 3'),
  ...(['inner', 'left', 'semi', 'anti'] as const).flatMap((kind) =>
    (['broadcast', 'shuffle'] as const).flatMap((how) => [
      joined(kind, how, ['k']),
      joined(kind, how, ['d', 'i']),
    ]),
  ),
]

const scanned = fc
  .constantFrom(...NAMES)
  .map((name): Tree => ({ rows: scan(name), sql: `SELECT k, g, i, d FROM ${name}` }))
/** A statement holds those before it, some of them more than once: three steps are enough. */
const grown = fc
  .tuple(scanned, fc.array(fc.tuple(fc.constantFrom(...GROWTHS), scanned), { maxLength: 3 }))
  .map(([first, steps]) => steps.reduce((tree, [grow, other]) => grow(tree, other), first))
const trees = fc
  .tuple(grown, fc.option(fc.tuple(fc.constantFrom(...GROWTHS), grown), { nil: null }))
  .map(([tree, last]) => (last === null ? tree : last[0](tree, last[1])))

const row = fc.tuple(
  ...[TEXTS, TEXTS, INTEGERS, NUMBERS].map((values) => fc.constantFrom(...values)),
)
const tables = fc.record({
  t1: fc.array(row, { maxLength: 40, size: 'max' }),
  t2: fc.array(row, { maxLength: 20, size: 'max' }),
  t3: fc.array(row, { maxLength: 8, size: 'max' }),
})
type Tables = Record<(typeof NAMES)[number], string[][]>

/** As the rules clean it. */
function valuesOf([k, g, i, d]: string[]): (string | bigint | number | null)[] {
  return [k || null, g || null, i ? BigInt(i) : null, d ? Number(d) : null]
}

function openSqlite(data: Tables): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  // Its own sum fails beyond 64 bits.
  database.aggregate('whole_sum', {
    start: (): string | null => null,
    step: (all: string | null, value): string | null =>
      typeof value === 'bigint' ? String(BigInt(all ?? 0) + value) : all,
    useBigIntArguments: true,
  })
  for (const name of NAMES) {
    database.exec(`CREATE TABLE ${name} (k TEXT, g TEXT, i INTEGER, d REAL)`)
    const insert = database.prepare(`INSERT INTO ${name} VALUES (?, ?, ?, ?)`)
    for (const fields of data[name]) insert.run(...valuesOf(fields))
  }
  return database
}

interface Told {
  k: string | null
  g: string | null
  /** All its digits. */
  i: bigint | string | null
  d: number | null
}

/** As a sorted list of texts; zero without a sign. */
const told = (rows: Told[]): string[] =>
  rows
    .map(({ k, g, i, d }) => JSON.stringify([k, g, i === null ? null : String(i), d === 0 ? 0 : d]))
    .toSorted()

function fromSqlite(database: DatabaseSync, sql: string): string[] {
  const select = database.prepare(`SELECT k, g, i, d FROM (${sql})`)
  select.setReadBigInts(true)
  return told(select.all() as unknown as Told[])
}

function fromLines(text: string): string[] {
  const digits = (key: string, value: unknown, context: { source?: string }): unknown =>
    key === 'i' && typeof value === 'number' ? context.source : value
  // The source of a value is given to revivers of today, and missing in the declarations.
  const parse = JSON.parse as (line: string, reviver: typeof digits) => Told
  const lines = text.split('\n').filter((line) => line !== '')
  return told(lines.map((line) => parse(line, digits)))
}

const bench = new PlanBench()

const queryOf = ({ rows }: Tree, name: string): { query: Query } => ({
  query: sent(
    defineQuery({
      name,
      about: 'one of many',
      inputs,
      from: rows,
      output: { columns: [...COLUMNS], order: [{ column: 'k' }] },
    }),
  ),
})

const bindings = (data: Tables, units: number): Record<string, Binding> =>
  Object.fromEntries(NAMES.map((name) => [name, bench.csv(name, [...COLUMNS], data[name], units)]))

test('random trees of steps have the rows that SQLite has, and the same bytes however they are cut', async () => {
  const property = fc.asyncProperty(
    tables,
    fc.tuple(trees, trees),
    fc.integer({ min: 2, max: 4 }),
    async (data, forest, units) => {
      const asked = forest.map((tree, place) => queryOf(tree, `tree-${place}`))
      const whole = await planQueries(asked, bindings(data, 1), { format: 'jsonl', partitions: 1 })
      const answers = await bench.run(whole)
      const database = openSqlite(data)
      for (const [place, { sql }] of forest.entries()) {
        const text = answers[`tree-${place}`]!
        assert.deepEqual(fromLines(text), fromSqlite(database, sql), sql)
      }
      database.close()
      const cut = await planQueries(asked, bindings(data, units), {
        format: 'jsonl',
        partitions: units - 1,
      })
      assert.deepEqual(await bench.run(cut), answers)
    },
  )
  await fc.assert(property, { ...COUNT, endOnFailure: true })
})
