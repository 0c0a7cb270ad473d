// Goal: the owner's commands find the agent of a folder, move it, and say what is so when none runs.
// Method: the real commands as processes; the agent pretends behind its real page, or is only a folder.
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { lockFolder, openLocalPage } from '@minga/agent'
import { systemClock } from '@minga/protocol'
import { endAllProcesses, startProcess } from '@minga/testkit'
import { openDeviceFile } from '../../../../agent/src/station/device-file.ts'
import { PretendedAgent } from '../../../../agent/test/owner/local-page/control-fixture.ts'

const MINGA = path.resolve(import.meta.dirname, '../../../bin/minga.mjs')
const folder = mkdtempSync(path.join(tmpdir(), 'minga-levers-'))
after(async () => {
  await endAllProcesses()
  rmSync(folder, { recursive: true, force: true })
})

interface Ended {
  code: number | null
  out: string
  err: string
}

async function agent(command: string, data: string, ...options: string[]): Promise<Ended> {
  const args = [MINGA, 'agent', command, '--data', data, ...options]
  const child = await startProcess(process.execPath, args)
  const { code } = await child.waitExit(30_000)
  return { code, out: child.stdout(), err: child.stderr() }
}

let folders = 0

async function stoppedAgent(): Promise<string> {
  const data = path.join(folder, `agent-${++folders}`)
  await openDeviceFile(data)
  return data
}

async function runningAgent(t: TestContext): Promise<{ data: string; control: PretendedAgent }> {
  const data = await stoppedAgent()
  const control = new PretendedAgent()
  const page = await openLocalPage({ control, clock: systemClock, data, port: 0 })
  t.after(() => page.close())
  return { data, control }
}

test('where no agent ever was, every command says so and makes nothing', async () => {
  const nowhere = path.join(folder, 'nowhere')
  for (const command of ['status', 'pause', 'resume', 'log', 'leave']) {
    const { code, err } = await agent(command, nowhere)
    assert.equal(code, 1, command)
    assert.match(err, /There is no agent in .*nowhere;.*MINGA_NO_AGENT_FOLDER/)
  }
  assert.equal(existsSync(nowhere), false)
})

test('a stopped agent tells its state from its files and remembers a pause', async () => {
  const data = await stoppedAgent()
  assert.match((await agent('status', data)).out, /^state +stopped\n/)
  const paused = await agent('pause', data)
  assert.equal(paused.code, 0)
  assert.match(paused.err, /no agent is running in .*; when it starts it rests/)
  const limits = (): object =>
    JSON.parse(readFileSync(path.join(data, 'limits.json'), 'utf8')) as object
  assert.deepEqual({ ...limits(), isPaused: true }, limits())
  const { out } = await agent('status', data, '--json')
  const status = JSON.parse(out) as { isRunning: boolean; isPaused: boolean; station: null }
  assert.equal(status.isRunning, false)
  assert.equal(status.isPaused, true)
  assert.equal((await agent('resume', data)).code, 0)
  assert.deepEqual({ ...limits(), isPaused: false }, limits())
  const left = await agent('leave', data)
  assert.equal(left.code, 1)
  assert.match(left.err, /No agent is running in .*MINGA_AGENT_NOT_RUNNING/)
})

test('the log is read from the file of a stopped agent, newest first', async () => {
  const data = await stoppedAgent()
  const lines = [1, 2, 3].map((no) => {
    const url = `http://${no === 2 ? 'b' : 'a'}.test/\u001B[2J${no}`
    return { no, at: no * 1_000, url, status: no === 3 ? null : 200, code: null, bytes: 5, ms: 7 }
  })
  lines[2]!.code = 'MINGA_DNS_FAILED' as never
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  writeFileSync(path.join(data, 'activity.jsonl'), text)
  const { out } = await agent('log', data, '--limit', '2')
  const [first, second] = out.split('\n')
  assert.match(first!, /^1970-01-01 00:00:03 {2}MINGA_DNS_FAILED +5 B +7 ms {2}http:\/\/a\.test\//)
  assert.match(second!, /00:00:02 {2}200 /)
  assert.equal(out.includes('\u001B'), false)
  const ofHost = await agent('log', data, '--host', 'B.test', '--jsonl')
  assert.deepEqual(JSON.parse(ofHost.out), lines[1])
})

test('a running agent is seen and steered through its page', async (t) => {
  const { data, control } = await runningAgent(t)
  const { out } = await agent('status', data)
  assert.match(out, /^state +working: Requests are on their way\.\n/)
  assert.match(out, /this month +5\.0 GB of 20\.0 GB\n/)
  const { isRunning, pid } = JSON.parse((await agent('status', data, '--json')).out) as {
    isRunning: boolean
    pid: number
  }
  assert.deepEqual({ isRunning, pid }, { isRunning: true, pid: process.pid })
  assert.match((await agent('pause', data)).err, /paused-by-owner: You paused it\./)
  assert.equal((await agent('resume', data)).code, 0)
  control.lines = Array.from({ length: 1_500 }, (_, no) => {
    return { no, at: no, url: `http://a.test/${no}`, status: 200, code: null, bytes: 1, ms: 1 }
  })
  const log = await agent('log', data, '--limit', '1200', '--jsonl')
  assert.equal(log.out.trim().split('\n').length, 1_200)
  assert.equal((await agent('leave', data)).code, 0)
  assert.equal((await agent('leave', data, '--now')).code, 0)
  assert.deepEqual(control.told, ['pause', 'resume', 'finish', 'stop'])
})

test('an agent without a page is not mistaken for a stopped one', async () => {
  const data = await stoppedAgent()
  const free = await lockFolder(data)
  try {
    for (const command of ['status', 'pause', 'leave']) {
      const { code, err } = await agent(command, data)
      assert.equal(code, 1, command)
      assert.match(err, /does not respond: it was started with --no-page.*MINGA_AGENT_WITHOUT_PAGE/)
    }
  } finally {
    free()
  }
})

test('a page file that a dead agent left behind leads nowhere', async () => {
  const data = await stoppedAgent()
  const page = { url: 'http://127.0.0.1:1', token: 'old', pid: 1 }
  writeFileSync(path.join(data, 'agent-page.json'), JSON.stringify(page))
  assert.match((await agent('status', data)).out, /^state +stopped\n/)
})

test('a device that no station knows is forgotten with its key', async () => {
  const data = await stoppedAgent()
  const { code, err } = await agent('leave', data, '--forget')
  assert.equal(code, 0)
  assert.match(err, /no station knew this device; its key is deleted/)
  assert.equal(existsSync(path.join(data, 'device.json')), false)
})

test('limits that are none are refused before anything is started', async () => {
  const data = path.join(folder, 'refused')
  const join = (...options: string[]): Promise<Ended> =>
    agent('join', data, 'http://127.0.0.1:1/', ...options)
  const bad: [options: string[], message: RegExp][] = [
    [['--bandwidth', 'lots'], /--bandwidth takes an amount such as .*MINGA_BAD_OPTION/],
    [['--hours', '25:00-26:00'], /The limit hours must be .*MINGA_BAD_LIMITS/],
    [['--limits', 'nowhere.json'], /nowhere\.json cannot be read.*MINGA_BAD_LIMITS/],
  ]
  for (const [options, message] of bad) {
    const { code, err } = await join(...options)
    assert.equal(code, 2)
    assert.match(err, message)
  }
})
