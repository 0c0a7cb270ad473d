// Goal: an operator learns what runs and what needs attention, and of a folder without one what it
// holds; a folder that is in use can be examined. Method: texts from plain facts, and the real command line with a real station on loopback.
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { endAllProcesses, startProcess } from '@minga/testkit'
import { MINGA, runMinga } from '../../test/commands/minga-fixture.ts'
import type { CheckResult } from './doctor-checks.ts'
import { folderText, stationText, type FolderStatus, type StationStatus } from './status.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'minga-status-'))
const data = path.join(folder, 'station')
after(async () => {
  await endAllProcesses()
  rmSync(folder, { recursive: true, force: true })
})

const PATIENCE_MS = 60_000
const NOW = 1_000_000_000

const STATION: StationStatus = {
  isRunning: true,
  url: 'http://127.0.0.1:7700',
  collections: {
    total: 12,
    shown: [
      {
        id: 3,
        name: 'http://a.test/',
        state: 'running',
        found: 200,
        queued: 70,
        pages: 120,
        failed: 4,
      },
    ],
  },
  watches: {
    total: 2,
    shown: [
      { id: 4, name: 'News', nextVisitAt: NOW + 240_000 },
      { id: 5, name: 'Prices', nextVisitAt: NOW - 1 },
    ],
  },
  devices: { total: 1, shown: [{ id: 'dev_1', name: 'local-1', doing: 'working' }] },
  processes: [
    { pid: 11, role: 'coordinator', isAlive: true },
    { pid: 12, role: 'agent', isAlive: false },
  ],
  attention: [
    {
      code: 'no-contact',
      level: 'info',
      params: {},
      sentence: 'No contact is set.',
      remedy: 'Set one.',
      since: NOW - 60_000,
      link: '/config',
    },
  ],
}

test('what needs attention stands first, then what runs, with progress and the next visits', () => {
  assert.equal(
    stationText(STATION, NOW),
    `The station runs at http://127.0.0.1:7700

Needs attention
  info  No contact is set. (for 1 min)
        Set one.

Collections (1 of 12)
  #3  http://a.test/  running  65 %  120 pages, 4 failed

Next visits of watches
  #4  News    in 4 min
  #5  Prices  due now

Devices
  local-1  working

Processes
  coordinator  11
`,
  )
  const calm = { total: 0, shown: [] }
  const idle = { ...STATION, collections: calm, watches: calm, devices: calm, processes: [] }
  assert.equal(
    stationText({ ...idle, attention: [] }, NOW),
    'The station runs at http://127.0.0.1:7700\n\nNothing needs attention.\n',
  )
})

test('of a folder without a station, what it holds and how the last one ended', () => {
  const lastStation = { url: 'http://127.0.0.1:7700', state: 'ended' } as const
  const held: FolderStatus = {
    isRunning: false,
    data: 'd',
    captures: 9,
    bytes: 2_500,
    watches: 1,
    lastStation,
  }
  assert.equal(
    folderText(held),
    `No station runs in d.
The last one, at http://127.0.0.1:7700, ended without closing; \`minga up\` recovers it.
The folder holds 9 captures (2.5 KB) and 1 watch.
`,
  )
})

test('a station is asked, a folder is read without starting one, and an empty folder is no error', async () => {
  const empty = await runMinga(['status', '--data', data])
  assert.deepEqual([empty.code, existsSync(data)], [0, false])
  assert.match(empty.out, /Nothing collected here yet; start with: minga crawl/)
  const up = ['up', '--no-agent', '--port', '0', '--data', data]
  const station = await startProcess(process.execPath, [MINGA, ...up])
  while (!existsSync(path.join(data, 'station.json'))) {
    await new Promise((wake) => setTimeout(wake, 50))
  }
  const running = await runMinga(['status', '--json', '--data', data])
  const shown = JSON.parse(running.out) as StationStatus
  assert.equal(running.code, 0)
  assert.ok(shown.processes.some(({ role, isAlive }) => role === 'coordinator' && isAlive))
  assert.ok(shown.attention.some(({ code }) => code === 'no-contact'))
  const { out } = await runMinga(['doctor', '--json', '--data', data])
  const { checks } = JSON.parse(out) as { checks: CheckResult[] }
  const judged = Object.fromEntries(checks.map(({ name, verdict }) => [name, verdict]))
  const { store, processes, secrets, contact } = judged
  assert.deepEqual([store, processes, secrets, contact], ['ok', 'ok', 'ok', 'warning'])
  station.signal('SIGINT')
  await station.waitExit(PATIENCE_MS)
  const stopped = await runMinga(['status', '--json', '--data', data])
  const { isRunning, captures, lastStation } = JSON.parse(stopped.out) as FolderStatus
  assert.deepEqual([isRunning, captures, lastStation?.state], [false, 0, 'stopped'])
})
