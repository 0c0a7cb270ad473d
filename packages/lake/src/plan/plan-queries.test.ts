// Goal: plans are small: what queries share is done once, nothing unneeded is read, and the same
// query always gives the same plan. Method: plans of the shipped queries over inputs of given
// sizes, inspected as data.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Binding, Plan, Stage } from '../model.ts'
import { avg, count, defineQuery, scan } from './define-query.ts'
import { explainPlan } from './explain.ts'
import { planImport } from './plan-import.ts'
import { planQueries } from './plan-queries.ts'
import { shippedQueries } from './query-files.ts'

const shipped = await shippedQueries()

const MB = 1024 * 1024

function file(name: string, bytes: number, units: number): Binding {
  return {
    kind: 'file',
    file: { at: 'outside', name: `/${name}.csv`, bytes, changedAtMs: 0 },
    format: 'csv',
    header: [],
    units: Array.from({ length: units }, (_, unit) => ({
      kind: 'range',
      from: Math.floor((unit * bytes) / units),
      to: Math.floor(((unit + 1) * bytes) / units),
    })),
  }
}

const LARGE = { books: file('books', 186 * MB, 3), reviews: file('reviews', 2500 * MB, 40) }
const SMALL = { books: file('books', MB, 1), reviews: file('reviews', MB, 1) }
const FIVE = ['books-1', 'books-2', 'books-3', 'books-4', 'books-5']

const planOf = (names: string[], bindings: Record<string, Binding>): Promise<Plan> =>
  planQueries(
    names.map((name) => ({ query: shipped.get(name)! })),
    bindings,
    { format: 'csv' },
  )

const readers = ({ stages }: Plan, input: string): Stage[] =>
  stages.filter(({ reads }) => reads.some((read) => read.from === 'input' && read.input === input))

test('all five queries read each file once, and only the columns that they need', async () => {
  const plan = await planOf(FIVE, LARGE)
  for (const input of ['books', 'reviews']) assert.equal(readers(plan, input).length, 1, input)
  const [reviews] = readers(plan, 'reviews')
  assert.deepEqual(
    reviews?.reads.find(({ from }) => from === 'input'),
    {
      as: 'input_reviews',
      from: 'input',
      input: 'reviews',
      columns: ['title', 'score', 'text'],
      withRow: false,
    },
  )
  const two = await planOf(['books-2'], LARGE)
  assert.deepEqual(
    readers(two, 'books').flatMap(({ reads }) =>
      reads.flatMap((read) => (read.from === 'input' ? read.columns : [])),
    ),
    ['title', 'authors', 'year'],
  )
  assert.equal(readers(two, 'reviews').length, 0)
})

test('books-3 and books-4 are one path: the second adds its ten and its file', async () => {
  const three = await planOf(['books-3'], LARGE)
  const both = await planOf(['books-3', 'books-4'], LARGE)
  assert.equal(both.stages.length, three.stages.length + 1)
  const apart = await planQueries(
    [
      { query: shipped.get('books-3')! },
      { query: shipped.get('books-4')!, parameters: { least: 100, decade: 1980 } },
    ],
    LARGE,
    { format: 'csv' },
  )
  assert.ok(apart.stages.length > both.stages.length, 'other parameters are another path')
  assert.equal(readers(apart, 'reviews').length, 1, 'but still one read')
})

test('the sentiment is asked for behind the join, of the rows that it left', async () => {
  const plan = await planOf(['books-5'], LARGE)
  const [stage] = readers(plan, 'reviews')
  const program = stage?.program ?? []
  const mood = program.findIndex(({ op }) => op === 'rowFunction')
  const asked = program[mood]
  assert.ok(asked?.op === 'rowFunction')
  const source = program.find(({ as }) => as === asked.from)
  assert.match(source?.op === 'view' ? source.sql : '', /SEMI JOIN/u)
  assert.deepEqual(asked.keep, ['title'], 'the text is not carried any further')
})

