// Goal: faults happen where, when and as often as listed, and to real processes.
// Method: children that pass a point many times; a search of the code for names not on the list.
import assert from 'node:assert/strict'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

import { delayAt, FAULT_POINTS, faultsEnv, killAt, pauseAt } from './faults.ts'
import { endAllProcesses, startProcess, type Child } from './processes.ts'

after(() => endAllProcesses())

const MODULE = new URL('fault-point.ts', import.meta.resolve('@minga/protocol')).href

/** Passes `ingest:after-append` five times, saying so each time. */
const PROGRAM = `
  const { faultPoint } = await import(${JSON.stringify(MODULE)})
  const { writeSync } = await import('node:fs')
  for (let n = 1; n <= 5; n += 1) {
    writeSync(1, 'before ' + n + '\\n')
    faultPoint('ingest:after-append')
    faultPoint('lease:after-commit')
  }
  writeSync(1, 'done\\n')`

function startPassing(env: Record<string, string>): Promise<Child> {
  return startProcess(process.execPath, ['--input-type=module', '-e', PROGRAM], { env })
}

test('a process is killed at the named passage', async () => {
  const child = await startPassing(faultsEnv([killAt('ingest:after-append', { passage: 3 })]))
  assert.deepEqual(await child.waitExit(5000), { code: null, signal: 'SIGKILL' })
  assert.equal(child.stdout(), 'before 1\nbefore 2\nbefore 3\n')
  assert.match(child.stderr(), /fault: kill@ingest:after-append#3 in process \d+/)
})

test('with a folder each listed fault happens once over restarts', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'minga-faults-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const kill = killAt('ingest:after-append', { passage: 2 })
  const env = {
    ...faultsEnv([kill, killAt('lease:after-commit', { passage: 4 }), kill], join(folder, 'spent')),
  }
  const ends: (string | null)[] = []
  for (let start = 0; start < 5; start += 1) {
    const child = await startPassing(env)
    ends.push((await child.waitExit(5000)).signal)
  }
  assert.deepEqual(ends, ['SIGKILL', 'SIGKILL', 'SIGKILL', null, null])
})

test('a paused process stands still until it is resumed', async () => {
  const child = await startPassing(faultsEnv([pauseAt('ingest:after-append', { passage: 2 })]))
  await child.waitOutput(/fault: pause/, 5000)
  await sleep(100)
  assert.equal(child.stdout(), 'before 1\nbefore 2\n')
  assert.equal(child.exit(), undefined)
  child.resume()
  assert.deepEqual(await child.waitExit(5000), { code: 0, signal: null })
  assert.match(child.stdout(), /done/)
})

test('a delay blocks for its time', async () => {
  const child = await startPassing(faultsEnv([delayAt('lease:after-commit', { delayMs: 1_500 })]))
  await child.waitOutput(/fault: delay:1500/, 5000)
  await sleep(100)
  assert.equal(child.stdout(), 'before 1\n')
  assert.equal((await child.waitExit(5000)).code, 0)
})

test('a fault for a role spares processes of other roles', async () => {
  const env = faultsEnv([killAt('ingest:after-append', { role: 'agent' })])
  const other = await startPassing({ ...env, MINGA_ROLE: 'coordinator' })
  const agent = await startPassing({ ...env, MINGA_ROLE: 'agent' })
  assert.equal((await other.waitExit(5000)).code, 0)
  assert.equal((await agent.waitExit(5000)).signal, 'SIGKILL')
})

test('a misspelt fault stops the process instead of never happening', async () => {
  const child = await startPassing({ MINGA_FAULTS: 'kil@ingest:after-append' })
  assert.equal((await child.waitExit(5000)).code, 1)
  assert.match(child.stderr(), /MINGA_BAD_FAULT/)
})

test('every fault point in the code is on the list', () => {
  const root = new URL('../../../', import.meta.url).pathname
  const files = globSync('{packages,apps}/*/src/**/*.ts', { cwd: root })
  const used = files
    .filter((file) => !file.endsWith('.test.ts') && !file.endsWith('fault-point.ts'))
    .flatMap((file) => [
      ...readFileSync(join(root, file), 'utf8').matchAll(/\bfaultPoint\('([^']+)'\)/g),
    ])
    .map((match) => match[1] ?? '')
  const known = new Set<string>(FAULT_POINTS)
  assert.deepEqual(
    used.filter((name) => !known.has(name)),
    [],
  )
})
