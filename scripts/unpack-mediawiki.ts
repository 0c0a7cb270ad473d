/**
 * Debian's mediawiki depends on Apache, which would start to serve on the machine. Tests need the
 * code alone, so its packages are fetched and unpacked next to the other caches, and not installed.
 */
import { globSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { MEDIAWIKI_UNPACKED } from '@minga/testkit'
import { capture } from './commands.ts'

const PACKAGES = ['mediawiki', 'mediawiki-classes']
/** These lead out of the unpacked folder, to places that only an installation has. */
const DANGLING = ['config', 'extensions', 'images', 'LocalSettings.php']

/** Says what failed and leaves nothing half done; whether it worked is seen by looking for it. */
export async function unpackMediaWiki(): Promise<void> {
  const cache = join(MEDIAWIKI_UNPACKED, '..')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'mediawiki-'))
  try {
    if ((await unpackInto(folder)) && globSync(`${MEDIAWIKI_UNPACKED}/*`).length === 0) {
      renameSync(join(folder, 'unpacked'), MEDIAWIKI_UNPACKED)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function unpackInto(folder: string): Promise<boolean> {
  const download = () => shell(folder, `apt-get download ${PACKAGES.join(' ')}`)
  const isThere =
    (await download()) || ((await shell(folder, 'apt-get update')) && (await download()))
  if (!isThere) return false
  const unpack = 'for package in *.deb; do dpkg-deb -x "$package" unpacked || exit 1; done'
  if (!(await shell(folder, unpack))) return false
  const code = join(folder, 'unpacked/usr/share/mediawiki')
  for (const name of DANGLING) rmSync(join(code, name), { force: true })
  for (const name of ['extensions', 'images']) mkdirSync(join(code, name), { recursive: true })
  return true
}

async function shell(folder: string, command: string): Promise<boolean> {
  const { code, output } = await capture('sh', ['-c', `cd "$1" && ${command}`, 'sh', folder])
  if (code !== 0) process.stderr.write(output)
  return code === 0
}
