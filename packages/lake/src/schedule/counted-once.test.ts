// Goal: progress tells rows of the inputs, each once, and no flaw is lost. Method: plans by hand whose stages read alike.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Plan, Stage, TaskDone } from '../model.ts'
import { countedOnce } from './resolve-task.ts'

const reading = (id: string, ...reads: [input: string, columns: string[]][]): Stage => ({
  id,
  about: '',
  tasks: { over: 'one' },
  reads: reads.map(([input, columns]) => ({
    as: input,
    from: 'input',
    input,
    columns,
    withRow: false,
  })),
  program: [],
  outputs: [],
  after: [],
})

const binding = {
  kind: 'table' as const,
  manifest: { table: 't', version: 1, columns: [], segments: [] },
}
const rules = {
  columns: {
    title: { type: 'text' as const, isRequired: true },
    score: { type: 'integer' as const },
    year: { type: 'year' as const },
  },
}
const plan: Plan = {
  stages: [
    reading('s1', ['books', ['title', 'score']]),
    reading('s2', ['books', ['title', 'score', 'year']]),
    reading('s3', ['books', ['title']], ['reviews', ['title']]),
  ],
  inputs: { books: { rules, binding }, reviews: { rules, binding } },
  results: [],
  segments: [],
}
const done: TaskDone = {
  outputs: [],
  rowsRead: 7,
  bytesRead: 70,
  rejects: { 'title:missing': 1, 'score:not-a-number': 2, 'year:no-year': 3, 'row:fields': 4 },
}
const lease = (stage: string) => ({ query: 'q', stage, index: 0, fence: 1 })

test('the first stage that reads an input counts it, with all that was wrong', () => {
  assert.deepEqual(countedOnce(plan, lease('s1'), done), done)
})

test('a stage that reads it again counts only flaws of columns that were not read before', () => {
  const rejects = { 'year:no-year': 3 }
  assert.deepEqual(countedOnce(plan, lease('s2'), done), {
    ...done,
    rowsRead: 0,
    bytesRead: 0,
    rejects,
  })
})

test('a stage that reads something new in addition counts as it is', () => {
  assert.deepEqual(countedOnce(plan, lease('s3'), done), done)
})
