// Goal: a child gets its settings whenever they are known, and can be stopped while it waits for them. Method: real
// child processes that print what they were given.
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'

const MODULE = new URL('./child-settings.ts', import.meta.url).href
const CHILD = `
  const { childSettings } = await import('${MODULE}')
  const stop = new AbortController()
  process.on('message', (message) => message === 'stop' && stop.abort())
  process.send('ready')
  const settings = await childSettings('GIVEN', process.env, stop.signal).catch(() => 'none')
  process.stdout.write(JSON.stringify(settings))
  process.disconnect()`

const folder = mkdtempSync(join(tmpdir(), 'minga-child-'))
const file = join(folder, 'child.mjs')
writeFileSync(file, CHILD)
after(() => rmSync(folder, { recursive: true }))

function startChild(env: Record<string, string> = {}) {
  const child = fork(file, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  return { child, said: text(child.stdout!) }
}

test('settings in the environment are there at once', async () => {
  const { said } = startChild({ GIVEN: '{"name":"a"}' })
  assert.equal(await said, '{"name":"a"}')
})

test('settings that come later are waited for, past other messages', async () => {
  const { child, said } = startChild()
  await once(child, 'message')
  child.send('beat')
  child.send({ settings: { name: 'b' } })
  assert.equal(await said, '{"name":"b"}')
})

test('a child that is stopped while it waits gets none', async () => {
  const { child, said } = startChild()
  await once(child, 'message')
  child.send('stop')
  assert.equal(await said, '"none"')
})
