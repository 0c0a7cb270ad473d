/**
 * Builds the volunteer's program as a package of its own.
 *   in:  apps/minga/src/agent-main.ts and all it imports, libraries included
 *   out: dist/minga-agent-VERSION.tgz, for `npm install -g`, which downloads nothing more
 * The same sources give the same bytes.
 */
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { rolldown, type OutputChunk, type Plugin } from 'rolldown'
import { ROOT } from './commands.ts'
import { tarball, type PackedFile } from './tarball.ts'
import { thirdPartyLicences } from './third-party-licences.ts'

/** The program, and what it starts as threads: files of their own, found beside the program. */
const ENTRIES = [
  'apps/minga/src/agent-main.ts',
  'apps/agent/src/beat-thread.ts',
  'apps/agent/src/record-thread.ts',
]
const PAGE = 'apps/agent/src/local-page/page'

process.stdout.write(`${await buildAgent()}\n`)

async function buildAgent(): Promise<string> {
  const chunks = await bundle()
  const { version } = readJson('apps/agent/package.json') as { version: string }
  const bundled = chunks.flatMap(({ moduleIds }) => moduleIds)
  const files: PackedFile[] = [
    ...chunks.map(({ fileName, code }) => ({ path: `lib/${fileName}`, body: Buffer.from(code) })),
    ...globSync('*', { cwd: join(ROOT, PAGE) }).map((name) => ({
      path: `lib/page/${name}`,
      body: read(`${PAGE}/${name}`),
    })),
    {
      path: 'bin/minga-agent.mjs',
      body: read('scripts/agent-package/minga-agent.mjs'),
      isExecutable: true,
    },
    { path: 'package.json', body: manifest(version) },
    { path: 'README.md', body: read('docs/for-volunteers.md') },
    { path: 'LICENSE', body: read('LICENSE') },
    { path: 'THIRD-PARTY-LICENSES', body: Buffer.from(thirdPartyLicences(bundled)) },
  ]
  mkdirSync(join(ROOT, 'dist'), { recursive: true })
  const out = join(ROOT, 'dist', `minga-agent-${version}.tgz`)
  writeFileSync(out, tarball(files))
  return out
}

async function bundle(): Promise<OutputChunk[]> {
  const build = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(ENTRIES.map((entry) => [basename(entry, '.ts'), `./${entry}`])),
    platform: 'node',
    plugins: [threadsAreScripts()],
  })
  const { output } = await build.generate({
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    comments: { legal: false, annotation: false, jsdoc: true },
  })
  await build.close()
  return output.filter((part) => part.type === 'chunk')
}

/** Where a thread's file is named, it has another ending after the build. */
function threadsAreScripts(): Plugin {
  return {
    name: 'threads-are-scripts',
    transform: (code) =>
      code.replaceAll(
        /new URL\('(\.\/[\w-]+-thread)\.ts', import\.meta\.url\)/g,
        (_whole, name) => {
          return `new URL('${name}.js', import.meta.url)`
        },
      ),
  }
}

function manifest(version: string): Buffer {
  const fields = {
    name: 'minga-agent',
    version,
    description: 'Lends this machine to a Minga station, within the limits that its owner sets.',
    license: 'AGPL-3.0-or-later',
    type: 'module',
    bin: { 'minga-agent': 'bin/minga-agent.mjs' },
    engines: { node: '>=24' },
  }
  return Buffer.from(`${JSON.stringify(fields, null, 2)}\n`)
}

function read(path: string): Buffer {
  return readFileSync(join(ROOT, path))
}

function readJson(path: string): unknown {
  return JSON.parse(String(read(path)))
}
