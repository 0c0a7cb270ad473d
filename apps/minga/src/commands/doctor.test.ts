// Goal: each check judges rightly on both sides of its limit and says how to fix what it finds, and a damaged, busy or
// open folder is judged as well. Method: plain facts, and the real command line on folders that were spoilt.
import assert from 'node:assert/strict'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import {
  clockCheck,
  contactCheck,
  nodeCheck,
  portCheck,
  processesCheck,
  roomCheck,
  secretsCheck,
  storeCheck,
  storeInUse,
  verdictText,
  type CheckResult,
} from './doctor-checks.ts'
import { runMinga } from '../../test/commands/minga-fixture.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'minga-doctor-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const GB = 1_000_000_000
const NOW = Date.UTC(2026, 10, 18)

test('the machine is judged: Node, room on the disk, clock, port', () => {
  const node = ['24.11.9', '24.12.0', '25.0.0', '20.1.0'].map((one) => nodeCheck(one).verdict)
  assert.deepEqual(node, ['problem', 'ok', 'ok', 'problem'])
  const room = (freeBytes: number, wholeBytes = 10 * GB): string =>
    roomCheck({ freeBytes, wholeBytes }).verdict
  assert.deepEqual([room(3 * GB), room(GB), room(GB / 20)], ['ok', 'warning', 'problem'])
  assert.equal(room(3 * GB, 100 * GB), 'warning')
  assert.equal(clockCheck({ now: NOW, newestAt: NOW + 60_000 }).verdict, 'ok')
  assert.equal(clockCheck({ now: NOW, newestAt: NOW + 60_001 }).verdict, 'problem')
  assert.equal(clockCheck({ now: 0, newestAt: null }).verdict, 'problem')
  const port = { port: 7700, isFree: false }
  assert.equal(portCheck({ ...port, ownPort: 7700 }).verdict, 'ok')
  assert.equal(portCheck({ ...port, ownPort: null }).verdict, 'warning')
})

test('the folder is judged: store, processes, secrets, contact', () => {
  const store = [null, 41, 42, 43].map((version) => storeCheck({ version, known: 42 }).verdict)
  assert.deepEqual(store, ['problem', 'ok', 'ok', 'problem'])
  assert.deepEqual([storeInUse(true).verdict, storeInUse(false).verdict], ['ok', 'warning'])
  const alive = { pid: 7, role: 'coordinator', isAlive: true } as const
  const dead = { ...alive, isAlive: false }
  const holder = (processes: (typeof alive | typeof dead)[], url: string | null = null) =>
    processesCheck({ processes, url })
  assert.equal(holder([alive], 'http://127.0.0.1:7700').verdict, 'ok')
  assert.match(holder([alive]).finding, /processes of the folder are alive \(coordinator 7\)/)
  assert.match(holder([dead]).finding, /names processes that are not alive/)
  assert.equal(holder([]).verdict, 'ok')
  const secrets = [0o100600, 0o100640, 0o100604, null].map((mode) => secretsCheck(mode).verdict)
  assert.deepEqual(secrets, ['ok', 'problem', 'problem', 'ok'])
  assert.deepEqual([contactCheck(true).verdict, contactCheck(false).verdict], ['ok', 'warning'])
})

test('the text has a line for each check and the remedy below it', () => {
  const checks: CheckResult[] = [
    { name: 'node', verdict: 'ok', finding: 'Node 24', remedy: null },
    { name: 'store', verdict: 'problem', finding: 'damaged', remedy: 'Restore it.' },
  ]
  assert.equal(
    verdictText(checks),
    'ok       node   Node 24\nproblem  store  damaged\n                Restore it.\n\n1 problem must be fixed.\n',
  )
})

async function doctor(data: string): Promise<{ code: number; verdicts: Record<string, string> }> {
  const { code, out } = await runMinga(['doctor', '--json', '--data', data])
  const { checks } = JSON.parse(out) as { checks: CheckResult[] }
  return { code, verdicts: Object.fromEntries(checks.map((one) => [one.name, one.verdict])) }
}

test('a damaged store, dead processes and open secrets are found, and all else is still checked', async () => {
  const empty = await doctor(path.join(folder, 'none'))
  assert.deepEqual([empty.code, empty.verdicts['duckdb'], empty.verdicts['store']], [0, 'ok', 'ok'])
  const spoilt = path.join(folder, 'spoilt')
  mkdirSync(spoilt)
  writeFileSync(path.join(spoilt, 'minga.db'), 'This is no database. '.repeat(1_000))
  writeFileSync(path.join(spoilt, 'processes.json'), '[{"pid":999999999,"role":"coordinator"}]')
  writeFileSync(path.join(spoilt, 'station.json'), '{}')
  chmodSync(path.join(spoilt, 'station.json'), 0o644)
  const { code, verdicts } = await doctor(spoilt)
  assert.equal(code, 1)
  const { store, processes, secrets, folder: writable, archive } = verdicts
  assert.deepEqual(
    { store, processes, secrets, writable, archive },
    { store: 'problem', processes: 'warning', secrets: 'problem', writable: 'ok', archive: 'ok' },
  )
})

test('a record of the newest capture that is damaged or gone is found', async () => {
  const server = createServer((_request, response) => response.end('a page'))
  await new Promise<void>((listens) => server.listen(0, '127.0.0.1', listens))
  const { port } = server.address() as AddressInfo
  const data = path.join(folder, 'crawled')
  const how = ['--scope', 'page', '--delay', '0', '--allow-private-addresses', '--data', data]
  await runMinga(['crawl', `http://127.0.0.1:${port}/`, ...how])
  server.close()
  assert.equal((await doctor(data)).verdicts['archive'], 'ok')
  const archive = path.join(data, 'archive')
  const warc = path.join(
    archive,
    readdirSync(archive).find((name) => name.endsWith('.warc.gz'))!,
  )
  const bytes = readFileSync(warc)
  writeFileSync(warc, bytes.fill(0, bytes.length >> 1))
  const damaged = await doctor(data)
  assert.deepEqual([damaged.code, damaged.verdicts['archive']], [1, 'problem'])
  rmSync(warc)
  assert.equal((await doctor(data)).verdicts['archive'], 'problem')
})
