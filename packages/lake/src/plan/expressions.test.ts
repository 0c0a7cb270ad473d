// Goal: nothing but a scalar expression over known columns reaches a task, and errors say where and
// why. Method: expressions of every forbidden kind, each planned as a filter or a column, and the
// sentence of its error.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Binding, Query, Step } from '../model.ts'
import { planQueries } from './plan-queries.ts'

const bindings: Record<string, Binding> = {
  books: {
    kind: 'file',
    file: { at: 'outside', name: '/books.csv', bytes: 100, changedAtMs: 0 },
    format: 'csv',
    header: ['title'],
    units: [{ kind: 'range', from: 6, to: 100 }],
  },
}

const queryOf = (from: Step, parameters?: Query['parameters']): Query => ({
  name: 'try',
  about: '',
  inputs: {
    books: {
      columns: {
        title: { type: 'text' },
        year: { type: 'year' },
        price: { type: 'number' },
        authors: { type: 'list' },
      },
    },
  },
  ...(parameters ? { parameters } : {}),
  from,
  output: { columns: ['x'], order: [] },
})

const scan: Step = { step: 'scan', input: 'books' }
const project = (x: string): Step => ({ step: 'project', from: scan, columns: { x } })

async function refusal(query: Query, parameters: Record<string, string | number> = {}) {
  const error = await planQueries([{ query, parameters }], bindings, { format: 'csv' }).then(
    () => null,
    (reason: unknown) => reason as Error & { code: string },
  )
  assert.equal(error?.code, 'MINGA_BAD_QUERY', 'it was accepted')
  return error?.message ?? ''
}

const sqlOf = async (x: string, parameters?: Query['parameters'], given = {}) => {
  const asked = [{ query: queryOf(project(x), parameters), parameters: given }]
  const plan = await planQueries(asked, bindings, { format: 'csv' })
  const [made] = plan.stages[0]!.program
  return made?.op === 'view' ? made.sql : ''
}

test('a wrong column is refused with its step and the names that are near', async () => {
  assert.equal(
    await refusal(queryOf(project('lower(titel)'))),
    'try, step 2 (project): there is no column "titel"; near: title.',
  )
  assert.equal(
    await refusal(queryOf({ step: 'first', from: project('title'), by: ['title'] })),
    'try, step 3 (first): there is no column "title"; there are x.',
  )
})

test('an error on the right side of a join says so', async () => {
  const right: Step = { step: 'filter', from: scan, where: 'yaer > 1' }
  const join: Step = {
    step: 'join',
    from: scan,
    with: right,
    on: ['title'],
    kind: 'semi',
    how: 'broadcast',
  }
  assert.match(
    await refusal(queryOf(join)),
    /^try, step 2 \(join\), right side, step 2 \(filter\): there is no column "yaer"; near: year\.$/u,
  )
})

const REFUSED: Record<string, RegExp> = {
  '(SELECT 1)': /query of its own/u,
  'title IN (SELECT title FROM books)': /query of its own/u,
  'EXISTS (SELECT 1)': /query of its own/u,
  '*': /star|cannot be read/u,
  'COLUMNS(*)': /star/u,
  'row_number() OVER ()': /window/u,
  'sum(year)': /use a group step/u,
  'count(*)': /use a group step|star/u,
  'random()': /no function of its arguments alone/u,
  'now()': /no function of its arguments alone/u,
  current_timestamp: /there is no column/u,
  user: /there is no column/u,
  "current_setting('threads')": /no function of its arguments alone/u,
  "getenv('HOME')": /no function of its arguments alone/u,
  "getvariable('x')": /no function of its arguments alone/u,
  "nextval('s')": /no function of its arguments alone/u,
  'age(make_timestamp(year, 1, 1, 0, 0, 0))': /no function of its arguments alone/u,
  "read_text('/etc/passwd')": /no function of its arguments alone/u,
  "other.lower('A')": /no function of its arguments alone/u,
  '1) AS y, (2': /more than one expression/u,
  '1) FROM books WHERE (true': /more than one expression/u,
  '1) ORDER BY (1': /more than one expression/u,
  '1); DROP TABLE books; SELECT (1': /more than one expression|cannot be read/u,
  '#1': /column by its number/u,
  'title COLLATE NOCASE': /collation/u,
  $1: /parameter without a name|cannot be read/u,
  'title +': /cannot be read/u,
  $$text$$: /single quotes/u,
  'lower(title, 1)': /No function matches/u,
  'lambda x: x': /invalid lambda/u,
}

test('whatever is more than a scalar expression is refused before anything runs', async () => {
  for (const [expression, why] of Object.entries(REFUSED)) {
    assert.match(await refusal(queryOf(project(expression))), why, expression)
  }
})

