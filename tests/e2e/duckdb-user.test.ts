// Goal: under a DuckDB service of another user the station answers as without it, and a file that takes DuckDB over gets the
// files of questions and nothing else of the data folder. Method: a real station and a real service as two users without
// names; files, modes, owners of processes and a third user are judged from outside, and processes are killed.
import assert from 'node:assert/strict'
import { spawnSync, type SpawnSyncReturns } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FileSummary, ImportPreview, QueryView, UploadView } from '@minga/protocol'
import { endAllProcesses, startProcess, type Child } from '@minga/testkit'
import { MINGA, mingaOutput } from './run-minga.ts'
import { callStation, type Station } from './station-process.ts'

/** Of numbers that no machine gives to people. The service is in the group of the station's user. */
const STATION = { uid: 61_001, gid: 61_001 }
const SERVICE = { uid: 61_002, gid: 61_001 }
const STRANGER = { uid: 61_003, gid: 61_003 }
const CITIES = 'city,people\nQuito,2000000\nLima,10000000\nCusco,many\n'
const ROWS = [
  ['Quito', 2_000_000],
  ['Lima', 10_000_000],
  ['Cusco', null],
]
const LONG =
  'SELECT count(*) FROM range(1000000000) AS a(x), range(1000) AS b(y) WHERE x % 7 = y % 3'

const skip = whyNot()
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'minga-duckdb-'))
const [data, socket] = [path.join(home, 'data'), path.join(home, 'run', 'socket')]

function whyNot(): string | false {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    return 'only root on Linux can run processes as other users'
  }
  const { status } = runAs(STRANGER, 'require("node:fs").accessSync(process.argv[1], 4)', MINGA)
  return status !== 0 && 'this checkout cannot be read by other users'
}

function runAs(
  user: typeof STATION,
  script: string,
  argument: string,
  input = '',
): SpawnSyncReturns<string> {
  const options = { ...user, cwd: '/', input, encoding: 'utf8' as const, env: { HOME: '/' } }
  return spawnSync(process.execPath, ['-e', script, argument], options)
}

function makeFolder(name: string, { uid, gid }: typeof STATION, mode: number): string {
  const folder = path.join(home, name)
  fs.mkdirSync(folder)
  fs.chownSync(folder, uid, gid)
  fs.chmodSync(folder, mode)
  return folder
}

async function startService(): Promise<Child> {
  const args = ['duckdb', 'run', '--socket', socket, '--data', path.join(home, 'service')]
  const child = await startProcess(process.execPath, [MINGA, ...args], { ...SERVICE, cwd: home })
  await child.waitOutput(/DuckDB answers/, 30_000)
  return child
}

async function openStation(): Promise<Station> {
  const args = ['up', '--data', data, '--port', '0', '--no-agent', '--duckdb-socket', socket]
  const up = await startProcess(process.execPath, [MINGA, ...args], { ...STATION, cwd: home })
  await up.waitOutput(/Minga is up/, 30_000)
  return JSON.parse(fs.readFileSync(path.join(data, 'station.json'), 'utf8')) as Station
}

/** What an older version left readable is there before the station. */
async function open(): Promise<{ service: Child; station: Station }> {
  fs.chmodSync(home, 0o755)
  makeFolder('service', SERVICE, 0o700)
  makeFolder('run', SERVICE, 0o710)
  makeFolder('data', STATION, 0o755)
  makeFolder('data/archive', STATION, 0o755)
  fs.writeFileSync(path.join(data, 'archive', 'old.warc.gz'), '', { mode: 0o644 })
  const [service, station] = await Promise.all([startService(), openStation()])
  return { service, station }
}

const opened = skip === false ? await open() : null
after(async () => {
  await endAllProcesses()
  fs.rmSync(home, { recursive: true })
})

const station = (): Station => opened!.station
const call = <T>(method: string, route: string, body?: object): Promise<T> =>
  callStation<T>(station(), [method, route], body)

async function upload(content: string): Promise<string> {
  const bytes = Buffer.from(content)
  const view = { name: 'cities.csv', bytes: bytes.length }
  const { id } = await call<UploadView>('POST', '/inputs', view)
  const response = await fetch(`${station().url}/api/inputs/${id}?offset=0`, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${station().apiKey}`,
      'content-type': 'application/octet-stream',
      'x-minga-digest': `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
    },
    body: bytes,
  })
  assert.equal(response.status, 200)
  await call('POST', `/inputs/${id}/finish`, {})
  return id
}