test('filters go below row functions and shuffles when they can', async () => {
  const rules = {
    columns: { title: { type: 'text' as const }, n: { type: 'integer' as const } },
  }
  const query = defineQuery({
    name: 'pushed',
    about: '',
    inputs: { books: rules, reviews: rules },
    from: scan('books')
      .rowFunction('characters', ['title'], { name: 'letters', type: 'BIGINT' })
      .join(scan('reviews').project({ title: 'title', m: 'n' }), ['title'], { how: 'shuffle' })
      .filter('n > 1')
      .filter('m > 2')
      .filter('letters > 3')
      .filter('n > m'),
    output: { columns: ['title'], order: [] },
  })
  const plan = await planQueries([{ query }], LARGE, { format: 'csv' })
  const filtersOf = (stage: Stage | undefined) =>
    stage?.program.map((one) =>
      'sql' in one ? (/ WHERE (.*)$/u.exec(one.sql)?.[1] ?? '-') : one.op,
    )
  assert.deepEqual(filtersOf(readers(plan, 'books')[0]), [
    '(n > 1)',
    'rowFunction',
    '(letters > 3)',
  ])
  assert.deepEqual(filtersOf(readers(plan, 'reviews')[0]), ['-', '(m > 2)'])
  assert.deepEqual(filtersOf(plan.stages[2]), ['-', '(n > m)', '-'])
  const written = readers(plan, 'books').flatMap(({ outputs }) =>
    outputs.map(({ columns }) => columns),
  )
  assert.deepEqual(written, [['title', 'n']], 'and nothing is carried for steps that went away')
})

test('small inputs are one task each: nothing is shuffled when everything is in one place', async () => {
  const plan = await planOf(FIVE, SMALL)
  assert.equal(plan.stages.length, 2)
  for (const { outputs } of plan.stages) {
    for (const { partitions = 1 } of outputs) assert.equal(partitions, 1)
  }
})

test('the number of partitions follows the size of the input and is bounded', async () => {
  const most = async (bytes: number): Promise<number> => {
    const query = defineQuery({
      name: 'firsts',
      about: '',
      inputs: { books: { columns: { title: { type: 'text' } } } },
      from: scan('books').first(['title']),
      output: { columns: ['title'], order: [] },
    })
    const plan = await planQueries(
      [{ query }],
      { books: file('books', bytes, 9) },
      { format: 'csv' },
    )
    return Math.max(
      ...plan.stages.flatMap(({ outputs }) => outputs.map(({ partitions = 1 }) => partitions)),
    )
  }
  assert.deepEqual(
    await Promise.all([MB, 200 * MB, 900 * MB, 900_000 * MB].map(most)),
    [1, 2, 8, 32],
  )
})

test('the same question gives the same plan, letter for letter', async () => {
  const [one, other] = [await planOf(FIVE, LARGE), await planOf(FIVE, LARGE)]
  assert.equal(JSON.stringify(one), JSON.stringify(other))
})

test('stages stand behind those they read, and every output that is read is written', async () => {
  const plan = await planOf(FIVE, LARGE)
  plan.stages.forEach(({ reads, after }, place) => {
    const before = plan.stages.slice(0, place)
    for (const read of reads) {
      if (read.from === 'input') continue
      const home = before.find(({ id }) => id === read.stage)
      assert.ok(
        home?.outputs.some(({ name }) => name === read.output),
        read.output,
      )
      assert.ok(after.includes(read.stage))
    }
  })
})

test('two queries that clean one input in two ways read it as two inputs', async () => {
  const query = (name: string, isRequired: boolean) =>
    defineQuery({
      name,
      about: '',
      inputs: { books: { columns: { title: { type: 'text', isRequired } } } },
      from: scan('books').group([], { books: count() }),
      output: { columns: ['books'], order: [] },
    })
  const asked = [{ query: query('strict', true) }, { query: query('lax', false) }]
  const plan = await planQueries(asked, LARGE, { format: 'csv' })
  assert.deepEqual(Object.keys(plan.inputs), ['books', 'books~2'])
  assert.equal(plan.stages.length, 4)
})

