/**
 * PostgreSQL and Chromium come from the system, not from npm. Where they are absent and this
 * may install them (root on Debian), it does; elsewhere their tests skip themselves, and one
 * line says so.
 */
import { existsSync, globSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { capture } from './commands.ts'

interface SystemPackage {
  name: string
  debian: string
  find: () => string | undefined
}

const PACKAGES: SystemPackage[] = [
  { name: 'PostgreSQL', debian: 'postgresql', find: findPostgres },
  { name: 'Chromium', debian: 'chromium', find: findChromium },
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
export async function ensureSystemPackages(): Promise<string[]> {
  const absent = PACKAGES.filter(({ find }) => find() === undefined)
  if (absent.length === 0) return []
  const mayInstall = process.getuid?.() === 0 && findProgram(['apt-get']) !== undefined
  const reason = mayInstall
    ? 'apt-get could not install it'
    : 'only root on Debian installs it here'
  if (mayInstall) await installFromDebian(absent.map(({ debian }) => debian))
  return absent
    .filter(({ find }) => find() === undefined)
    .map(
      ({ name, debian }) =>
        `skipped: tests on ${name} (${reason}; run \`apt-get install ${debian}\`)`,
    )
}

async function installFromDebian(packages: string[]): Promise<void> {
  const install = ['install', '-y', '--no-install-recommends', ...packages]
  const first = await aptGet(install)
  if (first.code === 0) return
  // Usually the lists of packages are missing or older than the archive.
  await aptGet(['update'])
  const second = await aptGet(install)
  if (second.code !== 0) process.stdout.write(second.output)
}

function aptGet(args: string[]): ReturnType<typeof capture> {
  return capture('env', ['DEBIAN_FRONTEND=noninteractive', 'apt-get', ...args])
}
