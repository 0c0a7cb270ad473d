// Goal: whatever a file or a query does to the process that reads it, the station lives and the
// next question is answered. Method: the process is killed as a crash of native code would, and a
// query computes for ever when it is checked.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { LakeFiles, type Query } from '@minga/lake'
import { systemClock } from '@minga/protocol'
import { temporaryFolder } from '../../../../../packages/store/test/contract-engines.ts'
import { BindingClient } from './binding-client.ts'
import { ownRunner } from '../duckdb/runner.ts'

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
