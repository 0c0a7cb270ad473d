// Goal: a file that fails, hangs or ends its process is named, and no other suffers. Method: real processes on small files.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { ROOT } from '../commands.ts'
import { failuresOf, ProcessSlots, runJobs, totalOf, type FileResult } from './run-jobs.ts'

/** Within the workspace, so that its paths are relative to the root as all others are. */
const folder = fs.mkdtempSync(path.join(ROOT, 'node_modules/.test-run-'))
after(() => fs.rmSync(folder, { recursive: true, force: true }))

function write(name: string, body: string): string {
  const file = path.join(folder, `${name}.test.mjs`)
  fs.writeFileSync(file, `import { test } from 'node:test'\n${body}\n`)
  return path.relative(ROOT, file)
}

const passes = (name: string): string => write(name, `test('passes', () => {})`)

async function run(files: string[], timeoutMs = 30_000): Promise<Map<string, FileResult>> {
  const results = await runJobs([files], { slots: new ProcessSlots(1), timeoutMs, env: {} })
  return new Map(results.map((result) => [path.basename(result.file, '.test.mjs'), result]))
}

test('a failure in a shared process is that of its file, and files are not run again', async () => {
  const log = path.join(folder, 'log')
  const note = `import fs from 'node:fs'; fs.appendFileSync(${JSON.stringify(log)}, '1')`
  const fails = write('fails', `${note}\ntest('fails', () => { throw new Error('no luck') })`)
  const results = await run([passes('first'), fails, passes('last')])
  assert.deepEqual(totalOf([...results.values()]), { tests: 3, pass: 2, fail: 1, skipped: 0 })
  assert.match(results.get('fails')!.output, /✖ fails\nError: no luck/)
  assert.equal(fs.readFileSync(log, 'utf8'), '1')
})

test('a file that hangs or ends the process is named, and those behind it still run', async () => {
  const hangs = write(
    'hangs',
    `test('hangs', async () => { await new Promise((begun) => setTimeout(begun, 200)); for (;;); })`,
  )
  const exits = write('exits', `test('exits', () => process.exit(0))`)
  const broken = write('broken', `import './nowhere.mjs'`)
  const results = await run([passes('one'), hangs, exits, broken, passes('two')], 4_000)
  const failed = [...results.values()].filter(({ totals }) => totals.fail > 0)
  assert.deepEqual(
    failed.map(({ file }) => path.basename(file, '.test.mjs')),
    ['hangs', 'exits', 'broken'],
  )
  assert.match(
    results.get('hangs')!.output,
    /did not end within 4 s\. The last test to begin: hangs\./,
  )
  assert.match(results.get('broken')!.output, /nowhere/)
  assert.equal(results.get('two')!.totals.pass, 1)
  const saidAgain = failuresOf([...results.values()])
  assert.equal(saidAgain.length, 3)
  assert.match(saidAgain[0]!, /hangs\.test\.mjs\n[^]*did not end within 4 s/)
})

test('an error that nobody caught fails its test, and files after it still run', async () => {
  const throws = write(
    'throws',
    `test('waits in vain', () => new Promise(() => setTimeout(() => { throw new Error('too late') })))`,
  )
  const results = await run([throws, passes('after')])
  assert.match(results.get('throws')!.output, /✖ waits in vain\nError: too late/)
  assert.deepEqual(totalOf([...results.values()]), { tests: 2, pass: 1, fail: 1, skipped: 0 })
})

test('what a test registers for its end is done at its end, not at that of the process', async () => {
  const registers = write(
    'registers',
    `import assert from 'node:assert'
    import { after } from 'node:test'
    let isDone = false
    test('registers', async () => {
      await new Promise((resolve) => setTimeout(resolve))
      after(() => { isDone = true })
    })
    test('sees that it was done', () => assert.equal(isDone, true))`,
  )
  const results = await run([registers, passes('behind')])
  assert.deepEqual(totalOf([...results.values()]), { tests: 3, pass: 3, fail: 0, skipped: 0 })
})

test('what before() of a suite registers is done at the end of that suite, after its other hooks', async () => {
  const suites = write(
    'suite-hooks',
    `import assert from 'node:assert'
    import { after, before, describe } from 'node:test'
    const done = []
    describe('a suite', () => {
      before(async () => {
        await new Promise((resolve) => setTimeout(resolve))
        after(() => { done.push('registered') })
      })
      after(() => { done.push('declared') })
      test('has ended nothing yet', () => assert.deepEqual(done, []))
    })
    test('sees what was done', () => assert.deepEqual(done, ['declared', 'registered']))`,
  )
  const results = await run([suites, passes('later')])
  assert.deepEqual(
    [...results.values()].map(({ totals, output }) => [totals.pass, output]),
    [
      [2, ''],
      [1, ''],
    ],
  )
})

test('a file with a process of its own fails when it leaves something open', async () => {
  const results = await run(
    [write('leaves', `test('passes', () => { setInterval(() => {}, 1000) })`)],
    2_000,
  )
  assert.equal(results.get('leaves')!.totals.fail, 1)
  assert.match(results.get('leaves')!.output, /did not end within 2 s/)
})

test('suites and their hooks hold for the tests within them alone', async () => {
  const suites = write(
    'suites',
    `import { before, beforeEach, describe } from 'node:test'
    import assert from 'node:assert'
    let outer = 0, inner = 0, each = 0
    describe('outer', () => {
      before(() => { outer++ })
      test('has its hook', () => assert.deepEqual([outer, inner, each], [1, 0, 0]))
      describe('inner', () => {
        before(async () => { await null; inner++ })
        beforeEach(() => { each++ })
        test('has both', async (t) => {
          await null
          await t.test('and subtests', () => assert.deepEqual([outer, inner], [1, 1]))
        })
      })
    })
    test('outside', () => assert.equal(outer + inner, 2))`,
  )
  const results = await run([suites, passes('next')])
  assert.deepEqual(
    [...results.values()].map(({ totals }) => totals.fail),
    [0, 0],
  )
})

test('stages share the processes there may be, and take turns', async () => {
  const slots = new ProcessSlots(2)
  const order: string[] = []
  let atOnce = 0
  let most = 0
  const stage = (name: string): Promise<void>[] =>
    Array.from({ length: 3 }, () =>
      slots.run(async () => {
        order.push(name)
        most = Math.max(most, ++atOnce)
        await new Promise((resolve) => setImmediate(resolve))
        atOnce -= 1
      }),
    )
  await Promise.all([...stage('unit'), ...stage('e2e')])
  assert.deepEqual([most, order.length], [2, 6])
})
