// Goal: fields become values by written rules; what is wrong is named, and decides about the row only where the rules
// say so. Method: tables of examples through the select that a task runs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '@duckdb/node-api'
import type { FieldRule, InputRules } from '../model.ts'
import { cleanRoom } from '../../test/clean/clean-fixture.ts'
import { cleanSql, columnType, rawColumns } from './clean-sql.ts'

const room = await cleanRoom()

/** What each text becomes, with `!` and the reason when it is a flaw. */
async function valuesOf(rule: FieldRule, texts: readonly (string | null)[]): Promise<Json[]> {
  const rows = texts.map((text) => [text, 'x'])
  const cleaned = await room.clean({ columns: { it: rule } }, ['it', 'other'], rows)
  return cleaned.map(({ it, _flaws }) =>
    _flaws === null ? it! : `!${(_flaws as string[]).join(' ')}`,
  )
}

test('Dirty input: numbers are read exactly or not at all', async () => {
  const decimals = [
    '5.0',
    ' 4 ',
    '+3.250000000',
    '.5',
    '5.',
    '1e2',
    '.45E+1',
    '1234567e-7',
    '0.0000000000000000005e19',
    'five',
    '0.1234567',
    '',
    '  ',
    null,
    '1_0',
    '-0',
  ]
  assert.deepEqual(await valuesOf({ type: 'decimal' }, decimals), [
    '5.000000',
    '4.000000',
    '3.250000',
    '0.500000',
    '5.000000',
    '100.000000',
    '4.500000',
    '!it:not-a-number',
    '!it:not-a-number',
    '!it:not-a-number',
    '!it:not-a-number',
    null,
    null,
    null,
    '!it:not-a-number',
    '0.000000',
  ])
  const integers = [
    '12',
    '12.0',
    '12.5',
    '9223372036854775807',
    '9223372036854775808',
    '0x1f',
    '\u00a0-7',
  ]
  assert.deepEqual(await valuesOf({ type: 'integer' }, integers), [
    '12',
    '12',
    '!it:not-a-number',
    '9223372036854775807',
    '!it:not-a-number',
    '!it:not-a-number',
    '-7',
  ])
  const numbers = ['1e3', '-.5', 'nan', 'inf', '1e999', '1.5.2']
  assert.deepEqual(await valuesOf({ type: 'number' }, numbers), [
    1000,
    -0.5,
    '!it:not-a-number',
    '!it:not-a-number',
    '!it:not-a-number',
    '!it:not-a-number',
  ])
})

test('bounds are included, and what is beyond them is no value', async () => {
  const rule: FieldRule = { type: 'decimal', least: 1, most: 5 }
  assert.deepEqual(await valuesOf(rule, ['1', '5.000', '0.999999', '5.000001', '-3']), [
    '1.000000',
    '5.000000',
    '!it:out-of-range',
    '!it:out-of-range',
    '!it:out-of-range',
  ])
})

test('Dirty input: a decimal keeps as many digits as its rule says, and one that is too large for them is out of range', async () => {
  const rule: FieldRule = { type: 'decimal', decimals: 17, least: 1, most: 5 }
  const texts = ['4.199999809265137', '5', '1.00000000000000001', '5.00000000000000001', '25e-1']
  assert.deepEqual(await valuesOf(rule, texts), [
    '4.19999980926513700',
    '5.00000000000000000',
    '1.00000000000000001',
    '!it:out-of-range',
    '2.50000000000000000',
  ])
  assert.deepEqual(await valuesOf(rule, ['10', '-1234567890', '1e30', '4.000000000000000001']), [
    '!it:out-of-range',
    '!it:out-of-range',
    '!it:out-of-range',
    '!it:not-a-number',
  ])
})

test('a year is the first four digits of a partial date', async () => {
  const texts = [
    '1996',
    '1996-03',
    '1996-03-01',
    '1996*',
    'c. 1996',
    'MCM',
    '96',
    '199?',
    '20001',
    '',
    '１９９６',
  ]
  assert.deepEqual(await valuesOf({ type: 'year' }, texts), [
    1996,
    1996,
    1996,
    1996,
    1996,
    '!it:no-year',
    '!it:no-year',
    '!it:no-year',
    2000,
    null,
    '!it:no-year',
  ])
})

test('instants count their offset, and dates must exist', async () => {
  const instants = [
    '1095724800',
    '1095724800123',
    '2020-01-01',
    '2020-01-01T10:00:00Z',
    '2020-01-01 10:00:00+02:00',
    '2020-01-01T10:00:00.5-0330',
    '2020-13-01',
    'infinity',
    'now',
  ]
  assert.deepEqual(await valuesOf({ type: 'instant' }, instants), [
    '2004-09-21 00:00:00',
    '2004-09-21 00:00:00.123',
    '2020-01-01 00:00:00',
    '2020-01-01 10:00:00',
    '2020-01-01 08:00:00',
    '2020-01-01 13:30:00.5',
    '!it:not-an-instant',
    '!it:not-an-instant',
    '!it:not-an-instant',
  ])
  const dates = ['2020-02-29', '2019-02-29', '2020-2-9', ' 2020-02-09 ', 'epoch']
  assert.deepEqual(await valuesOf({ type: 'date' }, dates), [
    '2020-02-29',
    '!it:not-a-date',
    '!it:not-a-date',
    '2020-02-09',
    '!it:not-a-date',
  ])
})

