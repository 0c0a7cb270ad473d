// Goal: what may share a process does, and what may not never does. Method: made-up files, and the lists against the files that there are.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { ROOT } from '../commands.ts'
import { needsItsOwn, planJobs, WAITING_TESTS, type TestFile } from './plan-jobs.ts'
import { SLOW_TESTS } from './slow-tests.ts'

const QUIET = "import { test } from 'node:test'\ntest('a', () => {})\n"
const quiet = (count: number): TestFile[] =>
  Array.from({ length: count }, (_, index) => ({
    file: `packages/a/${String(index).padStart(3, '0')}.test.ts`,
    text: QUIET,
  }))

test('files that leave their process as it was share one, in groups of about the same size', () => {
  const jobs = planJobs(quiet(100))
  assert.deepEqual(
    jobs.map((job) => job.length),
    [33, 33, 34],
  )
  assert.deepEqual(
    jobs.flat(),
    quiet(100).map(({ file }) => file),
  )
})

test('what starts, ends or changes a process, or measures it, has one of its own', () => {
  for (const text of [
    `// Needs a process of its own: it counts all timers.`,
    `import { fork } from 'node:child_process'`,
    `process.kill(pid)`,
    `process.env['TZ'] = 'UTC'`,
    `import { mock, test } from 'node:test'`,
    `globalThis.fetch = answer`,
    `beforeEach(() => open())`,
    `process.on('warning', note)`,
    `t.mock.method(process.stderr, 'write', note)`,
    `t.mock.method(globalThis, 'fetch', answer)`,
    `t.mock.timers.enable()`,
    `const { rss } = process.memoryUsage()`,
    `await test('first', () => {})`,
    `const coordinator = await startCoordinator({})`,
  ]) {
    assert.equal(needsItsOwn({ file: 'packages/a/a.test.ts', text: QUIET + text }), true, text)
  }
  for (const text of ['', `t.mock.method(station.store, 'call')`, `process.stderr.write(line)`]) {
    assert.equal(needsItsOwn({ file: 'packages/a/a.test.ts', text: QUIET + text }), false, text)
  }
  assert.equal(needsItsOwn({ file: 'tests/e2e/a.test.ts', text: QUIET }), true)
  assert.equal(needsItsOwn({ file: SLOW_TESTS[0]!, text: QUIET }), true)
})

test('slow files begin first, then groups, then what is quick alone', () => {
  const slow = SLOW_TESTS.at(-1)!
  const alone = { file: 'packages/b/b.test.ts', text: `process.exit(1)` }
  const jobs = planJobs([alone, ...quiet(2), { file: slow, text: QUIET }])
  assert.deepEqual(jobs, [[slow], quiet(2).map(({ file }) => file), ['packages/b/b.test.ts']])
})

test('every file that is named as waiting is there', () => {
  assert.deepEqual(
    WAITING_TESTS.filter((file) => !existsSync(path.join(ROOT, file))),
    [],
  )
})
