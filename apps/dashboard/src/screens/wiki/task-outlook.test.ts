// Goal: no end is promised that the figures do not support. Method: tasks in each state.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOpen, outlookOf } from './task-outlook.ts'

const PROGRESS = {
  requests: 10,
  revisions: 0,
  pages: 0,
  pagesDone: 0,
  upToDate: 0,
  missing: [],
  warnings: [],
}

test('the time left is that of the requests that wait, at the pace so far', () => {
  const task = { state: 'running', startedAt: 1_000, queued: 30, progress: PROGRESS } as const
  assert.deepEqual(outlookOf(task, 21_000), { share: 0.25, leftMs: 60_000 })
})

test('before the first answer, and for a waiting task, the end is unknown', () => {
  const none = { ...PROGRESS, requests: 0 }
  const begun = { state: 'running', startedAt: 1_000, queued: 1, progress: none } as const
  assert.deepEqual(outlookOf(begun, 2_000), { share: 0, leftMs: null })
  const waiting = { state: 'waiting', startedAt: null, queued: 0, progress: none } as const
  assert.deepEqual(outlookOf(waiting, 2_000), { share: null, leftMs: null })
})

test('what is done is done', () => {
  const task = { state: 'done', startedAt: 1, queued: 0, progress: PROGRESS } as const
  assert.deepEqual(outlookOf(task, 9), { share: 1, leftMs: 0 })
  assert.deepEqual(
    (['waiting', 'running', 'done', 'failed', 'cancelled'] as const).map((state) =>
      isOpen({ state }),
    ),
    [true, true, false, false, false],
  )
})
