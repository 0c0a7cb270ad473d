/**
 * Bundles the program for this checkout, so that commands start as quickly as installed ones.
 *   in:  the workspace; the dashboard is built when it is stale
 *   out: dist/program, and dist/program/sources.json: when each source was changed last
 *   --if-stale: only when a source changed since
 * `apps/minga/bin/minga.mjs` runs the bundle as long as no source is newer, else the sources.
 */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { ROOT } from './commands.ts'

const FOLDER = join(ROOT, 'dist', 'program')
const SOURCES = join(FOLDER, 'sources.json')

if (!process.argv.includes('--if-stale') || !isFresh()) await build()

async function build(): Promise<void> {
  process.stderr.write('minga: bundling the program\n')
  // Loaded only when needed: the bundler takes longer than everything else here.
  const { bundleProgram } = await import('./pack.ts')
  const { writeBundle } = await import('./bundle.ts')
  const bundle = await bundleProgram()
  writeBundle(FOLDER, bundle)
  const names = bundle.sources.map((file) => relative(ROOT, file).replaceAll(sep, '/'))
  const own = names.filter((name) => !name.startsWith('node_modules/') && !name.includes('\0'))
  // Packages change only with the lockfile.
  const files = ['package-lock.json', ...new Set(own)]
  const times = files.map((name) => [name, statSync(join(ROOT, name)).mtimeMs] as const)
  writeFileSync(SOURCES, JSON.stringify(Object.fromEntries(times)))
}

function isFresh(): boolean {
  try {
    const times = JSON.parse(readFileSync(SOURCES, 'utf8')) as Record<string, number>
    return Object.entries(times).every(
      ([name, mtimeMs]) => statSync(join(ROOT, name)).mtimeMs === mtimeMs,
    )
  } catch {
    return false
  }
}
