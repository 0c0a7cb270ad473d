/**
 * PostgreSQL, Chromium and MediaWiki come from the system, not from npm. Where they are absent and
 * this may install them (root on Debian), it does; elsewhere their tests skip themselves, and one
 * line says so.
 */
import { existsSync, globSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { inspect } from 'node:util'
import { findMediaWiki } from '@minga/testkit'
import { capture } from './commands.ts'
import { unpackMediaWiki } from './unpack-mediawiki.ts'

interface SystemPackage {
  name: string
  debian: string[]
  find: () => string | undefined
  /** What is left to do when its packages are installed. */
  finish?: () => Promise<void>
}

const PACKAGES: SystemPackage[] = [
  { name: 'PostgreSQL', debian: ['postgresql'], find: findPostgres },
  { name: 'Chromium', debian: ['chromium'], find: findChromium },
  {
    name: 'MediaWiki',
    debian: ['php-cli', 'php-sqlite3', 'php-mbstring', 'php-xml', 'php-intl'],
    find: findMediaWiki,
    finish: unpackMediaWiki,
  },
]

/** Debian keeps the server's programs out of the path, one folder per major version. */
export function findPostgres(): string | undefined {
  return findProgram(['postgres']) ?? globSync('/usr/lib/postgresql/*/bin/postgres').at(-1)
}

export function findChromium(): string | undefined {
  return findProgram(['chromium', 'chromium-browser', 'google-chrome'])
}

function findProgram(names: string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const candidates = names.flatMap((name) => folders.map((folder) => join(folder, name)))
  return candidates.find((candidate) => existsSync(candidate))
}

/** Installs what is absent; returns one sentence for each package that still is. */
export async function ensureSystemPackages(names?: string[]): Promise<string[]> {
  const wanted = PACKAGES.filter(({ name }) => names?.includes(name) ?? true)
  const absent = wanted.filter(({ find }) => find() === undefined)
  if (absent.length === 0) return []
  const mayInstall = process.getuid?.() === 0 && findProgram(['apt-get']) !== undefined
  const reason = mayInstall
    ? 'apt-get could not install it'
    : 'only root on Debian installs it here'
  // One after the other: what one of them lacks must not keep the others out.
  if (mayInstall) {
    for (const each of absent) {
      await installFromDebian(each).catch((error: unknown) => {
        process.stderr.write(`${each.name}: ${inspect(error)}\n`)
      })
    }
  }
  return absent
    .filter(({ find }) => find() === undefined)
    .map(({ name, debian, finish }) => {
      const help = finish === undefined ? debian : [...debian, name.toLowerCase()]
      return `skipped: tests on ${name} (${reason}; run \`apt-get install ${help.join(' ')}\`)`
    })
}

async function installFromDebian({ debian, finish }: SystemPackage): Promise<void> {
  const install = ['install', '-y', '--no-install-recommends', ...debian]
  const first = await aptGet(install)
  // Usually the lists of packages are missing or older than the archive.
  if (first.code !== 0) {
    await aptGet(['update'])
    const second = await aptGet(install)
    if (second.code !== 0) process.stderr.write(second.output)
  }
  await finish?.()
}

function aptGet(args: string[]): ReturnType<typeof capture> {
  return capture('env', ['DEBIAN_FRONTEND=noninteractive', 'apt-get', ...args])
}
