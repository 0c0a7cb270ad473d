/**
 * Installs the workspace when something changed since the last time, and only then.
 *   in:  package-lock.json, every workspace's package.json
 *   out: node_modules, node_modules/.minga-installed (the stamp); nothing that git would notice
 *   --build: bundles the program afterwards, on the Node that was installed. A shell that has run `node` once may
 *     go on with that one, so `node scripts/install.mjs && node …` would not do.
 *   --strict: a lockfile that does not fit the manifests is an error, not a remark
 * Packages that are not those of the lockfile are an error in any case.
 *
 * Plain JavaScript on purpose: it runs on whatever Node (>= 20) and operating system the machine
 * has, before anything is installed.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const LOCKFILE = join(ROOT, 'package-lock.json')
const STAMP = join(ROOT, 'node_modules', '.minga-installed')
/** What npm has installed, as npm itself writes it. */
const INSTALLED = join(ROOT, 'node_modules', '.package-lock.json')
const PINNED_NODE = join(
  ROOT,
  'node_modules',
  'node',
  'bin',
  process.platform === 'win32' ? 'node.exe' : 'node',
)
const EXIT_CONFIG = 4
const NAMED_MAX = 5
const DEPENDENCY_FIELDS = ['dependencies', 'devDependencies', 'optionalDependencies']

const manifests = ['', ...workspaces('packages'), ...workspaces('apps')]
const stamp = fingerprint()
if (!isInstalled()) install()
if (process.argv.includes('--build')) build()

function build() {
  const script = join(ROOT, 'scripts', 'build-program.ts')
  const { status } = spawnSync(PINNED_NODE, [script, '--if-stale'], { stdio: 'inherit' })
  if (status !== 0) fail('the program could not be bundled, see above.')
}

function install() {
  checkLockfile()
  say('installing packages (once; later starts skip this)')
  const lockfile = readFileSync(LOCKFILE)
  // Not `npm ci`: it refuses a lockfile once the registry has gained or lost an optional package
  // for some other platform. `--no-save` installs what is locked and leaves the file alone.
  const { status } = npm('install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error')
  // Some versions of npm write the file all the same.
  if (!readFileSync(LOCKFILE).equals(lockfile)) writeFileSync(LOCKFILE, lockfile)
  if (status !== 0)
    fail('npm install failed, see above; run the command again once the cause is gone.')
  checkInstalled()
  if (!pinnedNodeWorks()) {
    fail(
      'the pinned Node 24 did not arrive in node_modules/node; allow install scripts of the ' +
        'package `node`, delete node_modules and run the command again.',
    )
  }
  writeFileSync(STAMP, stamp)
}

/** npm would quietly resolve what the lockfile lacks, and tests must run on what is committed. */
function checkLockfile() {
  const locked = packagesIn(LOCKFILE)
  const stale = manifests.filter((folder) => {
    const manifest = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'))
    return DEPENDENCY_FIELDS.some(
      (field) => !isDeepStrictEqual(manifest[field] ?? {}, locked[folder]?.[field] ?? {}),
    )
  })
  if (stale.length === 0) return
  const names = stale.map((folder) => join(folder, 'package.json')).join(', ')
  const problem = `package-lock.json does not fit ${names}; run \`npm install\` and commit the lockfile`
  if (process.argv.includes('--strict')) fail(`${problem}.`)
  say(`${problem} (continuing).`)
}

/**
 * Packages that are not in the lockfile were not tested. Packages that only some platforms or set-ups have
 * may be there or not: they come and go in the registry, and that breaks no set-up.
 */
function checkInstalled() {
  if (!existsSync(INSTALLED)) return
  const locked = packagesIn(LOCKFILE)
  const installed = packagesIn(INSTALLED)
  const mayLack = ({ optional, devOptional, dev, peer }) => optional || devOptional || dev || peer
  const others = [...new Set([...Object.keys(locked), ...Object.keys(installed)])].filter(
    (name) => {
      if (!name.includes('node_modules/')) return false
      const [wanted, found] = [locked[name], installed[name]]
      if (wanted === undefined || found === undefined) return !mayLack(wanted ?? found)
      const isSameFile =
        !wanted.integrity || !found.integrity || wanted.integrity === found.integrity
      return wanted.version !== found.version || !isSameFile
    },
  )
  if (others.length === 0) return
  const names = others.slice(0, NAMED_MAX).map((name) => name.replace(/^.*node_modules\//, ''))
  const more = others.length > NAMED_MAX ? ` and ${others.length - NAMED_MAX} more` : ''
  fail(
    `what npm installed is not what package-lock.json says: ${names.join(', ')}${more}; restore the ` +
      'lockfile, or run `npm install` and commit it, and run the command again.',
  )
}

function packagesIn(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages
}

function npm(...args) {
  // The Node in node_modules is about to be replaced, so npm must not run on it.
  const inside = join(ROOT, 'node_modules')
  const folders = (process.env.PATH ?? '').split(delimiter)
  const env = {
    ...process.env,
    PATH: folders.filter((it) => !it.startsWith(inside)).join(delimiter),
  }
  const { npm_node_execpath: node, npm_execpath: script } = process.env
  const options = { cwd: ROOT, env, stdio: ['ignore', 2, 2] }
  const result =
    node !== undefined && script !== undefined && !node.startsWith(inside)
      ? spawnSync(node, [script, ...args], options)
      : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' })
  if (result.error !== undefined) {
    fail('npm was not found; install Node.js 20 or newer, which brings it.')
  }
  return result
}

function isInstalled() {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stamp && pinnedNodeWorks()
}

function pinnedNodeWorks() {
  const { stdout } = spawnSync(PINNED_NODE, ['--version'], { encoding: 'utf8' })
  return (stdout ?? '').startsWith('v24.')
}

function fingerprint() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`)
  hash.update(readFileSync(LOCKFILE))
  for (const folder of manifests) hash.update(readFileSync(join(ROOT, folder, 'package.json')))
  return hash.digest('hex')
}

function workspaces(group) {
  const names = readdirSync(join(ROOT, group)).toSorted()
  return names
    .map((name) => `${group}/${name}`)
    .filter((folder) => existsSync(join(ROOT, folder, 'package.json')))
}

function fail(sentence) {
  say(sentence)
  process.exit(EXIT_CONFIG)
}

function say(sentence) {
  process.stderr.write(`minga: ${sentence}\n`)
}