test('scalar expressions of every kind are accepted as they are', async () => {
  for (const expression of [
    'CASE WHEN year > 1999 THEN title END',
    'year BETWEEN 1990 AND 1999',
    'TITLE || title',
    "list_transform(authors, lambda author: author || '!')[1]",
    "array_to_string(list_filter(authors, lambda a: a <> title), ', ')",
    "coalesce(nullif(title, ''), 'none')",
    'CAST(price AS DECIMAL(9,2))',
    "title IN ('a', 'b')",
    "date_trunc('year', make_date(year, 1, 1)) + INTERVAL 1 DAY",
    'unnest(authors)',
    '[title, title][1]',
    "{'title': title, 'year': year}.year",
    'extract(month FROM make_date(year, 1, 1))',
    "title LIKE '%a%' AND title ILIKE 'B_' AND title SIMILAR TO 'c.*'",
    'year IS DISTINCT FROM 3 AND NOT (year IS NULL)',
    'authors[1:2]',
    'MAP {title: year}',
    'TRY_CAST(title AS INTEGER)',
    "position('a' IN title) + substring(title FROM 2 FOR 1)::INTEGER",
    'year -- a word about it',
  ]) {
    assert.match(await sqlOf(expression), /^SELECT \(/u, expression)
  }
})

test('a filter is true or false, and sums are of numbers that can be added exactly', async () => {
  const filter: Step = { step: 'filter', from: scan, where: 'year' }
  assert.match(await refusal(queryOf(filter)), /"year" is INTEGER, not true or false/u)
  const group = (is: 'sum' | 'avg'): Step => ({
    step: 'group',
    from: scan,
    by: ['title'],
    aggregates: { x: { is, of: 'price' } },
  })
  assert.match(await refusal(queryOf(group('sum'))), /over DOUBLE.*cast it to DECIMAL/u)
  assert.match(await refusal(queryOf(group('avg'))), /over DOUBLE.*cast it to DECIMAL/u)
})

test('first is refused where rows have lost the order of the input', async () => {
  const group: Step = { step: 'group', from: scan, by: ['title'], aggregates: {} }
  assert.match(
    await refusal(queryOf({ step: 'first', from: group, by: ['title'] })),
    /lost the order of the input/u,
  )
})

test('columns of one name and keys of two types are refused', async () => {
  const other: Step = { step: 'project', from: scan, columns: { title: 'year', year: 'year' } }
  const join = (on: [string, string], right: Step): Step => ({
    step: 'join',
    from: scan,
    with: right,
    on: [on],
    kind: 'inner',
    how: 'shuffle',
  })
  assert.match(await refusal(queryOf(join(['title', 'title'], other))), /cast one of them/u)
  assert.match(
    await refusal(queryOf(join(['year', 'title'], other))),
    /two columns are called "year"/u,
  )
})

test('parameters become constants of their type, and nothing else', async () => {
  const parameters: Query['parameters'] = {
    word: { type: 'text', default: "it's", about: '' },
    least: { type: 'integer', default: -5, about: '' },
    share: { type: 'number', default: 0.25, about: '' },
  }
  assert.equal(
    await sqlOf(
      `contains(title, $word) AND year -$least > $share AND title <> '$word'`,
      parameters,
    ),
    `SELECT (contains(title, 'it''s') AND year -(-5) > 0.25 AND title <> '$word') AS "x" FROM "input_books"`,
  )
  assert.equal(
    await sqlOf('title = $word', parameters, { word: "') OR (true" }),
    `SELECT (title = ''') OR (true') AS "x" FROM "input_books"`,
  )
  const query = queryOf(project('title = $word'), parameters)
  assert.match(await refusal(query, { least: '1 OR 1' }), /"least" must be a whole number/u)
  assert.match(await refusal(query, { share: '1e9' }), /"share" must be a number/u)
  assert.match(await refusal(query, { wrod: 'x' }), /no parameter "wrod"; near: word/u)
  assert.match(
    await refusal(queryOf(project('$wrod'), parameters)),
    /no parameter "\$wrod"; near: word/u,
  )
})

test('what is no query is refused with the place of the mistake', async () => {
  const bad = { ...queryOf(scan), from: { step: 'filter', from: scan, were: 'x' } }
  assert.match(await refusal(bad as unknown as Query), /^try, step 2 \(filter\): /u)
  const unknown = { ...queryOf(scan), from: { step: 'jion' } }
  assert.match(
    await refusal(unknown as unknown as Query),
    /"jion" is no step\. Steps are scan, filter/u,
  )
  assert.match(await refusal({ ...queryOf(scan), name: 'Ü' }), /name must be small letters/u)
  assert.match(
    await refusal(queryOf({ step: 'scan', input: 'boks' })),
    /no input "boks"; near: books/u,
  )
})
