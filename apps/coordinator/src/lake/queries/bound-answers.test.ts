// Goal: a process that a file took over cannot have workers read other files or change tables by what it answers.
// Method: forged answers, and the same plan as it was before.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Binding, FileBinding, Plan } from '@minga/lake'
import { boundPlan, boundTo } from './bound-answers.ts'

const SECRET = { at: 'outside' as const, name: '/var/lib/minga/secrets.json', bytes: 9 }
const looked = (more: Partial<FileBinding>): FileBinding => ({
  kind: 'file',
  file: { at: 'lake', name: 'inputs/inp_1/data.csv', bytes: 20 },
  format: 'csv',
  units: [{ kind: 'range', from: 0, to: 20 }],
  header: ['city'],
  ...more,
})
const upload = { path: '/data/lake/inputs/inp_1/data.csv', lakeName: 'inputs/inp_1/data.csv' }

test('the file of an answer is the one that the question named', () => {
  assert.deepEqual(boundTo(upload, looked({})), looked({}))
  assert.deepEqual(boundTo(upload, looked({ file: SECRET })).file, {
    ...SECRET,
    at: 'lake',
    name: upload.lakeName,
  })
  assert.deepEqual(boundTo({ path: '/books.csv' }, looked({ file: SECRET })).file, {
    ...SECRET,
    name: '/books.csv',
  })
  const units = [{ kind: 'segments' as const, files: [SECRET] }]
  assert.throws(() => boundTo(upload, looked({ units })), { code: 'MINGA_BAD_INPUT' })
})

test('the inputs of a plan are those that were given, and it changes no table', () => {
  const bindings: Record<string, Binding> = { books: looked({}) }
  const rules = { columns: {} }
  const plan: Plan = {
    stages: [],
    inputs: {
      books: { rules, binding: looked({}) },
      'books~2': { rules: null, binding: looked({}) },
    },
    results: [],
  }
  assert.deepEqual(boundPlan(plan, bindings), plan)
  const forged = {
    ...plan,
    inputs: { ...plan.inputs, books: { rules, binding: looked({ file: SECRET }) } },
    segments: [{ table: 'captures', columns: [], of: { stage: '1', output: 'x' } }],
  }
  assert.deepEqual(boundPlan(forged, bindings), plan)
  const other = { ...plan, inputs: { secrets: { rules, binding: looked({ file: SECRET }) } } }
  assert.throws(() => boundPlan(other, bindings), { code: 'MINGA_BAD_QUERY' })
})
