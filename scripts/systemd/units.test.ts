// Goal: station, agent, workers and DuckDB run as users of their own that cannot read each other's folders, and systemd
// understands the units. Method: the units are read, and `systemd-analyze verify` is asked where it is installed, of
// copies that name a program which is there.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test } from 'node:test'

const PROGRAM = '/usr/local/bin/minga'
const files = globSync('*.service', { cwd: import.meta.dirname }).toSorted()
const units = files.map((file) => ({
  file,
  text: readFileSync(join(import.meta.dirname, file), 'utf8'),
}))

function valueOf(text: string, name: string): string {
  return new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1] ?? 'absent'
}

test('each unit has a user of its own, whose folder nobody else may read', () => {
  assert.deepEqual(files, [
    'minga-agent.service',
    'minga-duckdb.service',
    'minga-worker.service',
    'minga.service',
  ])
  for (const { file, text } of units) {
    const name = basename(file, '.service')
    assert.equal(valueOf(text, 'User'), name)
    assert.equal(valueOf(text, 'StateDirectory'), name)
    assert.equal(valueOf(text, 'StateDirectoryMode'), '0700')
    assert.ok(valueOf(text, 'ExecStart').includes(` --data /var/lib/${name}`), file)
    assert.ok(valueOf(text, 'ExecStart').startsWith(`${PROGRAM} `), file)
  }
})

test('each unit gives up what it has no use for', () => {
  for (const { file, text } of units) {
    const wanted = {
      NoNewPrivileges: 'yes',
      CapabilityBoundingSet: '',
      ProtectSystem: 'strict',
      ProtectHome: 'yes',
      PrivateTmp: 'yes',
      PrivateDevices: 'yes',
      ProtectProc: 'invisible',
      RestrictNamespaces: 'yes',
      RestrictSUIDSGID: 'yes',
      SystemCallFilter: '@system-service',
      UMask: '0077',
    }
    for (const [name, value] of Object.entries(wanted)) {
      assert.equal(valueOf(text, name), value, `${name} of ${file}`)
    }
  }
  for (const name of ['minga-agent', 'minga-worker']) {
    const { text } = units.find(({ file }) => file === `${name}.service`)!
    assert.match(valueOf(text, 'InaccessiblePaths'), /-\/var\/lib\/minga /)
  }
})

test('the station and its DuckDB meet at a socket that their group alone reaches, and DuckDB at nothing else', () => {
  const [duckdb, station] = ['minga-duckdb', 'minga'].map(
    (name) => units.find(({ file }) => file === `${name}.service`)!.text,
  )
  const socket = '/run/minga-duckdb/socket'
  assert.ok(valueOf(duckdb!, 'ExecStart').endsWith(` --socket ${socket}`))
  assert.equal(valueOf(station!, 'Environment'), `MINGA_DUCKDB_SOCKET=${socket}`)
  assert.match(valueOf(station!, 'Wants'), /\bminga-duckdb\.service\b/)
  assert.equal(valueOf(duckdb!, 'Group'), valueOf(station!, 'Group'))
  assert.equal(valueOf(duckdb!, 'RuntimeDirectory'), 'minga-duckdb')
  assert.equal(valueOf(duckdb!, 'RuntimeDirectoryMode'), '0710')
  assert.equal(valueOf(duckdb!, 'PrivateNetwork'), 'yes')
  assert.equal(valueOf(duckdb!, 'RestrictAddressFamilies'), 'AF_UNIX')
  for (const { file, text } of units) {
    const isOfGroup = ['minga.service', 'minga-duckdb.service'].includes(file)
    assert.equal(valueOf(text, 'Group') === 'minga', isOfGroup, file)
  }
})

const isAbsent = spawnSync('systemd-analyze', ['--version']).status !== 0

test('systemd understands every line', { skip: isAbsent && 'systemd-analyze is not here' }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'minga-units-'))
  try {
    const copies = units.map(({ file, text }) => {
      const copy = join(folder, file)
      writeFileSync(copy, text.replaceAll(PROGRAM, '/bin/true'))
      return copy
    })
    const verify = ['verify', '--man=no', ...copies]
    // A line that it does not understand is a warning, not an end with another code.
    const { status, stderr } = spawnSync('systemd-analyze', verify, { encoding: 'utf8' })
    const ours = stderr.split('\n').filter((line) => line.includes('minga'))
    assert.deepEqual([status, ours], [0, []])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
