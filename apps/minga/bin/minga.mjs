#!/usr/bin/env node
/**
 * The door of the command line. Plain JavaScript on purpose: an old Node must be able to parse
 * it, so that it is re-executed on the pinned Node or shows what to do, never a stack trace.
 *
 *   Node new enough  →  the program in this process: the bundle of a package, or src/main.ts
 *   Node too old     →  the same arguments on the Node 24 that was installed, this process stands by
 *   no pinned Node   →  one sentence, exit code 4 (configuration)
 */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import * as module from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** From here on Node strips types without a flag and without a warning. */
const OLDEST = [24, 12]
const EXIT_CONFIG = 4
/** The child watches this descriptor; see `src/lifeline.ts`. */
const LIFELINE_FD = 3

const HERE = dirname(fileURLToPath(import.meta.url))

const args = process.argv.slice(2)

if (isNewEnough(process.versions.node)) {
  await runHere()
} else {
  runOnPinnedNode()
}

function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number)
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
}

async function runHere() {
  muteExperimentalWarnings()
  // Stripping types and compiling is half of a short command's time; the second run skips it.
  module.enableCompileCache()
  const bundle = findBundle()
  const load = (name, source) =>
    import(bundle === null ? source : pathToFileURL(join(bundle, name)))
  if (process.env.MINGA_LIFELINE_FD !== undefined) {
    const { watchLifeline } = await load('lifeline.js', '../src/lifeline.ts')
    watchLifeline(process.env)
  }
  const { main } = await load('minga.js', '../src/main.ts')
  process.exitCode = await main(args)
}

/**
 * The bundle of a package; in a checkout the one that `scripts/build-program.ts` made, unless a
 * source has changed since. MINGA_BUNDLE names another one; empty, it asks for the sources.
 */
function findBundle() {
  const { MINGA_BUNDLE } = process.env
  if (MINGA_BUNDLE !== undefined) return MINGA_BUNDLE === '' ? null : MINGA_BUNDLE
  const packed = join(HERE, '..', 'lib')
  if (existsSync(join(packed, 'minga.js'))) return packed
  const root = join(HERE, '..', '..', '..')
  const built = join(root, 'dist', 'program')
  try {
    const times = JSON.parse(readFileSync(join(built, 'sources.json'), 'utf8'))
    const isFresh = ([name, mtimeMs]) => statSync(join(root, name)).mtimeMs === mtimeMs
    return Object.entries(times).every(isFresh) ? built : null
  } catch {
    return null
  }
}

/** Some 24.x call node:sqlite experimental; the reader of a crawl's progress cannot act on that. */
function muteExperimentalWarnings() {
  const printers = process.listeners('warning')
  process.removeAllListeners('warning')
  process.on('warning', (warning) => {
    if (warning.name === 'ExperimentalWarning') return
    for (const print of printers) print.call(process, warning)
  })
}

function runOnPinnedNode() {
  const node = findPinnedNode(HERE)
  // With the lifeline set this already is the second attempt: a third would loop for ever.
  if (node === undefined || process.env.MINGA_LIFELINE_FD !== undefined) return refuse()

  const script = fileURLToPath(import.meta.url)
  const child = spawn(node, ['--disable-warning=ExperimentalWarning', script, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    env: { ...process.env, MINGA_LIFELINE_FD: String(LIFELINE_FD) },
    // A session of its own: Ctrl-C reaches only this process, which forwards it once. In a
    // shared group the child would see it twice, and the second signal means "stop at once".
    detached: true,
  })
  child.on('error', refuse)
  // Writing into a child that has just ended is not an error worth a stack trace.
  child.stdio[LIFELINE_FD]?.on('error', () => {})
  forwardSignals(child)
}

/** The package `node` of a checkout, or the platform's package that the installed program brings. */
function findPinnedNode(from) {
  const isWindows = process.platform === 'win32'
  const prefix = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'
  const platform = `${prefix}-${isWindows ? 'win' : process.platform}-${process.arch}`
  for (const name of [platform, 'node']) {
    const node = join(from, 'node_modules', name, 'bin', isWindows ? 'node.exe' : 'node')
    if (existsSync(node)) return node
  }
  return dirname(from) === from ? undefined : findPinnedNode(dirname(from))
}

function forwardSignals(child) {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGWINCH', 'SIGCONT']) {
    process.on(signal, () => child.kill(signal))
  }
  process.on('SIGTSTP', () => {
    child.kill('SIGSTOP')
    process.kill(process.pid, 'SIGSTOP')
  })
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1)
    // Die of what the child died of, so that shells and supervisors see the true reason.
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

function refuse() {
  process.stderr.write(
    `minga needs Node ${OLDEST.join('.')} or newer and this is Node ${process.versions.node}; ` +
      'install Node 24 from https://nodejs.org/, or install Minga again with its optional packages, ' +
      'which bring the right one.\n',
  )
  process.exitCode = EXIT_CONFIG
}
