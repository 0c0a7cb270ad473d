// Goal: a command whose reader has gone ends like any other. Method: the program as a process, its output
// closed before it writes.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const MINGA = fileURLToPath(new URL('../bin/minga.mjs', import.meta.url))

test('a reader that stops early is no error', async () => {
  const child = spawn(process.execPath, [MINGA, 'station', 'federate', '--help'])
  child.stdout.destroy()
  const complaints = text(child.stderr)
  const [code] = await once(child, 'exit')
  assert.equal(await complaints, '')
  assert.equal(code, 0)
})