test('booleans, JSON, lists and texts are read by their own rules', async () => {
  const booleans = ['Yes', ' FALSE', 't', '0', 'maybe', '']
  assert.deepEqual(await valuesOf({ type: 'boolean' }, booleans), [
    true,
    false,
    true,
    false,
    '!it:not-a-boolean',
    null,
  ])
  assert.deepEqual(await valuesOf({ type: 'json' }, ['{"a":[1]}', '{a}', ' ']), [
    '{"a":[1]}',
    '!it:not-json',
    null,
  ])
  assert.deepEqual(await valuesOf({ type: 'list' }, [`['a']`, 'a', '', null]), [
    ['a'],
    '!it:not-a-list',
    [],
    [],
  ])
  assert.deepEqual(await valuesOf({ type: 'text', isTrimmed: false }, [' a ', ' \u2003', '']), [
    ' a ',
    ' \u2003',
    null,
  ])
})

const REVIEWS: InputRules = {
  columns: {
    title: { from: 'Title', type: 'text', isRequired: true },
    score: { from: 'review/score', type: 'decimal', isRequired: true, least: 1, most: 5 },
    year: { type: 'year', onFlaw: 'drop' },
    tags: { type: 'list' },
  },
}
const HEADER = ['Title', 'review/score', 'year', 'tags']

test('the first rule that forbids a row says why, and its other flaws are not counted', async () => {
  const rows = [
    [' A ', '5.0', '1999', '["x"]'],
    [' \t', 'bad', 'bad', 'bad'],
    ['B', 'bad', 'bad', 'bad'],
    ['B', '9', null, null],
    ['B', null, null, null],
    ['B', '1', 'soon', null],
    ['B', '1', null, 'bad'],
  ]
  const cleaned = await room.clean(REVIEWS, HEADER, rows)
  assert.deepEqual(
    cleaned.map(({ _reject, _flaws }) => _reject ?? _flaws),
    [
      '!',
      'title:missing',
      'score:not-a-number',
      'score:out-of-range',
      'score:missing',
      'year:no-year',
      ['tags:not-a-list'],
    ].map((reason) => (reason === '!' ? null : reason)),
  )
  assert.deepEqual(cleaned[0], {
    title: 'A',
    score: '5.000000',
    year: 1999,
    tags: ['x'],
    _reject: null,
    _flaws: null,
  })
})

test('rows are dropped for unrequested columns, and fields are counted only in requested ones', async () => {
  assert.deepEqual(rawColumns(REVIEWS, HEADER, ['tags']), HEADER)
  assert.deepEqual(rawColumns(REVIEWS, HEADER, ['title']), ['Title', 'review/score', 'year'])
  const rows = [
    ['A', null, null, 'bad'],
    ['A', '1', null, 'bad'],
  ]
  assert.deepEqual(await room.clean(REVIEWS, HEADER, rows, ['title']), [
    { title: 'A', _reject: 'score:missing', _flaws: null },
    { title: 'A', _reject: null, _flaws: null },
  ])
})

test('in a file of one column an empty line is no record', async () => {
  const rows = [['a'], [null], [''], [' ']]
  const cleaned = await room.clean(
    { columns: { it: { type: 'text', isRequired: true } } },
    ['it'],
    rows,
  )
  assert.deepEqual(
    cleaned.map(({ _reject }) => _reject),
    [null, 'it:missing'],
  )
})

test('columns have the types that plans expect of them', async () => {
  const types = [
    'text',
    'integer',
    'number',
    'decimal',
    'boolean',
    'instant',
    'date',
    'year',
    'list',
    'json',
  ] as const
  const columns = Object.fromEntries(types.map((type): [string, FieldRule] => [type, { type }]))
  await room.clean({ columns }, [...types], [])
  const found = await described({ columns }, [...types])
  assert.deepEqual(
    found,
    types.map((type) => columnType({ type })),
  )
})

async function described(rules: InputRules, header: string[]): Promise<string[]> {
  const { select } = cleanSql({ rules, header, wanted: header, raw: 'raw' })
  const reader = await room.connection.runAndReadAll(`DESCRIBE ${select}`)
  const types = reader.getColumns()[1] as string[]
  return types.slice(0, header.length)
}

test('a column is cleaned alike, whether it is alone or one of many with the same rule', async () => {
  const texts = [
    '1.5',
    ' 7 ',
    'many',
    '',
    null,
    '99',
    '0.1234567',
    "['a', 'b']",
    '1996-03',
    '{"a":1}',
  ]
  const kinds: FieldRule[] = [
    { type: 'decimal', least: 1, most: 50 },
    { type: 'number' },
    { type: 'list' },
    { type: 'year' },
    { type: 'text' },
  ]
  for (const rule of kinds) {
    const header = Array.from({ length: 300 }, (_, place) => `c${place}`)
    const rows = texts.map((_, row) =>
      header.map((_name, place) => texts[(row + place) % texts.length]!),
    )
    const columns = Object.fromEntries(header.map((name) => [name, rule]))
    const together = await room.clean({ columns }, header, rows)
    for (const name of ['c0', 'c63', 'c255', 'c256', 'c299']) {
      const place = header.indexOf(name)
      const alone = await room.clean(
        { columns: { [name]: rule } },
        [name, 'other'],
        rows.map((row) => [row[place]!, 'x']),
      )
      const flaws = (row: Record<string, Json>): string[] =>
        ((row['_flaws'] as string[] | null) ?? []).filter((flaw) => flaw.startsWith(`${name}:`))
      assert.deepEqual(
        together.map((row) => [row[name], flaws(row)]),
        alone.map((row) => [row[name], flaws(row)]),
        `${rule.type} ${name}`,
      )
    }
  }
})
