/**
 * Builds the page into `dist`, which a station serves.
 *   in:  index.html, public, src, the pinned versions in package.json
 *   out: dist, dist/built-from.txt (a hash of the sources)
 *   --if-stale: only when the sources changed since, so that a start costs nothing
 */
import { createHash } from 'node:crypto'
import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = import.meta.dirname
const STAMP = join(ROOT, 'dist', 'built-from.txt')

const sources = fingerprint()
if (!process.argv.includes('--if-stale') || lastBuilt() !== sources) {
  process.stderr.write('minga: building the page\n')
  // Loaded only when needed: it takes longer than everything else here.
  const { build } = await import('vite')
  const { default: react } = await import('@vitejs/plugin-react')
  await build({
    root: ROOT,
    configFile: false,
    logLevel: 'warn',
    plugins: [react()],
    build: { target: 'es2022', chunkSizeWarningLimit: 1_000, assetsInlineLimit: 0 },
  })
  writeFileSync(STAMP, sources)
}

function fingerprint(): string {
  const hash = createHash('sha256')
  const files = globSync(['index.html', 'package.json', 'build.ts', 'public/**', 'src/**'], {
    cwd: ROOT,
  })
  for (const file of files.toSorted()) {
    if (!statSync(join(ROOT, file)).isFile() || file.endsWith('.test.ts')) continue
    hash.update(`${file}\n`).update(readFileSync(join(ROOT, file)))
  }
  return hash.digest('hex')
}

function lastBuilt(): string | null {
  try {
    return readFileSync(STAMP, 'utf8')
  } catch {
    return null
  }
}
