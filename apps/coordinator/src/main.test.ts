// Goal: a process that starts a coordinator waits until it has read its program, however long that
// takes. Method: a separate process that reports when it reads the larger part.
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { BEAT } from '@minga/protocol'

const READING = 'reading'
const TELLS = `
  import { registerHooks } from 'node:module'
  registerHooks({
    load(url, context, next) {
      if (url.endsWith('/assemble.ts') && process.send) process.send('${READING}')
      return next(url, context)
    },
  })`

test('a coordinator does not beat before it has read its program', async (t) => {
  const data = mkdtempSync(path.join(os.tmpdir(), 'minga-main-'))
  const settings = { data, listen: null, allowPrivateAddresses: false }
  const child = fork(fileURLToPath(new URL('./main.ts', import.meta.url)), [], {
    env: { ...process.env, MINGA_COORDINATOR: JSON.stringify(settings), MINGA_BEAT_MS: '50' },
    execArgv: ['--import', `data:text/javascript,${encodeURIComponent(TELLS)}`],
    stdio: ['ignore', 2, 2, 'ipc'],
  })
  t.after(() => {
    child.kill('SIGKILL')
    rmSync(data, { recursive: true, force: true })
  })
  const said: unknown[] = []
  await new Promise<void>((resolve) => {
    child.on('message', (message) => {
      said.push(message)
      if (said.includes(BEAT) && said.includes(READING)) resolve()
    })
    child.once('exit', () => resolve())
  })
  assert.deepEqual(said.slice(0, 2), [READING, BEAT])
})
