// Goal: the agent of a lent machine is confined, and nothing that its owner does to the command passes it by. Method: real
// commands whose station is away, so that the agent waits; Linux tells which process is whose child, and its flags.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { endAllProcesses, startProcess, type Child } from '@minga/testkit'
import { isAlive } from './processes.ts'

const MINGA = resolve(import.meta.dirname, '../bin/minga.mjs')
const folder = mkdtempSync(join(tmpdir(), 'minga-lent-'))
after(async () => {
  await endAllProcesses()
  rmSync(folder, { recursive: true, force: true })
})
const skip = process.platform !== 'linux' && 'only Linux tells by files who started whom'

/** Only a test that fails waits so long. */
const WAIT_MS = 30_000
const READY = /what it does and what it may use/
const read = (path: string): string => readFileSync(path, 'utf8')

async function startJoin(name: string, flags: readonly string[] = []): Promise<Child> {
  const own = ['--data', join(folder, name), '--page-port', '0', '--token', 'none']
  const args = [...flags, MINGA, 'agent', 'join', 'http://127.0.0.1:9', ...own]
  return startProcess(process.execPath, args)
}

async function joined(name: string): Promise<{ command: Child; agentPid: number }> {
  const command = await startJoin(name)
  await command.waitOutput(READY, WAIT_MS)
  return { command, agentPid: Number(read(`/proc/${command.pid}/task/${command.pid}/children`)) }
}

async function ended(pid: number): Promise<void> {
  const deadlineMs = performance.now() + WAIT_MS
  while (isAlive(pid)) {
    assert.ok(performance.now() < deadlineMs, `process ${pid} goes on`)
    await pause(20)
  }
}

const pause = (ms: number): Promise<void> => new Promise((after_) => setTimeout(after_, ms))

test(
  'the process that fetches has permissions of its own, and few of its variables',
  { skip },
  async () => {
    const { command, agentPid } = await joined('flags')
    const flags = read(`/proc/${agentPid}/cmdline`).split('\0')
    assert.ok(flags.includes('--permission'))
    const data = join(folder, 'flags')
    const written = flags.filter((flag) => flag.startsWith('--allow-fs-write='))
    assert.ok(written.includes(`--allow-fs-write=${data}`))
    assert.ok(!written.some((flag) => flag === `--allow-fs-write=${folder}` || flag.endsWith('=*')))
    assert.ok(!flags.some((flag) => /^--allow-(child-process|addons|wasi|inspector)$/.test(flag)))
    assert.ok(!flags.includes('none'), 'the token is not in the list of processes')
    const { pid } = JSON.parse(read(join(data, 'agent-page.json'))) as { pid: number }
    assert.equal(pid, command.pid, 'who is named is who takes signals')
    command.signal('SIGTERM')
    assert.deepEqual(await command.waitExit(WAIT_MS), { code: 0, signal: null })
  },
)

test('Ctrl-C, which reaches both processes, ends them once and cleanly', { skip }, async () => {
  const { command, agentPid } = await joined('ctrl-c')
  process.kill(-command.pid, 'SIGINT')
  assert.deepEqual(await command.waitExit(WAIT_MS), { code: 0, signal: null })
  await ended(agentPid)
  assert.equal(command.stderr().match(/stopping/g)?.length, 1)
  assert.equal(read(join(folder, 'ctrl-c', 'processes.json')), '[]\n')
})

test('a second signal ends an agent that does not stop', { skip }, async () => {
  const { command, agentPid } = await joined('second')
  process.kill(agentPid, 'SIGSTOP')
  command.signal('SIGINT')
  await command.waitOutput(/stopping/, WAIT_MS)
  await pause(300)
  command.signal('SIGINT')
  assert.deepEqual(await command.waitExit(WAIT_MS), { code: 13, signal: null })
  await ended(agentPid)
})

test(
  'a command that is killed takes its agent along, and the folder can be used at once',
  { skip },
  async () => {
    const { command, agentPid } = await joined('killed')
    command.kill9()
    const again = await joined('killed')
    await ended(agentPid)
    again.command.signal('SIGTERM')
    assert.equal((await again.command.waitExit(WAIT_MS)).code, 0)
  },
)

test(
  'the command dies of what its agent died of, and leaves its folder in order',
  { skip },
  async () => {
    const { command, agentPid } = await joined('died')
    process.kill(agentPid, 'SIGKILL')
    assert.deepEqual(await command.waitExit(WAIT_MS), { code: null, signal: 'SIGKILL' })
    assert.equal(read(join(folder, 'died', 'processes.json')), '[]\n')
  },
)

test('a folder whose name is a wildcard to Node is refused', async () => {
  const command = await startJoin('a*')
  assert.equal((await command.waitExit(WAIT_MS)).code, 2)
  assert.match(command.stderr(), /MINGA_BAD_OPTION/)
})

test('a Node that may start no other runs the agent itself, and says so', async () => {
  const rights = ['--permission', '--allow-worker', '--allow-fs-read=*', '--allow-fs-write=*']
  const command = await startJoin('alone', rights)
  await command.waitOutput(READY, WAIT_MS)
  assert.match(command.stderr(), /this Node may start no other: the agent has the permissions/)
  command.signal('SIGTERM')
  assert.deepEqual(await command.waitExit(WAIT_MS), { code: 0, signal: null })
})
