// Goal: whatever a file or a query does to the process that reads it, the station lives and the
// next question is answered. Method: the process is killed as a crash of native code would, and a
// query computes for ever when it is checked.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { LakeFiles, type Binding, type FileBinding, type Plan, type Query } from '@minga/lake'
import { systemClock } from '@minga/protocol'
import { temporaryFolder } from '../../../../../packages/store/test/contract-engines.ts'
import { ownRunner } from '../duckdb/runner.ts'
import { BindingClient, boundPlan, boundTo } from './binding-client.ts'

const folder = temporaryFolder()
const closing = new AbortController()
after(() => closing.abort())
const parts = {
  files: new LakeFiles(join(folder, 'not-there-yet')),
  runner: ownRunner,
  clock: systemClock,
  closing: closing.signal,
}
const path = join(folder, 'books.csv')
writeFileSync(path, 'title,year\nA,1999\n')

const queryOf = (x: string): Query => ({
  name: 'try',
  about: '',
  inputs: { books: { columns: { title: { type: 'text' } } } },
  from: { step: 'project', from: { step: 'scan', input: 'books' }, columns: { x } },
  output: { columns: ['x'], order: [] },
})

/** Kills each process that is to answer, once: a second signal could meet one that is gone already. */
async function eachKilled(binding: BindingClient, ask: () => Promise<unknown>): Promise<void> {
  const killed = new Set<number>()
  const kill = (): void => {
    const { pid } = binding
    if (pid === null || killed.has(pid)) return
    killed.add(pid)
    process.kill(pid, 'SIGKILL')
  }
  kill()
  const killing = setInterval(kill, 5)
  try {
    await ask()
  } finally {
    clearInterval(killing)
  }
}

test('a file that breaks its reader is refused, and the next one is read', async () => {
  const binding = new BindingClient(parts)
  const look = () => binding.look({ file: { path }, wishes: {} })
  const known = await look()
  assert.deepEqual(known.header, ['title', 'year'])
  const { pid } = binding
  assert.ok(pid !== null && pid !== process.pid)
  assert.deepEqual(Object.keys((await binding.infer({ path, binding: known })).columns), [
    'title',
    'year',
  ])
  assert.equal(binding.pid, pid, 'one process answers several questions')
  process.kill(pid, 'SIGKILL')
  assert.deepEqual(await look(), known, 'one that something else ended is replaced')
  await assert.rejects(eachKilled(binding, look), {
    code: 'MINGA_BAD_INPUT',
    message: /crashed its reader/,
  })
  assert.deepEqual(await look(), known)
  const missing = binding.look({ file: { path: `${path}.gone` }, wishes: {} })
  await assert.rejects(missing, { code: 'MINGA_BAD_INPUT' })
})

test('a query whose constants take for ever to compute is refused, and the next one is planned', async () => {
  const binding = new BindingClient({ ...parts, planMs: 4_000 })
  const bindings = { books: await binding.look({ file: { path }, wishes: {} }) }
  const plan = (x: string) =>
    binding.plan({ asked: [{ query: queryOf(x) }], bindings, options: { format: 'csv' } })
  await plan(`title = 'A'`)
  const long = `repeat('a', 300000)`
  const pattern = `CAST(levenshtein(${long}, reverse(${long} || 'b')) AS VARCHAR)`
  const error = plan(`regexp_matches(title, ${pattern})`)
  await assert.rejects(error, { code: 'MINGA_BAD_QUERY', message: /took longer than 4 s/ })
  assert.equal((await plan(`title = 'B'`)).results.length, 1)
})

// Goal: a process that a file took over cannot have workers read other files or change tables by what it answers.
// Method: forged answers, and the same plan as it was before.

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