/** Status and code, or what it answers. */
async function outcome(sql: string): Promise<unknown> {
  const response = await fetch(`${station().url}/api/sql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${station().apiKey}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ sql, format: 'json' }),
  })
  const said = (await response.json()) as { rows?: unknown; error?: { code: string } }
  return response.ok ? said.rows : `${response.status} ${said.error?.code}`
}

async function importCities(input: object): Promise<void> {
  const { id } = await call<QueryView>('POST', '/tables/cities/import', { input, rules: RULES })
  for (let tries = 0; tries < 300; tries++) {
    const { state } = await call<QueryView>('GET', `/queries/${id}`)
    if (state === 'done') return
    assert.equal(state, 'running')
    await sleep(50)
  }
  assert.fail('the import did not end')
}

const RULES = { columns: { city: { type: 'text' }, people: { type: 'integer' } } }

interface Process {
  pid: number
  module: string
  uids: string
}

/** Processes of DuckDB, of either user. */
function duckDbProcesses(): Process[] {
  const pids = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.flatMap((pid) => {
    try {
      const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8')
      const [, ...uids] = /^Uid:.*$/m.exec(status)![0].split('\t')
      const command = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      const module = /lake[\w/-]*[/-](\w+)-process\.(?:ts|js)\0/.exec(command)?.[1]
      const isOurs = [STATION.uid, SERVICE.uid].includes(Number(uids[0]))
      if (module === undefined || !isOurs) return []
      return [{ pid: Number(pid), module, uids: uids.join(' ') }]
    } catch {
      return []
    }
  })
}

async function runningSql(): Promise<Process> {
  for (let tries = 0; tries < 200; tries++) {
    const found = duckDbProcesses().find(({ module }) => module === 'sql')
    if (found !== undefined) return found
    await sleep(50)
  }
  assert.fail('no process answers the question')
}

test('a station without any table answers at once', { skip }, async () => {
  assert.deepEqual(await outcome('SELECT 1 AS one'), [[1]])
})

test(
  'files are inspected, previewed and imported and tables queried by another user as by the own one',
  { skip },
  async () => {
    const input = { upload: await upload(CITIES) }
    const seen = await call<FileSummary>('POST', '/inputs/look', { input })
    assert.deepEqual(
      [seen.format, seen.bytes, Object.keys(seen.rules.columns)],
      ['csv', CITIES.length, ['city', 'people']],
    )
    const preview = await call<ImportPreview>('POST', '/tables/preview', { input, rules: RULES })
    assert.deepEqual(preview.rows, ROWS)
    await importCities(input)
    assert.deepEqual((await call<{ rows: unknown }>('GET', '/tables/cities/rows')).rows, ROWS)
    const asked = ['sql', 'SELECT * FROM cities', '--csv', '-', '--data', data]
    assert.equal(await mingaOutput(...asked), CITIES.replace('many', ''))
  },
)

test('processes of DuckDB belong to the user of the service', { skip }, async () => {
  const asked = outcome(LONG)
  const { pid } = await runningSql()
  const owners = duckDbProcesses().map(({ module, uids }) => `${module} ${uids}`)
  const all = Array(4).fill(SERVICE.uid).join(' ')
  assert.deepEqual(owners.toSorted(), [`binding ${all}`, `rows ${all}`, `sql ${all}`])
  process.kill(pid, 'SIGKILL')
  assert.equal(await asked, '422 MINGA_SQL_LIMIT')
  assert.deepEqual(await outcome('SELECT 1 AS one'), [[1]])
})

test(
  'of the data folder the user of the service reads files of questions and nothing else',
  { skip },
  async () => {
    const unasked = await upload(CITIES)
    const below = fs.readdirSync(data, { recursive: true, withFileTypes: true })
    const files = below.filter((entry) => entry.isFile())
    const paths = files.map(({ name, parentPath }) => path.join(parentPath, name))
    const names = paths.map((file) => path.relative(data, file))
    for (const name of ['minga.db', 'secrets.json', 'station.json', 'archive/old.warc.gz']) {
      assert.ok(names.includes(name), `${name} is missing`)
    }
    assert.ok(names.includes(`lake/inputs/${unasked}/data.csv`))
    const script = `
    const { accessSync, readFileSync } = require('node:fs')
    const can = (mode) => (path) => { try { accessSync(path, mode); return true } catch { return false } }
    const paths = JSON.parse(readFileSync(0, 'utf8'))
    process.stdout.write(JSON.stringify({ read: paths.filter(can(4)), written: paths.filter(can(2)) }))`
    const folders = below.filter((entry) => entry.isDirectory())
    const listable = [data, ...folders.map(({ name, parentPath }) => path.join(parentPath, name))]
    const all = JSON.stringify([...paths, ...listable])
    const { read, written } = JSON.parse(runAs(SERVICE, script, '', all).stdout) as {
      read: string[]
      written: string[]
    }
    const kinds = read.map((file) => path.relative(data, file).split('/').slice(0, 2).join('/'))
    assert.deepEqual(kinds.toSorted(), ['lake/inputs', 'lake/tables'])
    assert.ok(!read.some((file) => file.includes(unasked)))
    assert.deepEqual(written, [])
  },
)

test('the socket of the service is for the group of the station alone', { skip }, () => {
  const script = `require('node:net').connect(process.argv[1])
    .on('connect', () => process.exit(0)).on('error', () => process.exit(7))`
  assert.equal(runAs(STATION, script, socket).status, 0)
  assert.equal(runAs(STRANGER, script, socket).status, 7)
})

test(
  'a service that is killed is said to be away, and questions are answered when it is back',
  { skip },
  async () => {
    const asked = outcome(LONG)
    await runningSql()
    opened!.service.killTree()
    assert.equal(await asked, '503 MINGA_DUCKDB_UNAVAILABLE')
    assert.equal(await outcome('SELECT 1 AS one'), '503 MINGA_DUCKDB_UNAVAILABLE')
    const failed = call('GET', '/tables/cities/rows')
    await assert.rejects(failed, /MINGA_DUCKDB_UNAVAILABLE/)
    assert.ok(fs.existsSync(socket))
    await startService()
    assert.deepEqual(await outcome('SELECT 1 AS one'), [[1]])
    assert.deepEqual((await call<{ rows: unknown }>('GET', '/tables/cities/rows')).rows, ROWS)
  },
)
