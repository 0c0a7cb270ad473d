/**
 * Loads test files into one process, each between two tests that only mark where it begins
 * and ends. Which files these are stands in the environment: node:test loads this file by its path.
 */
import path from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { ROOT } from '../commands.ts'
import { loadingMs, marksOf, testFiles, type GroupMessage } from './group-messages.ts'
import { suitesDeclared } from './node-test.ts'
import { disableTestHooks, replaceNodeTest } from './test-hooks.ts'

replaceNodeTest()
for (const file of testFiles()) {
  test(marksOf(file).begin, async () => {
    process.send?.({ type: 'began', file } satisfies GroupMessage)
    // A file that never waits would keep what is said of those before it.
    await sleep(1)
  })
  const beganMs = performance.now()
  try {
    await import(pathToFileURL(path.join(ROOT, file)).href)
  } catch (error) {
    test('the file can be loaded', () => {
      throw error
    })
  }
  loadingMs.set(file, performance.now() - beganMs)
  await suitesDeclared()
  test(marksOf(file).end, () => {})
}
disableTestHooks()