test('a broadcast from an input to itself reads it twice, and other queries share one of the reads', async () => {
  const inputs = {
    books: { columns: { title: { type: 'text' as const }, n: { type: 'integer' as const } } },
  }
  const means = scan('books').group(['title'], { mean: avg('n') })
  const output = { columns: ['title'], order: [] }
  const asked = [
    defineQuery({
      name: 'self',
      about: '',
      inputs,
      from: scan('books').join(means, ['title']),
      output,
    }),
    defineQuery({ name: 'plain', about: '', inputs, from: scan('books').filter('n > 1'), output }),
  ]
  const plan = await planQueries(
    asked.map((query) => ({ query })),
    LARGE,
    { format: 'csv' },
  )
  assert.equal(readers(plan, 'books').length, 2)
})

test('an input that is a table is read as it is, whatever the rules for files say', async () => {
  const columns = [
    { name: 'title', type: 'VARCHAR' },
    { name: 'authors', type: 'VARCHAR[]' },
    { name: 'year', type: 'INTEGER' },
  ]
  const manifest = { table: 'books', version: 1, columns, segments: [] }
  const plan = await planOf(['books-2'], { books: { kind: 'table', manifest } })
  assert.equal(plan.inputs['books']?.rules, null)
  await assert.rejects(
    planOf(['books-1'], { books: { kind: 'table', manifest } }),
    /books-1, step 3 \(filter\): there is no column "categories"/u,
  )
})

test('what is missing or doubled among queries and inputs is said', async () => {
  await assert.rejects(
    planOf(['books-3'], { books: LARGE.books }),
    /books-3 needs the input "reviews"/u,
  )
  await assert.rejects(planOf(['books-1', 'books-1'], LARGE), /"books-1" was asked for twice/u)
  await assert.rejects(planOf([], LARGE), /No query was asked for/u)
  await assert.rejects(
    planOf(['top-editors'], { revisions: LARGE.books }),
    /import the file as a table/u,
  )
})

test('a plan is explained as a tree in which shared stages stand once', async () => {
  const plan = await planOf(['books-3', 'books-4'], LARGE)
  const { text, stages, results } = explainPlan(plan, { s1: { done: 3, rows: 200 } })
  assert.equal(
    text,
    [
      'books-3: title, authors',
      '└─ s5 1 task: sort books-3',
      '   └─ s4 3 tasks: group by title, authors: reviews (count), rating (avg) → top 10 by rating, title, each task its own',
      '      └─ s3 40 tasks: read reviews → inner join on title (broadcast) → group by title, authors: reviews (count), rating (avg), each task its own [reviews 2.6 GB: title, score]',
      '         └─ s2 2 tasks: first by title',
      '            └─ s1 3 tasks: read books → first by title, each task its own [books 195 MB: title, authors, year; 3 of 3 done; 200 rows]',
      'books-4: title, rating',
      '└─ s6 1 task: top 10 by rating, title → sort books-4',
      '   └─ s4 (above)',
      '',
    ].join('\n'),
  )
  assert.deepEqual(stages[2]?.after, [{ stage: 's2', part: 'whole' }])
  assert.deepEqual(
    results.map(({ query, stage }) => `${query} ${stage}`),
    ['books-3 s5', 'books-4 s6'],
  )
})

test('an import is a stage whose files become segments, and one that numbers what was dropped', () => {
  const rules = {
    columns: { title: { type: 'text' as const }, score: { type: 'decimal' as const } },
  }
  const plan = planImport({ table: 'reviews', rules, binding: LARGE.reviews })
  assert.deepEqual(plan.segments, [
    {
      table: 'reviews',
      columns: [
        { name: 'title', type: 'VARCHAR' },
        { name: 'score', type: 'DECIMAL(18,6)' },
      ],
      of: { stage: 's1', output: 'rows' },
    },
    {
      table: 'reviews_rejects',
      columns: [
        { name: 'row', type: 'BIGINT' },
        { name: 'reason', type: 'VARCHAR' },
        { name: 'record', type: 'VARCHAR' },
      ],
      of: { stage: 's2', output: 'rejects' },
    },
  ])
  assert.match(
    explainPlan(plan).text,
    /^table reviews: title, score\n└─ s1 40 tasks: read input → write reviews/u,
  )
})
