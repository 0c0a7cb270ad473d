// Goal: any Node a user has ends in a running Minga or in one clear sentence, and nothing outlives the
// command. Method: the real door with a stub main, in a temporary folder; a preload pretends an old Node.
import assert from 'node:assert/strict'
import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'

const STUB_MAIN = `
export async function main(args: string[]): Promise<number> {
  if (args[0] !== 'wait') {
    console.log(JSON.stringify({ args, lifeline: process.env['MINGA_LIFELINE_FD'] ?? null }))
    return Number(args[0])
  }
  let signals = 0
  process.on('SIGINT', () => console.log('signal ' + ++signals))
  process.on('SIGTERM', () => process.exit(11))
  console.log(String(process.pid))
  await new Promise((resolve) => setTimeout(resolve, 60_000))
  return 0
}`
const PRETEND_OLD = `
Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.19.0' } })`

let root = ''

before(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'minga-door-')))
  const app = join(root, 'apps', 'minga')
  await mkdir(join(app, 'src'), { recursive: true })
  await cp(join(import.meta.dirname, 'minga.mjs'), join(app, 'bin', 'minga.mjs'))
  await cp(join(import.meta.dirname, '../src/lifeline.ts'), join(app, 'src', 'lifeline.ts'))
  await writeFile(join(app, 'src', 'main.ts'), STUB_MAIN)
  await writeFile(join(app, 'package.json'), '{"type":"module"}')
  await writeFile(join(root, 'old.cjs'), PRETEND_OLD)
})
after(() => rm(root, { recursive: true }))

type Door = ChildProcessByStdio<null, Readable, Readable>

function open(args: string[], node: 'new' | 'old'): Door {
  const preload = node === 'old' ? ['--require', join(root, 'old.cjs')] : []
  const door = join(root, 'apps', 'minga', 'bin', 'minga.mjs')
  const env = { PATH: process.env['PATH'] }
  return spawn(process.execPath, [...preload, door, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
  })
}

async function run(args: string[], node: 'new' | 'old') {
  const door = open(args, node)
  const [out, err] = await Promise.all([text(door.stdout), text(door.stderr), once(door, 'exit')])
  return { code: door.exitCode, out, err }
}

async function withPinnedNode(use: () => Promise<void>): Promise<void> {
  await mkdir(join(root, 'node_modules', 'node', 'bin'), { recursive: true })
  await symlink(process.execPath, join(root, 'node_modules', 'node', 'bin', 'node'))
  try {
    await use()
  } finally {
    await rm(join(root, 'node_modules'), { recursive: true })
  }
}

async function nextLine(stream: Readable): Promise<string> {
  const [chunk] = await once(stream, 'data')
  return String(chunk).trim()
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('a new Node runs the command in its own process and passes arguments and exit code', async () => {
  const { code, out, err } = await run(['9', '--json', 'two words'], 'new')
  assert.equal(code, 9)
  assert.deepEqual(JSON.parse(out), { args: ['9', '--json', 'two words'], lifeline: null })
  assert.equal(err, '')
})

test('an old Node without a pinned one prints one sentence and exits with 4', async () => {
  const { code, out, err } = await run(['0'], 'old')
  assert.equal(code, 4)
  assert.equal(out, '')
  assert.match(
    err,
    /^minga needs Node 24\.12 or newer and this is Node 18\.19\.0; install Node 24 .*\.\n$/,
  )
})

test('an old Node re-executes the command on the pinned one, with arguments and exit code', () =>
  withPinnedNode(async () => {
    const { code, out, err } = await run(['3', 'a b', '--x=1'], 'old')
    assert.equal(code, 3)
    assert.deepEqual(JSON.parse(out), { args: ['3', 'a b', '--x=1'], lifeline: null })
    assert.equal(err, '')
  }))

test('signals reach the re-executed command exactly once and its exit code comes back', () =>
  withPinnedNode(async () => {
    const door = open(['wait'], 'old')
    assert.notEqual(Number(await nextLine(door.stdout)), door.pid)
    door.kill('SIGINT')
    assert.equal(await nextLine(door.stdout), 'signal 1')
    door.kill('SIGTERM')
    const [code] = await once(door, 'exit')
    assert.equal(code, 11)
  }))

test('the command dies of the same signal as the re-executed one', () =>
  withPinnedNode(async () => {
    const door = open(['wait'], 'old')
    process.kill(Number(await nextLine(door.stdout)), 'SIGKILL')
    const [, signal] = await once(door, 'exit')
    assert.equal(signal, 'SIGKILL')
  }))

test('killing the standing-by process with -9 ends the re-executed command too', () =>
  withPinnedNode(async () => {
    const door = open(['wait'], 'old')
    const pid = Number(await nextLine(door.stdout))
    door.kill('SIGKILL')
    await text(door.stdout) // Ends when the last holder of the pipe, the command, is gone.
    for (let i = 0; i < 100 && isAlive(pid); i++) await new Promise((wake) => setTimeout(wake, 50))
    assert.equal(isAlive(pid), false)
  }))
