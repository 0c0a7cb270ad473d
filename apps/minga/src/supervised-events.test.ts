// Goal: the log of a station says which of its processes died, hung and were replaced, also when it was
// the coordinator that keeps the log; and all of them end at a signal. Method: a real station; its processes are killed with −9 and stopped.
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { systemClock, type EventPage, type LoggedEvent } from '@minga/protocol'
import { endAllProcesses, startProcess, type Child } from '@minga/testkit'
import { MINGA } from '../test/commands/minga-fixture.ts'
import { isAlive, type Role } from './processes.ts'

const folder = mkdtempSync(join(tmpdir(), 'minga-supervised-'))
const data = join(folder, 'station')
after(async () => {
  await endAllProcesses()
  rmSync(folder, { recursive: true, force: true })
})

const PATIENCE_MS = 120_000
/** Five seconds, and one for a machine that is busy with other tests. */
const STOP_MS = 6_000

const readJson = (file: string): unknown => JSON.parse(readFileSync(join(data, file), 'utf8'))

async function soon<T>(
  what: string,
  look: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  const until = Date.now() + PATIENCE_MS
  while (Date.now() < until) {
    const found = await look()
    if (found !== undefined) return found
    await new Promise((wake) => setTimeout(wake, 100))
  }
  throw new Error(`${what} did not come`)
}

function pidOf(role: Role): number | undefined {
  const running = readJson('processes.json') as { pid: number; role: Role }[]
  return running.find((one) => one.role === role)?.pid
}

async function log(context: string): Promise<LoggedEvent[]> {
  const { url, apiKey } = readJson('station.json') as { url: string; apiKey: string }
  const headers = { authorization: `Bearer ${apiKey}` }
  const address = `${url}/api/event-log?context=${context}&limit=1000`
  // No process answers while the coordinator is being replaced.
  const response = await fetch(address, { headers }).catch(() => null)
  return response?.ok ? ((await response.json()) as EventPage).events : []
}

const eventOf = (code: string, pid: number): Promise<LoggedEvent> =>
  soon(`${code} of ${pid}`, async () => {
    const told = await log('process')
    return told.find(({ code: is, details }) => {
      return is === code && (details?.['former'] ?? details?.['pid']) === pid
    })
  })

describe('processes of a station', () => {
  let station: Child
  before(async () => {
    const up = ['up', '--no-agent', '--workers', '1', '--port', '0', '--data', data]
    station = await startProcess(process.execPath, [MINGA, ...up])
    await soon('the station', () => existsSync(join(data, 'station.json')) || undefined)
    await soon('a worker', () => pidOf('worker'))
  })

  test('a worker that is killed is in the log, and who took its place', async () => {
    const pid = pidOf('worker')!
    process.kill(pid, 'SIGKILL')
    const ended = await eventOf('process:ended', pid)
    assert.deepEqual([ended.level, ended.context], ['warning', 'process'])
    assert.match(ended.sentence, new RegExp(`^A worker \\(process ${pid}\\) ended: SIGKILL\\.$`))
    const replaced = await eventOf('process:replaced', pid)
    assert.equal(replaced.details!['role'], 'worker')
    assert.equal(replaced.subject, ended.subject)
    assert.notEqual(replaced.details!['pid'], pid)
  })

  test('one that gives no sign is killed, and the log says for how long it was silent', async () => {
    const pid = await soon('a new worker', () => pidOf('worker'))
    // Not before its first beat: until then it may take its time.
    await new Promise((wake) => setTimeout(wake, 4_000))
    process.kill(pid, 'SIGSTOP')
    const hung = await eventOf('process:hung', pid)
    assert.ok(Number(hung.details!['silentMs']) >= 4_000)
    await eventOf('process:replaced', pid)
    const told = await log('process')
    assert.ok(
      !told.some(({ code, details }) => code === 'process:ended' && details!['pid'] === pid),
    )
  })

  test('a coordinator that was killed tells of its own end when it is back, and how long it was away', async () => {
    const pid = pidOf('coordinator')!
    process.kill(pid, 'SIGKILL')
    const replaced = await eventOf('process:replaced', pid)
    assert.equal(replaced.subject, 'main')
    assert.ok(Number(replaced.details!['awayMs']) > 100)
    assert.match(replaced.sentence, /which was away for \d/)
    await eventOf('process:ended', pid)
    const recovered = (await log('station')).find(({ code }) => code === 'station:recovered')
    assert.ok(Number(recovered?.details?.['awayMs']) > 0)
    assert.match(recovered!.sentence, /It was away for \d/)
  })

  test('one signal ends a station within five seconds, whatever its processes do', async () => {
    const pids = [pidOf('worker')!, pidOf('coordinator')!]
    for (const pid of pids) process.kill(pid, 'SIGSTOP')
    const signalledMs = systemClock.monotonicMs()
    station.signal('SIGTERM')
    const { code } = await station.waitExit(PATIENCE_MS)
    const tookMs = systemClock.monotonicMs() - signalledMs
    assert.equal(code, 0, station.stderr())
    assert.ok(tookMs <= STOP_MS, `${tookMs} ms`)
    assert.deepEqual(pids.filter(isAlive), [])
  })
})
