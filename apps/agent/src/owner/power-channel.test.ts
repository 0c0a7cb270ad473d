// Goal: an agent that may start no programs learns how its machine is powered, and cannot make its parent read that without
// end. Method: a real child process that asks many times; the parent's clock and what it reads are written here.
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { on, once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { answerPower } from './power-channel.ts'

const MODULE = new URL('./power-channel.ts', import.meta.url).href
/** Asks three times at once for each word of its parent. */
const ASKER = `
  const { askParentForPower } = await import('${MODULE}')
  process.on('message', async (message) => {
    if (message !== 'ask') return
    const answers = await Promise.all([1, 2, 3].map(() => askParentForPower()))
    process.send({ answers })
  })
  process.send({ ready: true })`

test('each question is answered, and the machine is asked again after ten seconds only', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'minga-power-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'asker.mjs')
  writeFileSync(file, ASKER)
  const child = fork(file)
  t.after(() => child.kill())
  let nowMs = 0
  let reads = 0
  const read = async () => ({ isOnBattery: ++reads > 1, isMetered: null })
  answerPower(child, { clock: { monotonicMs: () => nowMs }, read })
  const isOnBattery = async (): Promise<boolean[]> => {
    child.send('ask')
    for await (const [message] of on(child, 'message')) {
      const { answers } = message as { answers?: { isOnBattery: boolean }[] }
      if (answers) return answers.map((power) => power.isOnBattery)
    }
    return []
  }
  await once(child, 'message')
  assert.deepEqual(await isOnBattery(), [false, false, false])
  nowMs = 9_999
  assert.deepEqual(await isOnBattery(), [false, false, false])
  assert.equal(reads, 1)
  nowMs = 10_000
  assert.deepEqual(await isOnBattery(), [true, true, true])
  assert.equal(reads, 2)
})
