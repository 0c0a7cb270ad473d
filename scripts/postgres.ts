/**
 * A private, throw-away PostgreSQL for tests: a new cluster in a temporary folder that listens
 * on a unix socket inside it, from the binaries that Debian's packages install.
 * As a program it prints the URL and runs until it is stopped.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'

const INSTALLED = '/usr/lib/postgresql'
const POLL_MS = 50
/** Databases that live for a second: nothing in them has to survive the machine. */
const FOR_TESTS = [
  'fsync=off',
  'full_page_writes=off',
  'synchronous_commit=off',
  'wal_level=minimal',
  'max_wal_senders=0',
]

interface Identity {
  readonly uid?: number
  readonly gid?: number
}

/** Undefined when no PostgreSQL is installed. */
export function postgresBinaries(): string | undefined {
  const versions = fs.existsSync(INSTALLED) ? fs.readdirSync(INSTALLED) : []
  versions.sort((a, b) => Number(b) - Number(a))
  const folders = versions.map((version) => path.join(INSTALLED, version, 'bin'))
  return folders.find((folder) => fs.existsSync(path.join(folder, 'initdb')))
}

/**
 * `forTests`: nothing is synced, which halves their time. They kill programs, never the machine, and
 * what a program handed to the kernel survives its death. Measurements are made with syncing.
 */
export async function startPostgres({ forTests = false, within = os.tmpdir() } = {}): Promise<{
  url: string
  stop: () => Promise<void>
}> {
  const binaries = postgresBinaries()
  if (binaries === undefined) {
    throw new Error('PostgreSQL is not installed; on Debian: apt-get install postgresql.')
  }
  const folder = fs.mkdtempSync(path.join(within, 'minga-postgres-'))
  const remove = (): void => fs.rmSync(folder, { recursive: true, force: true })
  try {
    const identity = serverIdentity()
    if (identity.uid !== undefined && identity.gid !== undefined) {
      fs.chownSync(folder, identity.uid, identity.gid)
    }
    const data = path.join(folder, 'data')
    initialise(path.join(binaries, 'initdb'), data, identity)
    const server = await startServer({ binaries, data, folder, identity, forTests })
    const stop = async (): Promise<void> => {
      await stopServer(server)
      remove()
    }
    return { url: `postgresql:///postgres?host=${encodeURIComponent(folder)}&user=minga`, stop }
  } catch (error) {
    remove()
    throw error
  }
}

/** PostgreSQL refuses to run as root; its package brings a user for it. */
function serverIdentity(): Identity {
  if (process.getuid?.() !== 0) return {}
  const number = (flag: string): number =>
    Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout.trim() || Number.NaN)
  return { uid: number('-u'), gid: number('-g') }
}

function initialise(binary: string, data: string, identity: Identity): void {
  const options = ['-D', data, '-U', 'minga', '-A', 'trust', '-E', 'UTF8', '--no-sync']
  const result = spawnSync(binary, options, { ...identity, cwd: '/', encoding: 'utf8' })
  if (result.status !== 0) throw new Error(`initdb failed: ${result.stderr || result.error}`)
}

/** Resolves when the server accepts connections. */
async function startServer(options: {
  binaries: string
  data: string
  folder: string
  identity: Identity
  forTests: boolean
}): Promise<ChildProcess> {
  const { binaries, data, folder, identity, forTests } = options
  const args = ['-D', data, '-k', folder, '-c', 'listen_addresses=', '-c', 'max_connections=400']
  if (forTests) args.push(...FOR_TESTS.flatMap((setting) => ['-c', setting]))
  // Into a file: a pipe without a reader would fill up and stop the server.
  const logFile = path.join(folder, 'log')
  const log = fs.openSync(logFile, 'a')
  const server = spawn(path.join(binaries, 'postgres'), args, {
    ...identity,
    cwd: '/',
    stdio: ['ignore', log, log],
  })
  fs.closeSync(log)
  const isReady = (): boolean =>
    spawnSync(path.join(binaries, 'pg_isready'), ['-q', '-h', folder]).status === 0
  while (!isReady()) {
    if (server.exitCode !== null) {
      throw new Error(`PostgreSQL did not start: ${fs.readFileSync(logFile, 'utf8')}`)
    }
    await sleep(POLL_MS)
  }
  return server
}

async function stopServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const exited = once(server, 'exit')
  server.kill('SIGINT') // The "fast" shutdown: sessions are ended, data is kept whole.
  await exited
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { url, stop } = await startPostgres()
  process.stdout.write(`${url}\n`)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void stop().then(() => process.exit(0)))
  }
}
