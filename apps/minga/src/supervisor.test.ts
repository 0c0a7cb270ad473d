// Goal: a station stops on request, whatever its processes are doing. Method: a real child that ends
// without being watched.
import assert from 'node:assert/strict'
import { execFile, type ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { HeartbeatMonitor, Supervisor } from './supervisor.ts'

const folder = mkdtempSync(join(tmpdir(), 'minga-supervisor-'))
after(() => rmSync(folder, { recursive: true }))

/** Without a turn of the event loop: whatever happens meanwhile is not heard of. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

test('a child that has just died does not keep its supervisor from stopping', async () => {
  const program = join(folder, 'child.mjs')
  writeFileSync(program, `process.send('here'); setInterval(() => {}, 1_000)`)
  const supervisor = new Supervisor(folder)
  const child = await new Promise<ChildProcess>((resolve) => {
    supervisor.start({
      role: 'worker',
      name: 'a worker',
      module: pathToFileURL(program),
      env: () => ({}),
      onMessage: (_, it) => resolve(it),
    })
  })
  child.kill('SIGKILL')
  standStill(500)
  assert.equal(child.connected, true, 'its end has not been heard of')
  await supervisor.stop()
  assert.equal(child.signalCode, 'SIGKILL')
  assert.deepEqual(JSON.parse(readFileSync(join(folder, 'processes.json'), 'utf8')), [])
})

test('what children print reaches a terminal, unless the supervisor is quiet', async () => {
  const talking = join(folder, 'talking.mjs')
  writeFileSync(talking, `console.log('said'); process.send('said'); setInterval(() => {}, 1_000)`)
  const [program, supervisor] = [
    pathToFileURL(talking),
    new URL('./supervisor.ts', import.meta.url),
  ]
  const script = join(folder, 'parent.mjs')
  writeFileSync(
    script,
    `import { Supervisor } from '${supervisor.href}'
    const supervisor = new Supervisor('${folder}', { isQuiet: process.argv[2] === 'quiet' })
    const module = new URL('${program.href}')
    const onMessage = () => supervisor.kill()
    supervisor.start({ role: 'worker', name: 'one', module, env: () => ({}), onMessage })`,
  )
  const printed = async (how: string): Promise<string[]> => {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [script, how])
    return [stdout, stderr]
  }
  assert.deepEqual(await printed('aloud'), ['', 'said\n'])
  assert.deepEqual(await printed('quiet'), ['', ''])
})

test('a child gets what it needs of the environment, and no password that is meant for another', async () => {
  const program = join(folder, 'environment.mjs')
  writeFileSync(program, `process.send(process.env); setInterval(() => {}, 1_000)`)
  const given = {
    MINGA_SMTP_URL: 'smtps://ana:geheim@mail.test',
    MINGA_POSTGRES: 'postgres://ana:geheim@db.test/minga',
    AWS_SECRET_ACCESS_KEY: 'geheim',
    MINGA_SETTING_CACHE_MS: '1',
    NODE_NO_WARNINGS: '1',
  }
  Object.assign(process.env, given)
  const supervisor = new Supervisor(folder)
  const seenBy = (role: 'agent' | 'coordinator'): Promise<Record<string, string>> =>
    new Promise((resolve) => {
      const onMessage = (message: unknown): void => resolve(message as Record<string, string>)
      const module = pathToFileURL(program)
      supervisor.start({ role, name: role, module, env: () => ({ OWN: 'yes' }), onMessage })
    })
  const [agent, coordinator] = [await seenBy('agent'), await seenBy('coordinator')]
  supervisor.kill()
  for (const name of Object.keys(given)) delete process.env[name]
  assert.ok(!JSON.stringify([agent, coordinator]).includes('geheim'))
  const { PATH, OWN, NODE_NO_WARNINGS, MINGA_ROLE } = agent
  const common = { PATH: process.env['PATH'], OWN: 'yes', NODE_NO_WARNINGS: '1' }
  assert.deepEqual({ PATH, OWN, NODE_NO_WARNINGS, MINGA_ROLE }, { ...common, MINGA_ROLE: 'agent' })
  assert.equal(agent['MINGA_SETTING_CACHE_MS'], undefined)
  assert.equal(coordinator['MINGA_SETTING_CACHE_MS'], '1')
})

// Goal: a child that hangs is distinguished from a slow one. Method: periods and heartbeats, one by one.

test('a child that beats, however irregularly, is never silent', () => {
  const heartbeats = new HeartbeatMonitor(1000)
  for (let period = 0; period < 100; period++) {
    if (period % 4 !== 3) heartbeats.heard()
    assert.equal(heartbeats.isSilent(), false)
  }
})

test('a child is silent after the fourth period without a beat', () => {
  const heartbeats = new HeartbeatMonitor(1000)
  heartbeats.heard()
  assert.deepEqual(
    Array.from({ length: 5 }, () => heartbeats.isSilent()),
    [false, false, false, false, true],
  )
})

test('a child that has not begun is given a minute', () => {
  const heartbeats = new HeartbeatMonitor(2500)
  const judged = Array.from({ length: 24 }, () => heartbeats.isSilent())
  assert.equal(judged.indexOf(true), 23)
})
