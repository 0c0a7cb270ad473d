// Goal: the form asks for what the chosen queries need, and sends what was filled in. Method: queries and forms as data.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WrittenQuery } from '../../api/queries.ts'
import {
  emptyForm,
  inputsOf,
  parametersOf,
  problemsOf,
  questionOf,
  refilled,
  type RunForm,
} from './run-form.ts'

const BOOKS: WrittenQuery = {
  name: 'books-3',
  about: 'Books',
  inputs: { books: { columns: { title: {}, year: {} } }, reviews: { columns: { title: {} } } },
  parameters: {
    least: { type: 'integer', default: 500, about: 'Reviews at least' },
    word: { type: 'text', default: '', about: 'A word' },
  },
  output: { columns: ['title'] },
}
const HOSTS: WrittenQuery = {
  name: 'hosts',
  about: 'Hosts',
  inputs: { captures: { table: 'captures' } },
  output: { columns: ['host'] },
}

const filled = (form: RunForm): RunForm => ({
  ...form,
  inputs: {
    ...form.inputs,
    books: { from: 'upload', table: '', version: '', upload: 'inp_1', path: '' },
    reviews: { from: 'table', table: 'reviews', version: '4', upload: '', path: '' },
  },
})

test('inputs and parameters of one name are asked for once', () => {
  const both = [BOOKS, { ...BOOKS, name: 'books-4' }, HOSTS]
  assert.deepEqual(
    inputsOf(both).map(({ name, columns }) => [name, columns]),
    [
      ['books', ['title', 'year']],
      ['reviews', ['title']],
      ['captures', []],
    ],
  )
  assert.deepEqual(
    parametersOf(both).map(({ name }) => name),
    ['least', 'word'],
  )
})

test('a query over a table of the station can be asked as it stands', () => {
  const form = emptyForm([HOSTS])
  assert.deepEqual(problemsOf([HOSTS], form), {})
  assert.deepEqual(
    questionOf([HOSTS], form, () => true),
    {
      queries: ['hosts'],
      inputs: { captures: { table: 'captures' } },
      parameters: {},
      format: 'csv',
    },
  )
})

test('what is missing or no number is said of its field', () => {
  const form = {
    ...emptyForm([BOOKS]),
    parameters: { least: '5.5' },
    memoryMb: '1',
    deadlineS: 'x',
  }
  assert.deepEqual(problemsOf([BOOKS], form), {
    'inputs.books': 'input',
    'inputs.reviews': 'input',
    'parameters.least': 'integer',
    memoryMb: 'limit',
    deadlineS: 'limit',
  })
})

test('uploads, versions, paths and typed parameters become the question; own queries go whole', () => {
  const form = {
    ...filled(emptyForm([BOOKS])),
    parameters: { least: ' 40 ', word: ' a ' },
    memoryMb: '128',
  }
  assert.deepEqual(
    questionOf([BOOKS], form, () => false),
    {
      queries: [BOOKS],
      inputs: { books: { upload: 'inp_1' }, reviews: { table: 'reviews', version: 4 } },
      parameters: { least: 40, word: ' a ' },
      format: 'csv',
      memoryMb: 128,
    },
  )
})

test('choosing another query keeps what was filled in', () => {
  const form = refilled(filled(emptyForm([BOOKS])), [BOOKS, HOSTS])
  assert.equal(form.inputs['books']!.upload, 'inp_1')
  assert.equal(form.inputs['captures']!.table, 'captures')
})
