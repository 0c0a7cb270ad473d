/**
 * Builds the page into `dist`, which a station serves.
 *   in:  index.html, public, src, the pinned versions in package.json
 *   out: dist, dist/built-from.txt (a hash of the sources)
 *   --if-stale: only when the sources changed since, so that a start costs nothing
 */
import { createHash } from 'node:crypto'
import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HtmlTagDescriptor, IndexHtmlTransformContext } from 'vite'

const ROOT = import.meta.dirname
const STAMP = join(ROOT, 'dist', 'built-from.txt')
const START = 'src/start.ts'
/**
 * Each with all that it needs, in one file: left alone, everything that two screens share is a file of its own, and
 * the first screen waits for 50 of them, of which a browser asks for six at a time.
 */
const FILES = [
  { name: 'begin', tags: ['$initial' as const], priority: 3 },
  { name: 'first', test: START, priority: 2 },
  { name: 'palette', test: /palette\/palette\.tsx$/, priority: 1 },
]

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
    plugins: [react(), { name: 'beside-beginning', transformIndexHtml: besideBeginning }],
    build: {
      target: 'es2022',
      chunkSizeWarningLimit: 1_000,
      assetsInlineLimit: 0,
      rolldownOptions: { output: { codeSplitting: { groups: FILES } } },
    },
  })
  writeFileSync(STAMP, sources)
}

/** The page names what its start needs, so that the browser loads it in parallel and not afterwards. */
function besideBeginning(
  html: string,
  { bundle = {} }: IndexHtmlTransformContext,
): HtmlTagDescriptor[] {
  const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
  const start = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(START)))
  if (start === undefined) throw new Error(`${START} is in no file of the page.`)
  return [start.fileName, ...start.imports]
    .filter((file) => !html.includes(file))
    .map((file) => ({
      tag: 'link',
      attrs: { rel: 'modulepreload', crossorigin: true, href: `/${file}` },
      injectTo: 'head',
    }))
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
