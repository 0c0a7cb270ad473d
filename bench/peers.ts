/**
 * Who is compared, and the options with which each does the same work: follow every link of the fake web
 * from one seed. Peers are installed outside the repository, once per machine; one that cannot be
 * had is left out with a line that says why.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from './measured-process.ts'
import { scrapySpider } from './scrapy-spider.ts'

export interface CrawlOrder {
  seed: string
  /** Pause between two requests to one host. */
  delayMs: number
  /** Empty, and removed after the run. */
  folder: string
}

export interface Peer {
  name: string
  title: string
  /** Why it cannot take part, or null when it is ready. */
  prepare(): string | null
  /** Null when it has no such setting as this order needs. */
  command(order: CrawlOrder): Omit<Command, 'timeoutMs'> | null
}

const PEERS_FOLDER = join(tmpdir(), 'minga-bench-peers')
const CRAWLEE_VERSION = '3.18.1'
const LANES = 64
const LANES_PER_HOST = 8
const INSTALL_TIMEOUT_MS = 300_000

const fileHere = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const node = (args: string[]): Omit<Command, 'timeoutMs'> => ({ program: process.execPath, args })

const bare: Peer = {
  name: 'bare',
  title: 'bare undici loop',
  prepare: () => null,
  command: ({ seed, delayMs }) => (delayMs > 0 ? null : node([fileHere('bare-main.ts'), seed])),
}

const minga: Peer = {
  name: 'minga',
  title: '**Minga**',
  prepare: () => null,
  command: ({ seed, delayMs, folder }) => {
    const door = fileHere('../apps/minga/bin/minga.mjs')
    const politeness = ['--scope', 'any', '--delay', String(delayMs)]
    const rest = ['--allow-private-addresses', '--json', '--data', join(folder, 'data')]
    return node([door, 'crawl', seed, ...politeness, ...rest])
  },
}

const crawlee: Peer = {
  name: 'crawlee',
  title: `Crawlee ${CRAWLEE_VERSION} (CheerioCrawler)`,
  prepare: () => installPeer('@crawlee/cheerio', CRAWLEE_VERSION),
  command: ({ seed, delayMs, folder }) => ({
    ...node([fileHere('crawlee-main.ts'), PEERS_FOLDER, seed, String(LANES), seconds(delayMs)]),
    cwd: folder,
  }),
}

/** By full path: another Python in front of the system's does not know Debian's packages. */
const SCRAPY = '/usr/bin/scrapy'

const scrapy: Peer = {
  name: 'scrapy',
  title: 'Scrapy (Debian)',
  prepare: () => (existsSync(SCRAPY) ? null : installDebian('python3-scrapy')),
  command: ({ seed, delayMs, folder }) => {
    const spider = join(folder, 'bench_spider.py')
    // A delay only spaces requests when one slot has one lane.
    const lanesPerHost = delayMs > 0 ? 1 : LANES_PER_HOST
    const settings = { seed, lanes: LANES, lanesPerHost, delaySeconds: delayMs / 1000 }
    writeFileSync(spider, scrapySpider(settings))
    return { program: SCRAPY, args: ['runspider', spider], cwd: folder }
  },
}

const WGET = '/usr/bin/wget'

const wget: Peer = {
  name: 'wget',
  title: 'wget --warc-file',
  prepare: () => (existsSync(WGET) ? null : installDebian('wget')),
  command: ({ seed, delayMs, folder }) => {
    const reach = ['--recursive', '--level=inf', '--span-hosts', '--delete-after']
    const keep = [
      `--directory-prefix=${join(folder, 'pages')}`,
      `--warc-file=${join(folder, 'crawl')}`,
    ]
    const args = ['--quiet', ...reach, ...keep, `--wait=${seconds(delayMs)}`, seed]
    // Missing robots.txt files are errors to wget, and its exit code 8 says so.
    const script = '"$@"; code=$?; [ $code -eq 8 ] || exit $code'
    return { program: 'sh', args: ['-c', script, 'sh', WGET, ...args], cwd: folder }
  },
}

export const PEERS: readonly Peer[] = [bare, minga, crawlee, scrapy, wget]

/** Of a package that is installed outside the repository: why it could not be, if so. */
export function installPeer(name: string, version: string): string | null {
  if (existsSync(peerFolder(name))) return null
  mkdirSync(PEERS_FOLDER, { recursive: true })
  const quiet = ['--no-audit', '--no-fund']
  return attempt('npm', ['install', '--prefix', PEERS_FOLDER, ...quiet, `${name}@${version}`])
}

export const peerFolder = (name: string): string => join(PEERS_FOLDER, 'node_modules', name)

function seconds(ms: number): string {
  return String(ms / 1000)
}

function installDebian(packageName: string): string | null {
  if (process.getuid?.() !== 0) return `not installed; as root: apt-get install ${packageName}`
  return attempt('apt-get', ['install', '-y', '--no-install-recommends', packageName])
}

function attempt(program: string, args: string[]): string | null {
  const { status, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    timeout: INSTALL_TIMEOUT_MS,
  })
  if (status === 0) return null
  const reason = error?.message ?? stderr.trim().split('\n').at(-1) ?? ''
  return `\`${program} ${args.join(' ')}\` failed: ${reason}`
}
