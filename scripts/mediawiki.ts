/**
 * A real MediaWiki for tests and for trying things out: Debian's package, PHP's own web server and
 * SQLite, in a temporary folder. As a program it prints `{"url","apiUrl","folder","pid"}` and runs
 * until it is stopped, or until the pipe closes that it reads from.
 *
 *   node scripts/mediawiki.ts [--settings FILE.php]
 */
import { fstatSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { findMediaWiki, startMediaWiki } from '@minga/testkit'
import { ensureSystemPackages } from './system-packages.ts'

const STDIN = 0

if (findMediaWiki() === undefined) {
  for (const sentence of await ensureSystemPackages(['MediaWiki'])) {
    process.stderr.write(`${sentence}\n`)
  }
}

const { values } = parseArgs({ options: { settings: { type: 'string' } } })
const settings = values.settings === undefined ? '' : readFileSync(values.settings, 'utf8')
const wiki = await startMediaWiki({ settings })
const { url, apiUrl, folder, pid } = wiki
process.stdout.write(`${JSON.stringify({ url, apiUrl, folder, pid })}\n`)

const stop = (): void => void wiki.stop().then(() => process.exit(0))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop)
if (fstatSync(STDIN).isFIFO()) process.stdin.once('end', stop).resume()
