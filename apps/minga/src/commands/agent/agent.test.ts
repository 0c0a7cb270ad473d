// Goal: a volunteer's one command works as documented: token once, first signal gentle, nothing left behind.
// Method: a real station and a real agent as processes on loopback, stopped and started again.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { endAllProcesses, startFakeWeb, startProcess, type Child } from '@minga/testkit'

const MINGA = path.resolve(import.meta.dirname, '../../../bin/minga.mjs')
const folder = mkdtempSync(path.join(tmpdir(), 'minga-join-'))
after(async () => {
  await endAllProcesses()
  rmSync(folder, { recursive: true, force: true })
})

const minga = (...args: string[]): Promise<Child> => mingaWith({}, ...args)
const mingaWith = (env: Record<string, string>, ...args: string[]): Promise<Child> =>
  startProcess(process.execPath, [MINGA, ...args], { env })

function jsonIn(...names: string[]): unknown {
  try {
    return JSON.parse(readFileSync(path.join(folder, ...names), 'utf8'))
  } catch {
    return null
  }
}

/** Only a test that fails waits so long. */
const WAIT_MS = 30_000

async function until<T>(look: () => Promise<T | null> | T | null, what: string): Promise<T> {
  const deadline = performance.now() + WAIT_MS
  for (;;) {
    const seen = await look()
    if (seen !== null) return seen
    if (performance.now() > deadline) throw new Error(`Waited in vain for ${what}.`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

interface StationFile {
  url: string
  joinToken: string
  apiKey: string
}

interface Device {
  id: string
  name: string
  isConnected: boolean
}

test('an agent joins with a token once, stops at the first signal, comes back by its key and leaves for good', async (t) => {
  const web = await startFakeWeb({ hosts: 1, pagesPerHost: 5 })
  t.after(() => web.close())
  const up = ['up', '--no-agent', '--port', '0', '--allow-private-addresses']
  await minga(...up, '--data', path.join(folder, 'station'))
  const station = await until(
    () => jsonIn('station', 'station.json') as StationFile | null,
    'the station',
  )
  const call = async <T>(address: string, body?: object): Promise<T> => {
    const response = await fetch(`${station.url}/api${address}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${station.apiKey}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    return (await response.json()) as T
  }
  const connected = async (wanted: boolean): Promise<Device | null> => {
    const [device] = await call<Device[]>('/devices')
    return device?.isConnected === wanted ? device : null
  }
  const join = ['agent', 'join', station.url, '--data', path.join(folder, 'agent')]
  const common = ['--name', 'the attic', '--allow-private-addresses']

  const tokenless = await minga(...join)
  assert.equal((await tokenless.waitExit(WAIT_MS)).code, 2)
  assert.match(tokenless.stderr(), /MINGA_TOKEN_NEEDED/)
  const wrong = await minga(...join, '--token', 'wrong')
  assert.equal((await wrong.waitExit(WAIT_MS)).code, 1)
  assert.match(wrong.stderr(), /MINGA_TOKEN_REFUSED/)

  const first = await mingaWith({ MINGA_TOKEN: station.joinToken }, ...join, ...common)
  const device = await until(() => connected(true), 'the device to be online')
  assert.equal(device.name, 'the attic')
  const [listed] = jsonIn('agent', 'processes.json') as { pid: number; role: string }[]
  assert.deepEqual(listed, { pid: first.pid, role: 'agent' })
  assert.equal(statSync(path.join(folder, 'agent', 'device.json')).mode & 0o777, 0o600)
  await call('/collections', { seeds: [`${web.origin(0)}/p/0`], delayMs: 0 })
  await until(async () => {
    const [collection] = await call<{ state: string }[]>('/collections')
    return collection?.state === 'finished' ? collection : null
  }, 'the collection to end')

  first.signal('SIGTERM')
  assert.equal((await first.waitExit(WAIT_MS)).code, 0)
  assert.deepEqual(jsonIn('agent', 'processes.json'), [])
  await until(() => connected(false), 'the goodbye')

  const second = await minga(...join, ...common)
  const again = await until(() => connected(true), 'the device to be online again')
  assert.equal(again.id, device.id)
  second.signal('SIGINT')
  assert.equal((await second.waitExit(WAIT_MS)).code, 0)
  // Else the third would seem to be online before it has its folder, and the rival might get it.
  await until(() => connected(false), 'the second goodbye')

  const third = await minga(...join, ...common)
  await until(() => connected(true), 'the device to be online a third time')
  const rival = await minga(...join, ...common)
  assert.equal((await rival.waitExit(WAIT_MS)).code, 4)
  assert.match(rival.stderr(), /MINGA_AGENT_RUNNING/)
  assert.deepEqual(jsonIn('agent', 'processes.json'), [{ pid: third.pid, role: 'agent' }])
  const leave = await minga('agent', 'leave', '--forget', '--data', path.join(folder, 'agent'))
  assert.equal((await leave.waitExit(WAIT_MS)).code, 0)
  assert.match(leave.stderr(), /refuses this device from now on; its key is deleted/)
  assert.equal((await third.waitExit(WAIT_MS)).code, 0)
  assert.equal(jsonIn('agent', 'device.json'), null)
  const [gone] = await call<{ state: string }[]>('/devices')
  assert.equal(gone?.state, 'revoked')
})
