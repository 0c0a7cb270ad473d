// Goal: nothing that a volunteer's machine runs needs one operating system. Method: the syntax trees of
// all that the agent's programs import are searched; the search itself is tried on examples.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { importGraph, portabilityFindings, type Program } from './portability.ts'
import { parse, workspaceCode } from './workspace.ts'

const AGENT: Program = {
  entries: [
    'apps/agent/src/main.ts',
    'apps/agent/src/lent-main.ts',
    'apps/agent/src/station/beat-thread.ts',
    'apps/agent/src/record/record-thread.ts',
    'apps/minga/src/agent-main.ts',
  ],
  adapters: {
    'apps/agent/src/system/os.ts': 'it is the adapter: what differs is asked and answered there',
    'apps/agent/src/owner/power-channel.ts': 'it names the type of a child process',
    'apps/minga/src/lent-agent-process.ts': 'the program that it starts is Node itself',
    'packages/protocol/src/private-files.ts': 'Windows has no such modes, and ignores them',
    'packages/protocol/src/fault-point.ts': 'acts only where crash tests have set faults',
  },
}

test('Portability: the agent asks nothing of its machine that Linux, macOS and Windows do not all have', () => {
  const code = workspaceCode()
  const findings = portabilityFindings(code, AGENT)
  assert.equal(findings.length, 0, `\n  ${findings.join('\n  ')}\n`)
  const rooms = importGraph(code, AGENT.entries).map(({ path }) => path.split('/src/')[0])
  const expected = ['apps/agent', 'apps/minga', 'packages/archive', 'packages/net']
  assert.deepEqual(new Set(rooms), new Set([...expected, 'packages/protocol']))
})

const UNPORTABLE: [code: string, found: RegExp][] = [
  ['export const a = process.getuid?.()', /process\.getuid/],
  ['export const b = process.ppid', /process\.ppid/],
  ["export const c = process.platform === 'linux'", /process\.platform/],
  ["process.on('SIGHUP', () => {})", /SIGHUP/],
  ['process.kill(-1)', /group/],
  ["import { execFile } from 'node:child_process'\nexecFile('ls')", /child_process/],
  ["import { chmod } from 'node:fs/promises'\nvoid chmod('x', 1)", /chmod/],
  ["import * as fs from 'node:fs'\nfs.symlinkSync('a', 'b')", /symlinkSync/],
  ["export const d = '/proc/self/stat'", /not a place/],
  ['export const e = `/tmp`', /not a place/],
  ["export const f = { socketPath: 'x' }", /socketPath/],
  ["export const g = new URL('x', import.meta.url).pathname", /pathname/],
]

test('each thing that some system lacks is found where the program reaches it', () => {
  for (const [code, found] of UNPORTABLE) {
    const files = parse({
      'apps/agent/src/main.ts': "import './part.ts'",
      'apps/agent/src/part.ts': code,
    })
    const program = { entries: ['apps/agent/src/main.ts'], adapters: {} }
    const findings = portabilityFindings(files, program)
    assert.match(findings[0] ?? `nothing in ${code}`, found)
    assert.match(findings[0]!, /^apps\/agent\/src\/part\.ts:\d/)
    const allowed = { ...program, adapters: { 'apps/agent/src/part.ts': 'example' } }
    assert.deepEqual(portabilityFindings(files, allowed), [])
  }
})

test('what every system has, what is only a type and what is not reached is let through', () => {
  const files = parse({
    'apps/agent/src/main.ts': "import type { X } from './types.ts'\nexport const x: X = 1",
    'apps/agent/src/types.ts': 'export type X = number\nexport const y = process.ppid',
    'apps/agent/src/other.ts': "process.on('SIGHUP', () => {})",
    'packages/net/src/index.ts': "process.on('SIGTERM', () => {})\nexport const path = '/api/view'",
  })
  const entries = ['apps/agent/src/main.ts', 'packages/net/src/index.ts']
  assert.deepEqual(portabilityFindings(files, { entries, adapters: {} }), [])
  const stale = { entries, adapters: { 'apps/agent/src/main.ts': 'no longer' } }
  assert.match(portabilityFindings(files, stale)[0]!, /needs not be/)
  const lost = { entries: ['apps/agent/src/gone.ts'], adapters: {} }
  assert.deepEqual(portabilityFindings(files, lost), ['apps/agent/src/gone.ts is not there'])
})
