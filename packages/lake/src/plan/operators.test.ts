// Goal: every operator gives what plain DuckDB gives, however its input is cut and however many
// partitions there are. Method: one query for each operator, planned and run together through the
// kernel on random rows, against statements hand-written over the same rows in one table.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Binding, InputRules } from '../model.ts'
import {
  avg,
  count,
  defineQuery,
  distinct,
  list,
  max,
  min,
  quantile,
  scan,
  sum,
} from './define-query.ts'
import { PlanBench, sent } from '../../test/plan/plan-fixture.ts'
import { planQueries } from './plan-queries.ts'

const visits: InputRules = {
  columns: {
    page: { type: 'text' },
    place: { type: 'text' },
    n: { type: 'integer' },
    d: { type: 'decimal' },
  },
}
const pages: InputRules = { columns: { page: { type: 'text' }, words: { type: 'list' } } }

type Rows = ReturnType<typeof scan>

interface Case {
  from: Rows
  columns: string[]
  sql: string
}

const rows = scan('visits')
const texts = scan('pages')

const CASES: Record<string, Case> = {
  'filter-and-project': {
    from: rows.filter('n % 2 = 0').project({ page: 'upper(page)', twice: 'n * 2' }),
    columns: ['page', 'twice'],
    sql: 'SELECT upper(page) AS page, n * 2 AS twice FROM visits WHERE n % 2 = 0',
  },
  first: {
    from: rows.first(['page']),
    columns: ['page', 'place', 'n'],
    sql: 'SELECT page, place, n FROM (SELECT *, row_number() OVER (PARTITION BY page ORDER BY row) AS k FROM visits) WHERE k = 1',
  },
  'first-of-many': {
    from: texts
      .project({ page: 'page', word: 'unnest(words)' })
      .project({ page: 'page', word: 'word', letter: 'left(word, 1)' })
      .first(['letter']),
    columns: ['letter', 'page', 'word'],
    sql: `SELECT letter, page, word FROM (SELECT *, row_number() OVER (PARTITION BY letter ORDER BY row, page, word) AS k
          FROM (SELECT row, page, word, left(word, 1) AS letter FROM (SELECT row, page, unnest(words) AS word FROM pages))) WHERE k = 1`,
  },
  'group-with-everything': {
    from: rows.group(['page', 'place'], {
      counted: count(),
      some: count('n'),
      total: sum('n'),
      exact: sum('d'),
      mean: avg('d'),
      whole: avg('n'),
      least: min('d'),
      most: max('n'),
      different: distinct('n'),
      sorted: list('n'),
      median: quantile('d', '0.5'),
    }),
    columns: [
      'page',
      'place',
      'counted',
      'some',
      'total',
      'exact',
      'mean',
      'whole',
      'least',
      'most',
      'different',
      'sorted',
      'median',
    ],
    sql: `SELECT page, place, count(*) AS counted, count(n) AS some, sum(n) AS total, sum(d) AS exact, mean_text(sum(d), count(d), 6) AS mean,
          mean_text(sum(n), count(n), 0) AS whole, min(d) AS least, max(n) AS most, count(DISTINCT n) AS different,
          coalesce(list(n ORDER BY n) FILTER (n IS NOT NULL), []) AS sorted,
          list(d ORDER BY d) FILTER (d IS NOT NULL)[CAST(ceil(count(d) / 2) AS BIGINT)] AS median FROM visits GROUP BY page, place`,
  },
  'group-without-keys': {
    from: rows.group([], { counted: count(), different: distinct('page'), mean: avg('n') }),
    columns: ['counted', 'different', 'mean'],
    sql: 'SELECT count(*) AS counted, count(DISTINCT page) AS different, mean_text(sum(n), count(n), 0) AS mean FROM visits',
  },
  'group-with-keys-only': {
    from: rows.group(['page'], {}),
    columns: ['page'],
    sql: 'SELECT DISTINCT page FROM visits',
  },
  having: {
    from: rows.group(['page'], { counted: count() }).filter('counted >= 5'),
    columns: ['page', 'counted'],
    sql: 'SELECT page, count(*) AS counted FROM visits GROUP BY page HAVING count(*) >= 5',
  },
  'group-of-a-group': {
    from: rows
      .group(['page', 'place'], { counted: count() })
      .group(['page'], { most: max('counted'), places: count() }),
    columns: ['page', 'most', 'places'],
    sql: 'SELECT page, max(c) AS most, count(*) AS places FROM (SELECT page, place, count(*) AS c FROM visits GROUP BY ALL) GROUP BY page',
  },
  ...Object.fromEntries(
    (['inner', 'left', 'semi', 'anti'] as const).flatMap((kind) =>
      (['broadcast', 'shuffle'] as const).map((how) => [
        `${kind}-${how}`,
        {
          from: rows
            .filter('n > 2')
            .join(texts.project({ page: 'page', many: 'len(words)' }), ['page'], { kind, how }),
          columns: kind === 'inner' || kind === 'left' ? ['page', 'n', 'many'] : ['page', 'n'],
          sql:
            kind === 'inner' || kind === 'left'
              ? `SELECT v.page, n, len(words) AS many FROM visits v ${kind} JOIN pages p ON v.page = p.page WHERE n > 2`
              : `SELECT page, n FROM visits WHERE n > 2 AND ${kind === 'anti' ? 'NOT' : ''} EXISTS (SELECT 1 FROM pages p WHERE p.page = visits.page)`,
        },
      ]),
    ),
  ),
  'filters-behind-a-shuffle': {
    from: rows
      .join(texts.project({ page: 'page', many: 'len(words)', word: 'words[1]' }), ['page'], {
        how: 'shuffle',
      })
      .filter('n > 0')
      .filter("word <> 'x'")
      .filter('n > many')
      .group(['page', 'word'], { counted: count() })
      .filter("page > 'n'"),
    columns: ['page', 'word', 'counted'],
    sql: `SELECT v.page, words[1] AS word, count(*) AS counted FROM visits v JOIN pages p ON v.page = p.page
          WHERE n > 0 AND words[1] <> 'x' AND n > len(words) AND v.page > 'n' GROUP BY ALL`,
  },
  // The right side stands on the same input as the left: it must be read before it can be joined to itself.
  'join-with-itself': {
    from: rows.join(rows.group(['page'], { most: max('n') }), ['page', ['n', 'most']], {
      kind: 'semi',
    }),
    columns: ['page', 'place', 'n', 'd'],
    sql: 'SELECT page, place, n, d FROM visits v WHERE n = (SELECT max(n) FROM visits w WHERE w.page = v.page)',
  },
  'first-after-join': {
    from: rows.join(texts, ['page']).first(['place']),
    columns: ['place', 'page', 'words'],
    sql: `SELECT place, page, words FROM (SELECT v.*, words, row_number() OVER (PARTITION BY place ORDER BY v.row, words) AS k
          FROM visits v JOIN pages p ON v.page = p.page) WHERE k = 1`,
  },
  'quantile-from': {
    from: rows.group(['page'], { mean: avg('d') }).atLeastQuantile('mean', '0.75'),
    columns: ['page', 'mean'],
    sql: `SELECT page, mean_text(s, c, 6) AS mean FROM (SELECT *, row_number() OVER (ORDER BY r) AS k, count(*) OVER () AS n FROM means)
          WHERE r >= (SELECT r FROM (SELECT r, row_number() OVER (ORDER BY r) AS k, count(*) OVER () AS n FROM means) WHERE k = ceil(n * 0.75))`,
  },
  'quantile-below': {
    from: rows.belowQuantile('n', '0.5'),
    columns: ['page', 'n'],
    sql: `SELECT page, n FROM visits WHERE n < (SELECT n FROM (SELECT n, row_number() OVER (ORDER BY n) AS k FROM visits WHERE n IS NOT NULL)
          WHERE k = (SELECT CAST(ceil(count(n) / 2) AS BIGINT) FROM visits))`,
  },
  top: {
    from: rows
      .project({ page: 'page', n: 'n', d: 'd' })
      .top(7, [{ column: 'n', descending: true }]),
    columns: ['page', 'n', 'd'],
    sql: 'SELECT page, n, d FROM (SELECT * FROM visits ORDER BY n DESC NULLS LAST, page NULLS LAST, d NULLS LAST LIMIT 7)',
  },
  'row-function': {
    from: rows
      .filter('page IS NOT NULL')
      .rowFunction('characters', ['page'], { name: 'letters', type: 'BIGINT' })
      .filter('n > 0')
      .filter('letters > 5')
      .group(['place'], { letters: sum('letters') }),
    columns: ['place', 'letters'],
    sql: 'SELECT place, sum(length(page)) AS letters FROM visits WHERE length(page) > 5 AND n > 0 GROUP BY place',
  },
}

