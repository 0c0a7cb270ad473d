// Goal: one agent per folder, and a dead one leaves it free. Method: the lock taken twice in this
// process and from another, which is then killed.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { startProcess } from '@minga/testkit'
import { lockFolder } from './folder-lock.ts'

function folder(t: TestContext): string {
  const data = mkdtempSync(join(tmpdir(), 'minga-lock-'))
  t.after(() => rmSync(data, { recursive: true }))
  return data
}

test('a second agent in the same folder gets an error that says so, and may start when the first has gone', async (t) => {
  const data = folder(t)
  const unlock = await lockFolder(data)
  await assert.rejects(lockFolder(data), (error: Error & { code: string }) => {
    assert.equal(error.code, 'MINGA_AGENT_RUNNING')
    assert.match(error.message, /--data/)
    assert.ok(error.message.includes(data))
    return true
  })
  const other = await lockFolder(join(data, 'elsewhere'))
  other()
  unlock()
  const again = await lockFolder(data)
  again()
})

test('the lock of a process that was killed is free at once', async (t) => {
  const data = folder(t)
  const module = new URL('folder-lock.ts', import.meta.url).href
  const script = `import { lockFolder } from '${module}'; await lockFolder(${JSON.stringify(data)}); console.log('locked'); setInterval(() => {}, 1000)`
  const child = await startProcess(process.execPath, ['--input-type=module', '--eval', script])
  t.after(() => child.killTree())
  await child.waitOutput(/locked/, 15_000)
  await assert.rejects(lockFolder(data), { code: 'MINGA_AGENT_RUNNING' })
  child.kill9()
  await child.waitExit(5_000)
  const unlock = await lockFolder(data)
  unlock()
})
