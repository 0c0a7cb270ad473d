// Goal: code in an agent of the station reaches its own folder and nothing else of the machine, not even by a thread with
// flags of its own. Method: the agent's real program, started as the station starts it; a probe that Node loads with it
// tries everything once the program runs.
import assert from 'node:assert/strict'
import { fork, type ChildProcess } from 'node:child_process'
import { on, once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { systemClock } from '@minga/protocol'
import { answerPower } from '../owner/power-channel.ts'
import { permissionFlags, withoutPreloads } from './permission-flags.ts'

const home = mkdtempSync(join(tmpdir(), 'minga-sandbox-'))
after(() => rmSync(home, { recursive: true, force: true }))

const data = join(home, 'agents', 'one')
const secrets = join(home, 'secrets.json')
/** Of a station's own agents, and of machines that are lent. */
const PROGRAMS = ['../main.ts', '../lent-main.ts'].map((file) => new URL(file, import.meta.url))
/** Of a lent machine whose station is away. */
const SETTINGS = {
  stationUrl: 'http://127.0.0.1:9',
  data,
  token: 'none',
  allowPrivateAddresses: false,
  volunteer: {},
}

/** Loaded before the agent, run on demand: by then the agent has closed what it closes. */
const PROBE = `
  const fs = process.getBuiltinModule('node:fs')
  const outcome = async (attempt) => {
    try { return await attempt() ?? 'allowed' } catch (error) { return error.code ?? error.message }
  }
  const inThread = (text, options) => new Promise((resolve, reject) => {
    const { Worker } = process.getBuiltinModule('node:worker_threads')
    const code = 'const { parentPort } = require("node:worker_threads"); try {' + text +
      ';parentPort.postMessage("allowed") } catch (error) { parentPort.postMessage(error.code) }'
    const worker = new Worker(code, { eval: true, ...options })
    worker.once('message', resolve)
    worker.once('error', reject)
  })
  const openDatabase = (file) =>
    'const sqlite = process.getBuiltinModule("node:sqlite"); if (!sqlite) throw { code: "absent" };' +
    'new sqlite.DatabaseSync(' + JSON.stringify(file) + ').prepare("SELECT * FROM secrets")'
  process.on('message', async (message) => {
    if (message !== 'probe') return
    const { MINGA_PROBE: file, MINGA_PROBE_DATA: data } = process.env
    const child = process.getBuiltinModule('node:child_process')
    const read = 'require("node:fs").readFileSync(' + JSON.stringify(file) + ')'
    const attempts = {
      own: () => { fs.writeFileSync(data + '/own', 'x'); fs.readFileSync(data + '/own') },
      read: () => void fs.readFileSync(file),
      list: () => void fs.readdirSync(data + '/../..'),
      sibling: () => void fs.writeFileSync(data + '-2/new', 'x'),
      write: () => fs.writeFileSync(file + '.new', 'x'),
      link: () => fs.symlinkSync(file, data + '/link'),
      spawn: () => void child.spawnSync('true'),
      become: () => process.execve('/bin/true', ['true']),
      addon: () => process.dlopen({ exports: {} }, data + '/own'),
      database: () => inThread(openDatabase(file + '.db'), { execArgv: ['--experimental-sqlite'] }),
      ownDatabase: () => process.getBuiltinModule('node:sqlite') === undefined ? 'absent' : 'there',
      thread: () => inThread(read, {}),
      freeThread: () => inThread(read, { execArgv: [] }),
      otherThread: () => inThread(read, { execArgv: ['--no-permission'], env: {} }),
      fileThread: () => {
        new (process.getBuiltinModule('node:worker_threads').Worker)(file + '.cjs')
      },
    }
    const found = {}
    for (const [name, attempt] of Object.entries(attempts)) found[name] = await outcome(attempt)
    process.send(found)
  })`

/** What the probe reports of the agent's program, run with the flags of an agent. */
async function probe(program: URL): Promise<Record<string, string>> {
  const probing = `data:text/javascript,${encodeURIComponent(PROBE)}`
  const child = fork(fileURLToPath(program), [], {
    env: { ...process.env, MINGA_BEAT_MS: '50', MINGA_PROBE: secrets, MINGA_PROBE_DATA: data },
    execArgv: [...permissionFlags({ program, data }), '--import', probing],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  answerPower(child, {
    clock: systemClock,
    read: async () => ({ isOnBattery: null, isMetered: null }),
  })
  // A station's own agent waits for them, and beats in the meantime.
  if (program.pathname.endsWith('/lent-main.ts')) child.send({ settings: SETTINGS })
  // Its first heartbeat, or its question of how the machine is powered, says that its program runs.
  await once(child, 'message')
  child.send('probe')
  const ended = once(child, 'exit')
  const found = await Promise.race([findings(child), ended])
  assert.ok(!Array.isArray(found), 'it has ended before it could be probed')
  child.send('stop')
  await ended
  return found
}

/** Heartbeats and questions come in between. */
async function findings(child: ChildProcess): Promise<Record<string, string>> {
  for await (const [message] of on(child, 'message')) {
    if (typeof message === 'object') return message as Record<string, string>
  }
  throw new TypeError('The probe has reported nothing.')
}

test('an agent reads and writes its own folder and reaches nothing else', async () => {
  mkdirSync(data, { recursive: true })
  mkdirSync(`${data}-2`)
  writeFileSync(secrets, 'the secrets of the station')
  writeFileSync(`${secrets}.cjs`, '')
  const database = new DatabaseSync(`${secrets}.db`)
  database.exec('CREATE TABLE secrets (text)')
  database.close()
  const there = readdirSync(home, { recursive: true, encoding: 'utf8' })
  for (const program of PROGRAMS) {
    const { own, addon, ownDatabase, database: opened, ...others } = await probe(program)
    rmSync(join(data, 'own'))
    assert.equal(own, 'allowed')
    assert.equal(addon, 'ERR_DLOPEN_DISABLED')
    assert.deepEqual([ownDatabase, opened], ['absent', 'absent'])
    for (const [name, outcome] of Object.entries(others)) {
      assert.equal(outcome, 'ERR_ACCESS_DENIED', name)
    }
  }
  const left = readdirSync(home, { recursive: true, encoding: 'utf8' })
  const ownFiles = join('agents', 'one', '/')
  assert.deepEqual(left.filter((name) => !name.startsWith(ownFiles)).toSorted(), there.toSorted())
})

test('the flags name the program and the folder alone, and no right to start programs', () => {
  const bundled = permissionFlags({ program: new URL('file:///opt/minga/lib/agent-main.js'), data })
  assert.ok(bundled.includes('--allow-fs-read=/opt/minga/lib/'))
  const written = bundled.filter((flag) => flag.startsWith('--allow-fs-write='))
  assert.deepEqual(written, [`--allow-fs-write=${data}`, `--allow-fs-write=${join(data, '*')}`])
  for (const right of ['child-process', 'addons', 'wasi', 'inspector']) {
    assert.ok(!bundled.includes(`--allow-${right}`), right)
  }
})

test('what a debugger wants to be loaded first is left out, and other options stay', () => {
  const given =
    '--require /opt/debugger.js --max-old-space-size=99 --import=file:///x.mjs -r y --use-system-ca'
  assert.equal(withoutPreloads(given), '--max-old-space-size=99 --use-system-ca')
  assert.equal(withoutPreloads('--import ./x.mjs'), '')
})