const queries = Object.entries(CASES).map(([name, { from, columns }]) =>
  sent(
    defineQuery({
      name,
      about: '',
      inputs: { visits, pages },
      from,
      output: { columns, order: [] },
    }),
  ),
)

/** A small generator of numbers: the same seed, the same rows. */
function seeded(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

interface Data {
  visits: string[][]
  pages: string[][]
}

function randomData(seed: number): Data {
  const next = seeded(seed)
  const word = () => ['north', 'south, far', 'é"ast', 'west', ''][next(5)] ?? ''
  const place = () => ['a', 'b', 'c', ''][next(4)] ?? ''
  return {
    visits: Array.from({ length: 60 }, () => [
      word() && `${word()}${next(4)}`,
      place(),
      next(9) === 0 ? '' : String(next(14) - 4),
      next(9) === 0 ? '' : `${next(3) - 1}.${next(1000)}`,
    ]),
    pages: Array.from({ length: 12 }, () => [
      `${word()}${next(4)}`,
      `['${['x', 'yes', 'why'][next(3)]}', 'z${next(2)}']`,
    ]),
  }
}

/** The same rows in plain tables, with their position. */
function tablesOf(data: Data): string[] {
  const text = (value: string) => (value === '' ? 'NULL' : `'${value.replaceAll("'", "''")}'`)
  const rowsOf = (of: string[][], show: (fields: string[]) => string) =>
    of.map((fields, row) => `(${row}, ${show(fields)})`).join(', ')
  return [
    `CREATE TABLE visits AS SELECT row, page, place, CAST(n AS BIGINT) AS n, CAST(d AS DECIMAL(18,6)) AS d
     FROM (VALUES ${rowsOf(data.visits, (fields) => fields.map(text).join(', '))}) t(row, page, place, n, d)`,
    `CREATE TABLE pages AS FROM (VALUES ${rowsOf(data.pages, ([page = '', words = '[]']) => `${text(page)}, ${words}`)}) t(row, page, words)`,
    'CREATE TABLE means AS SELECT page, sum(d) AS s, count(d) AS c, mean_rank(sum(d), count(d)) AS r FROM visits GROUP BY page HAVING count(d) > 0',
  ]
}

const bench = new PlanBench()

const bindingsOf = (data: Data, units: number): Record<string, Binding> => ({
  visits: bench.csv('visits', ['page', 'place', 'n', 'd'], data.visits, units),
  pages: bench.csv('pages', ['page', 'words'], data.pages, Math.ceil(units / 2)),
})

/** Units and partitions; the first is everything in one task. */
const CUTS = [
  [1, 1],
  [3, 2],
  ...(process.env['MINGA_LONG']
    ? [
        [2, 1],
        [4, 3],
        [7, 4],
        [12, 8],
      ]
    : []),
] as const

for (const [seed, [units = 1, partitions = 1]] of CUTS.entries()) {
  test(`Any operator at any parallelism, **counting included**: ${units} units and ${partitions} partitions give what plain DuckDB gives`, async () => {
    const data = randomData(seed + 1)
    const plan = await planQueries(
      queries.map((query) => ({ query })),
      bindingsOf(data, units),
      { format: 'csv', partitions },
    )
    const answers = await bench.run(plan)
    for (const [name, { sql, columns }] of Object.entries(CASES)) {
      const order = columns.map((column) => `"${column}" NULLS LAST`).join(', ')
      const expected = await bench.ask(tablesOf(data), `SELECT * FROM (${sql}) ORDER BY ${order}`)
      assert.equal(answers[name], expected, name)
    }
  })
}
