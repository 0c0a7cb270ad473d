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

/** Suites connect to databases while they are loaded. File after file without a pause would let that time out. */
const CONNECT_MS = 20

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
  await sleep(CONNECT_MS)
  test(marksOf(file).end, () => {})
}
