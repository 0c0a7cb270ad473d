// Goal: an action that can be undone is done once if the user does not undo it, and never if they do. Method: the
// timers of node:test.
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { actLater, dropToast, finishAll, readToasts, tell, UNDO_MS } from './toast-store.ts'

test('an act waits for the time to take it back and is then done once', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  const done: string[] = []
  const settled = (): void => void done.push('settled')
  actLater({ text: 'Removed', act: () => Promise.resolve(done.push('act')), settled })
  assert.equal(readToasts().length, 1)
  mock.timers.tick(UNDO_MS - 1)
  assert.deepEqual(done, [])
  mock.timers.tick(1)
  await Promise.resolve()
  await Promise.resolve()
  assert.deepEqual(done, ['act', 'settled'])
  assert.equal(readToasts().length, 0)
  mock.timers.reset()
})

test('an act that is taken back is never done, also not when the page is left', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  const done: string[] = []
  const act = { text: 'Removed', act: () => Promise.resolve(done.push('act')) }
  actLater({ ...act, settled: () => void done.push('settled') })
  const toast = readToasts().at(-1)!
  toast.undo!()
  dropToast(toast.id)
  finishAll()
  mock.timers.tick(UNDO_MS * 2)
  await Promise.resolve()
  assert.deepEqual(done, ['settled'])
  mock.timers.reset()
})

test('leaving the page confirms the action', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  let count = 0
  actLater({ text: 'Removed', act: () => Promise.resolve(count++), settled: () => undefined })
  finishAll()
  mock.timers.tick(UNDO_MS)
  await Promise.resolve()
  assert.equal(count, 1)
  mock.timers.reset()
})

test('news go by themselves, failures stay until they were read', () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  tell('Saved')
  tell('The disk is full', 'failure')
  mock.timers.tick(60_000)
  assert.deepEqual(
    readToasts().map(({ text }) => text),
    ['The disk is full'],
  )
  mock.timers.reset()
})
