/**
 * A real MediaWiki on loopback, up in two seconds: the code of Debian's package is used where it
 * lies, and a temporary folder holds what belongs to this wiki (settings, SQLite, caches).
 * It ends with the process that started it.
 */

import { spawnSync } from 'node:child_process'
import { appendFileSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { systemClock } from '@minga/protocol/clock'

import { NoMediaWiki } from '../errors.ts'
import { startProcess, type Child } from '../processes.ts'
import type { WikiOperation, WikiOperationResult } from './operation.ts'

export interface MediaWiki {
  /** Without a slash at the end. */
  url: string
  apiUrl: string
  folder: string
  pid: number
  /** All in one process of PHP, in this order: a thousand edits take some seconds. */
  perform(operations: WikiOperation[]): WikiOperationResult[]
  /** One of MediaWiki's own maintenance scripts, for example `dumpBackup.php`; returns what it prints. */
  maintain(script: string, args?: string[], input?: string | Uint8Array): Buffer
  /** Export XML with all revisions, as MediaWiki itself writes it. */
  dumpBackup(args?: string[]): Buffer
  importDump(xml: string | Uint8Array): void
  /** PHP that is added to its settings, for example `$wgReadOnly = 'moving house';` */
  configure(php: string): void
  stop(): Promise<void>
}

export interface MediaWikiOptions {
  name?: string
  /** PHP that is added to its settings. */
  settings?: string
  /** Requests that it answers in parallel. */
  workers?: number
}

/** Where the package puts it, and where `scripts/system-packages.ts` unpacks it without a web server. */
export const MEDIAWIKI_UNPACKED = join(
  import.meta.dirname,
  '../../../../node_modules/.cache/mediawiki',
)
const CODE_FOLDERS = ['/usr/share/mediawiki', join(MEDIAWIKI_UNPACKED, 'usr/share/mediawiki')]
const OWN_PHP = join(import.meta.dirname, 'mediawiki')
const ADMIN_PASSWORD = 'correct-horse-battery'
/** PHP extensions without which it does not run. */
const EXTENSIONS = ['intl', 'mbstring', 'pdo_sqlite', 'xml']
const PATIENCE_MS = 60_000
const LOOK_MS = 20
/** The largest dump that a test holds. */
const OUTPUT_BYTES_MAX = 1 << 30

/** The folder of its code; undefined where it or PHP is not installed. */
export function findMediaWiki(): string | undefined {
  const modules = spawnSync('php', ['-m'], { encoding: 'utf8' })
  if (modules.status !== 0) return undefined
  const present = new Set(modules.stdout.split('\n'))
  if (!EXTENSIONS.every((name) => present.has(name))) return undefined
  return CODE_FOLDERS.find((folder) => existsSync(join(folder, 'maintenance/install.php')))
}

/** For a test's `skip`: false where there is a MediaWiki, else the reason. */
export function noMediaWiki(): string | false {
  return findMediaWiki() === undefined ? new NoMediaWiki().message : false
}

export async function startMediaWiki(options: MediaWikiOptions = {}): Promise<MediaWiki> {
  const { name = 'Test Wiki', settings = '', workers = 4 } = options
  const code = findMediaWiki()
  if (code === undefined) throw new NoMediaWiki()
  const folder = mkdtempSync(join(tmpdir(), 'minga-mediawiki-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const php = runnerOf(code, folder)
  install({ php, folder, url, name })
  const configure = (text: string): void => {
    appendFileSync(join(folder, 'LocalSettings.php'), `\n${text}\n`)
  }
  configure("require __DIR__ . '/minga-settings.php';")
  configure(settings)
  const server = await startServer({ code, folder, port, workers })
  await answers(`${url}/w/api.php?action=query&format=json`, server)
  const maintain: MediaWiki['maintain'] = (script, args = [], input = '') =>
    php([join(code, 'maintenance', script), ...args], input)
  return {
    url,
    apiUrl: `${url}/w/api.php`,
    folder,
    pid: server.pid,
    perform: (operations) => perform(php, code, operations),
    maintain,
    dumpBackup: (args = ['--full']) => maintain('dumpBackup.php', ['--quiet', ...args]),
    importDump: (xml) => void maintain('importDump.php', ['--quiet'], xml),
    configure,
    stop: async () => {
      server.closeStdin()
      await server.waitExit(PATIENCE_MS)
      server.killTree()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

type Php = (args: string[], input?: string | Uint8Array) => Buffer

function runnerOf(code: string, folder: string): Php {
  return (args, input = '') => {
    const { status, stdout, stderr, error } = spawnSync('php', args, {
      cwd: code,
      env: environment(code, folder),
      input,
      maxBuffer: OUTPUT_BYTES_MAX,
    })
    if (status !== 0) {
      const words = error?.message ?? `${stdout.toString()}${stderr.toString()}`
      throw new Error(`php ${args.join(' ')} failed: ${words}`)
    }
    return stdout
  }
}

function environment(code: string, folder: string): NodeJS.ProcessEnv {
  const settings = { MW_CONFIG_FILE: join(folder, 'LocalSettings.php') }
  return { ...process.env, ...settings, MINGA_MEDIAWIKI_CODE: code }
}

function install(wiki: { php: Php; folder: string; url: string; name: string }): void {
  const { php, folder, url, name } = wiki
  const database = ['--dbtype', 'sqlite', '--dbpath', folder, '--dbname', 'wiki']
  const place = ['--confpath', folder, '--server', url, '--scriptpath', '/w', '--lang', 'en']
  php(['maintenance/install.php', ...database, ...place, '--pass', ADMIN_PASSWORD, name, 'Admin'])
  mkdirSync(join(folder, 'cache'))
  copyFileSync(join(OWN_PHP, 'settings.php'), join(folder, 'minga-settings.php'))
}

/** The shell waits for the end of its input, which comes when this process ends, however it does. */
async function startServer(options: {
  code: string
  folder: string
  port: number
  workers: number
}): Promise<Child> {
  const { code, folder, port, workers } = options
  const opcache = '-d opcache.enable_cli=1 -d opcache.revalidate_freq=0'
  const serve = `php ${opcache} -d memory_limit=1G -S 127.0.0.1:${port} "$1" >"$2" 2>&1`
  const script = `${serve} & read -r line; kill -9 0`
  const args = ['-c', script, 'sh', join(OWN_PHP, 'router.php'), join(folder, 'server.log')]
  const env = { MINGA_MEDIAWIKI_CODE: code, MW_CONFIG_FILE: join(folder, 'LocalSettings.php') }
  return startProcess('sh', args, {
    cwd: code,
    env: { ...env, PHP_CLI_SERVER_WORKERS: String(workers) },
  })
}

async function answers(url: string, server: Child): Promise<void> {
  const deadlineMs = systemClock.monotonicMs() + PATIENCE_MS
  for (;;) {
    // Also a refusal is an answer: a test may have closed its api.php.
    const isThere = await fetch(url).then(
      () => true,
      () => false,
    )
    if (isThere) return
    if (systemClock.monotonicMs() > deadlineMs) {
      server.killTree()
      throw new Error(`MediaWiki did not answer at ${url}.`)
    }
    await systemClock.sleep(LOOK_MS)
  }
}

function perform(php: Php, code: string, operations: WikiOperation[]): WikiOperationResult[] {
  const output = php([join(OWN_PHP, 'operations.php'), code], JSON.stringify(operations))
  const results: WikiOperationResult[] = JSON.parse(output.toString('utf8'))
  results.forEach((result, index) => {
    const { error } = result
    if (error === undefined) return
    throw new Error(`Operation ${index} (${operations[index]?.do}) failed: ${error}`)
  })
  return results
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  await new Promise((resolve) => {
    server.close(resolve)
  })
  if (address === null || typeof address === 'string') throw new TypeError('Not a TCP server.')
  return address.port
}
