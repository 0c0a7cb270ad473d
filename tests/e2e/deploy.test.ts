// Goal: what is in the repository is enough, whatever optional packages the registry has gained or lost since the
// lockfile was written. Method: its files alone in a folder, under an empty home, with a lockfile that lacks some
// optional packages and names others that are gone, are installed and started by the command that the README gives.
// The registry is one on loopback, since tests need no network.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { endAllProcesses, startProcess } from '@minga/testkit'
import { openPackageRegistry, type LockedPackages } from './package-registry.ts'

// The copy is to run its own program, not the bundle that other tests share.
delete process.env['MINGA_BUNDLE']

const ROOT = path.resolve(import.meta.dirname, '../..')
/** Of the repository without what git ignores. */
const FILES_BYTES_MAX = 2 ** 30

const folder = await mkdtemp(path.join(tmpdir(), 'minga-deploy-'))
const copy = path.join(folder, 'minga')
const lockfile = path.join(copy, 'package-lock.json')
const { packages } = JSON.parse(await readFile(path.join(ROOT, 'package-lock.json'), 'utf8')) as {
  packages: LockedPackages
}
const registry = await openPackageRegistry(ROOT, packages)
after(async () => {
  await endAllProcesses()
  registry.close()
  await rm(folder, { recursive: true, maxRetries: 5 })
})

function git(...args: string[]): string {
  const identity = ['-c', 'user.name=test', '-c', 'user.email=test@example.org']
  return execFileSync('git', [...identity, ...args], { cwd: copy, encoding: 'utf8' })
}

function listed(...args: string[]): string[] {
  const out = execFileSync('git', ['ls-files', '-z', ...args], { cwd: ROOT, encoding: 'utf8' })
  return out.split('\0').filter((name) => name !== '')
}

/** By tar: thousands of files one by one take seconds of Node. */
async function copyFiles(): Promise<void> {
  const deleted = new Set(listed('--deleted'))
  const all = listed('--cached', '--others', '--exclude-standard')
  const names = all.filter((name) => !deleted.has(name)).join('\0')
  await mkdir(copy)
  const pack = ['-C', ROOT, '-cf', '-', '--null', '-T', '-']
  const files = execFileSync('tar', pack, { input: names, maxBuffer: FILES_BYTES_MAX })
  execFileSync('tar', ['-C', copy, '-xf', '-'], { input: files })
}

/** Packages of other platforms, which the registry has; two that it never had; digests of other files are left out. */
async function driftLockfile(): Promise<void> {
  const lock = JSON.parse(await readFile(lockfile, 'utf8')) as { packages: LockedPackages }
  const foreign = Object.entries(lock.packages)
    .filter(([, { os, optional }]) => optional && os !== undefined && !os.includes('linux'))
    .map(([name]) => name)
  assert.ok(foreign.length > 4)
  for (const name of foreign.slice(0, 3)) delete lock.packages[name]
  for (const name of ['one', 'two']) {
    const gone = { version: '1.0.0', optional: true, os: ['sunos'], cpu: ['x64'] }
    lock.packages[`node_modules/minga-gone-${name}`] = gone
  }
  for (const locked of Object.values(lock.packages)) delete locked['integrity']
  await writeFile(lockfile, `${JSON.stringify(lock, null, 2)}\n`)
}

/** Without the Node that these tests run on: a fresh checkout begins with that of the machine. */
function pathOfTheMachine(): string {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter)
  return folders.filter((each) => !each.includes('node_modules')).join(path.delimiter)
}

test('Reproducible deploy: the files of the repository and one command are a station that answers', async () => {
  const home = path.join(folder, 'home')
  await mkdir(home)
  await copyFiles()
  await driftLockfile()
  git('init', '--quiet')
  git('add', '--all')
  git('commit', '--quiet', '--message', 'As it is')
  const data = path.join(folder, 'data')
  const env = {
    HOME: home,
    PATH: pathOfTheMachine(),
    npm_config_registry: registry.url,
    npm_config_update_notifier: 'false',
  }
  const args = ['start', '--', '--no-agent', '--port', '0', '--data', data]
  const station = await startProcess('npm', args, { env, cwd: copy })
  const [, url] = await station.waitOutput(/is up at (http:\/\/[^\s/]+)/, 240_000)
  const page = await fetch(url!)
  assert.equal(page.status, 200)
  assert.match(await page.text(), /<title>/)
  assert.equal((await fetch(new URL('/bot', url))).status, 200)
  assert.equal(git('status', '--porcelain'), '', 'set-up leaves nothing that git notices')
  assert.ok(registry.fetched.size > 200, 'the packages came from the registry')
})

test('a lockfile that does not fit the manifests stops the tests with one sentence', async () => {
  const manifest = path.join(copy, 'packages/net/package.json')
  const text = await readFile(manifest, 'utf8')
  await writeFile(manifest, text.replace('"dependencies": {', '"dependencies": { "left": "1.0.0",'))
  const args = [path.join(copy, 'scripts/install.mjs'), '--strict']
  assert.throws(() => execFileSync(process.execPath, args, { encoding: 'utf8', stdio: 'pipe' }), {
    status: 4,
    stderr: /does not fit packages\/net\/package\.json; run `npm install`/,
  })
})
