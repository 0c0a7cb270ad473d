// Goal: only packages of the lockfile are run, and what comes and goes in the registry breaks no set-up.
// Method: the real script in a small workspace, with an npm that installs whatever a test says.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'

interface Package {
  version: string
  integrity?: string
  optional?: boolean
  dev?: boolean
}
type Packages = Record<string, Package>

const LEFT: Package = { version: '1.0.0', integrity: 'sha512-a' }

/** What the script says, and how it ends, when so much is locked and npm installs so much. */
function installed(
  t: TestContext,
  lists: { locked: Packages; found: Packages },
): { status: number | null; said: string; isStamped: boolean } {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'minga-install-'))
  t.after(() => fs.rmSync(root, { recursive: true }))
  for (const folder of ['scripts', 'packages', 'apps', 'bin', 'node_modules/node/bin']) {
    fs.mkdirSync(path.join(root, folder), { recursive: true })
  }
  const write = (name: string, value: object): void =>
    fs.writeFileSync(path.join(root, name), JSON.stringify(value))
  write('package.json', { dependencies: { left: '^1.0.0' } })
  write('package-lock.json', {
    packages: { '': { dependencies: { left: '^1.0.0' } }, ...lists.locked },
  })
  write('node_modules/.package-lock.json', { packages: lists.found })
  fs.copyFileSync(new URL('./install.mjs', import.meta.url), path.join(root, 'scripts/install.mjs'))
  fs.symlinkSync(process.execPath, path.join(root, 'node_modules/node/bin/node'))
  fs.writeFileSync(path.join(root, 'bin/npm'), '#!/bin/sh\n', { mode: 0o755 })
  const env = { PATH: `${path.join(root, 'bin')}:/usr/bin:/bin` }
  const script = path.join(root, 'scripts/install.mjs')
  const { status, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8', env })
  const isStamped = fs.existsSync(path.join(root, 'node_modules/.minga-installed'))
  return { status, said: stderr, isStamped }
}

const LOCKED: Packages = { 'node_modules/left': LEFT }

for (const [what, found] of [
  ['in another version', { 'node_modules/left': { ...LEFT, version: '1.0.1' } }],
  ['with other bytes', { 'node_modules/left': { ...LEFT, integrity: 'sha512-b' } }],
  ['not at all', {}],
] as const) {
  test(`a package that is installed ${what} stops the set-up with its name`, (t) => {
    const { status, said, isStamped } = installed(t, { locked: LOCKED, found })
    assert.deepEqual([status, isStamped], [4, false])
    assert.match(said, /is not what package-lock\.json says: left; restore/)
  })
}

test('a package that is not locked stops the set-up', (t) => {
  const found = { ...LOCKED, 'node_modules/left/node_modules/more': LEFT }
  const { status, said } = installed(t, { locked: LOCKED, found })
  assert.equal(status, 4)
  assert.match(said, /says: more; restore/)
})

test('packages for other platforms and for development may be there or not', (t) => {
  const optional = { ...LEFT, optional: true }
  const { status, isStamped } = installed(t, {
    locked: {
      ...LOCKED,
      'node_modules/left-win32': optional,
      'node_modules/linter': { ...LEFT, dev: true },
    },
    found: { ...LOCKED, 'node_modules/left-riscv': optional },
  })
  assert.deepEqual([status, isStamped], [0, true])
})
