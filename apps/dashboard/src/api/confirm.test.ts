// Goal: a call that takes the password again waits for it and is made once more, or is refused as it was. Method: a
// station in a function, and a user who types or does not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask } from './call.ts'
import { askForPassword } from './confirm.ts'

const storage = { getItem: () => null }
Object.assign(globalThis, { sessionStorage: storage, localStorage: storage })
const REFUSAL = JSON.stringify({ error: { code: 'MINGA_CONFIRM_PASSWORD', message: 'again' } })

async function asked(types: boolean | null): Promise<{ statuses: number[]; times: number }> {
  const statuses: number[] = []
  let isConfirmed = false
  let times = 0
  const former = globalThis.fetch
  globalThis.fetch = async () => {
    const answer = isConfirmed ? new Response('{}') : new Response(REFUSAL, { status: 403 })
    statuses.push(answer.status)
    return answer
  }
  const stop =
    types === null
      ? () => {}
      : askForPassword(async () => {
          times++
          isConfirmed = types
          return types
        })
  try {
    const calls = [ask('POST', '/keys', { body: {} }), ask('POST', '/keys', { body: {} })]
    for (const result of await Promise.allSettled(calls)) {
      assert.equal(result.status, types === true ? 'fulfilled' : 'rejected')
    }
  } finally {
    stop()
    globalThis.fetch = former
  }
  return { statuses, times }
}

test('the password is asked for once, and what was refused is done', async () => {
  assert.deepEqual(await asked(true), { statuses: [403, 403, 200, 200], times: 1 })
})

test('without it the call is refused as it was', async () => {
  assert.deepEqual(await asked(false), { statuses: [403, 403], times: 1 })
  assert.deepEqual(await asked(null), { statuses: [403, 403], times: 0 })
})
