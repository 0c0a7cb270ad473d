/**
 * Joins a program and everything it imports into a few files, so that a start reads a dozen files
 * instead of a thousand.
 *   in:  entry modules of the workspace
 *   out: chunks, one per entry and thread plus what they share, and the files read at run time
 *
 * Threads and child processes are found where the code names them: `new URL('./x.ts',
 * import.meta.url)` and `import.meta.resolve('@minga/…')` each become an entry of their own.
 */
import { globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown, type OutputChunk, type Plugin, type PluginContext } from 'rolldown'
import { ROOT } from './commands.ts'

export interface BundledFile {
  /** Path within the folder of the bundle, with forward slashes. */
  path: string
  body: Buffer
}

export interface Bundle {
  files: BundledFile[]
  /** Every source file that went into it, those of libraries included. */
  sources: string[]
}

/** Native code cannot be joined with ours, and pg only tries the other. */
const EXTERNAL = [/^@duckdb\//, 'pg-native']

/**
 * What programs read at run time, and where it lies next to the chunks. `only` leaves out what a
 * package brings for other uses: modules become entries, other files are taken as they are.
 */
const RESOURCES: Record<string, { to: string; only?: string }> = {
  'apps/coordinator/openapi.json': { to: 'openapi.json' },
  'apps/agent/src/owner/local-page/page': { to: 'agent-page' },
  'apps/dashboard/dist': { to: 'dashboard' },
  'packages/lake/src/queries': { to: 'queries', only: '*.ts' },
  dist: { to: 'downloads', only: 'minga-agent-*.tgz*' },
  'node_modules/replaywebpage/index.html': { to: 'replay/index.html' },
  'node_modules/@zxcvbn-ts/language-common/src/passwords.json': { to: 'passwords.json' },
  'node_modules/vader-sentiment/vader_lexicon.txt': { to: 'lexicons/vader_lexicon.txt' },
  'node_modules/afinn-165-multilingual/build/AFINN-es.json': { to: 'lexicons/AFINN-es.json' },
  'node_modules/afinn-165-multilingual/build/AFINN-pt.json': { to: 'lexicons/AFINN-pt.json' },
}
/** The player asks for these next to its page. */
const REPLAY = 'node_modules/replaywebpage'
const REPLAY_FILES = ['package.json', 'sw.js', 'ui.js']

const NAMED_URL = /new URL\(\s*'(\.{1,2}\/[^']+)',\s*import\.meta\.url,?\s*\)/g
const RESOLVED = /import\.meta\.resolve\('([^']+)'\)/g

/** What `--version` prints; see apps/minga/src/version.ts. */
export interface Build {
  version: string
  commit: string | null
  /** Without white space and the names of sources. */
  isCompact: boolean
}

/** Bundles the modules, each under its name: `{ minga: 'apps/minga/src/main.ts' }`. */
export async function bundle(entries: Record<string, string>, made: Build): Promise<Bundle> {
  const resources = new Set<string>()
  const build = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(
      Object.entries(entries).map(([name, file]) => [name, join(ROOT, file)]),
    ),
    platform: 'node',
    external: EXTERNAL,
    transform: { define: { MINGA_BUILD: JSON.stringify(made) } },
    plugins: [findEntries(resources), takeBuiltinsDirectly(), startQuickly()],
  })
  const { output } = await build.generate({
    format: 'esm',
    // A twentieth less to start; names stay, so that stack traces can be read.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: made.isCompact } },
    entryFileNames: '[name].js',
    chunkFileNames: 'shared-[name]-[hash].js',
    comments: { legal: false, annotation: false, jsdoc: false },
  })
  await build.close()
  const chunks = output.filter((part): part is OutputChunk => part.type === 'chunk')
  return {
    files: [
      ...chunks.map(({ fileName, code }) => ({ path: fileName, body: Buffer.from(code) })),
      ...[...resources].flatMap(resourceFiles),
    ],
    sources: [
      ...chunks.flatMap(({ moduleIds }) => moduleIds),
      ...[...resources].flatMap(resourceSources),
    ].map(absolute),
  }
}

export function writeBundle(folder: string, { files }: Bundle): void {
  rmSync(folder, { recursive: true, force: true })
  for (const { path, body } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), body)
  }
}

function findEntries(resources: Set<string>): Plugin {
  return {
    name: 'find-entries',
    transform(code, id) {
      if (!id.startsWith(ROOT) || id.includes('node_modules')) return null
      const named = (file: string): string => `./${place(this, file, resources)}`
      return code
        .replaceAll(NAMED_URL, (_whole, path: string) => {
          const file = fileURLToPath(new URL(path, pathToFileURL(id)))
          // A folder to which names are added ends with a slash there, too.
          const slash = path.endsWith('/') ? '/' : ''
          return `new URL('${named(file)}${slash}', import.meta.url)`
        })
        .replaceAll(RESOLVED, (_whole, name: string) => {
          const file = fileURLToPath(import.meta.resolve(name))
          return `new URL('${named(file)}', import.meta.url).href`
        })
    },
  }
}

const BUILTIN_IMPORT =
  /^import (?:(?<all>[\w$]+)(?:, )?)?(?:\{(?<some>[^}]*)\}|\* as (?<space>[\w$]+))? ?from "(?<module>node:[\w/]+)";$/gm

/**
 * An `import` of a built-in module reads all its exports, and some of them (`http.WebSocket`,
 * `crypto.webcrypto`) load a large part of Node that Minga does not use.
 */
function takeBuiltinsDirectly(): Plugin {
  return {
    name: 'take-builtins-directly',
    renderChunk: (code) =>
      code.replaceAll(BUILTIN_IMPORT, (...found) =>
        builtinConstants(found.at(-1) as Record<string, string | undefined>),
      ),
  }
}

function builtinConstants({
  all,
  some = '',
  space,
  module,
}: Record<string, string | undefined>): string {
  const from = `globalThis.process.getBuiltinModule("${module}");`
  const whole = [all, space].filter((name) => name !== undefined)
  const list = some.trim() === '' ? [] : [`{${some.replaceAll(' as ', ': ')}}`]
  return [...whole, ...list].map((target) => `const ${target} = ${from}`).join(' ')
}

const ENTITY_TABLE = /\/entities\/dist\/generated\/decode-data-\w+\.js$/
const ROUTER_NODE = /\/find-my-way\/lib\/node\.js$/
const COMPILED_PREFIX = /return new Function\('path', 'i', .*$/m

/**
 * Two libraries do at every start what can be done once or never. The HTML parser's table of character
 * references is unpacked by loops so long that V8 optimizes them, in each thread that reads pages. The router
 * compiles a function for each part of each address, and most addresses are never called.
 */
function startQuickly(): Plugin {
  return {
    name: 'start-quickly',
    async transform(code, id) {
      const path = id.replaceAll(sep, '/')
      if (ENTITY_TABLE.test(path)) return unpackedTables(id)
      if (!ROUTER_NODE.test(path)) return null
      if (!COMPILED_PREFIX.test(code)) throw new Error(`${path} no longer compiles prefixes.`)
      return code.replace(COMPILED_PREFIX, 'return (path, i) => path.startsWith(prefix, i)')
    },
  }
}

/** The module with its tables written out. */
async function unpackedTables(id: string): Promise<string> {
  const tables = (await import(pathToFileURL(id).href)) as Record<string, Uint16Array>
  return Object.entries(tables)
    .map(
      ([name, table]) =>
        `export const ${name} = /* #__PURE__ */ new Uint16Array([${table.join()}])`,
    )
    .join('\n')
}

/** Takes the file into the bundle and answers the path that it gets there. */
function place(build: PluginContext, file: string, resources: Set<string>): string {
  const path = inWorkspace(file)
  if (path.endsWith('.ts')) return emitEntry(build, path, entryName(path))
  const resource = RESOURCES[path]
  if (resource === undefined) throw new Error(`${path} is read at run time; add it to RESOURCES.`)
  const { to, only } = resource
  if (only?.endsWith('.ts')) emitModules(build, path, { to, only })
  else resources.add(path)
  return to
}

/** A folder of modules that are found by listing it. */
function emitModules(
  build: PluginContext,
  folder: string,
  { to, only }: { to: string; only: string },
): void {
  const names = globSync(only, { cwd: join(ROOT, folder) })
  for (const name of names.filter((each) => !each.endsWith('.test.ts'))) {
    emitEntry(build, `${folder}/${name}`, `${to}/${name.replace(/\.ts$/, '')}`)
  }
}

function emitEntry(build: PluginContext, path: string, name: string): string {
  const fileName = `${name}.js`
  build.emitFile({ type: 'chunk', id: join(ROOT, path), fileName })
  return fileName
}

/** `apps/coordinator/src/lake/sql/sql-process.ts` becomes `coordinator-lake-sql-process`. */
function entryName(path: string): string {
  return path
    .replace(/^(apps|packages)\//, '')
    .replace('/src/', '/')
    .replace(/\.ts$/, '')
    .replaceAll('/', '-')
}

/** Of a folder that also holds other things, the files that are taken; else what was named. */
function resourceSources(path: string): string[] {
  const only = RESOURCES[path]?.only
  if (only === undefined) return [path]
  return globSync(only, { cwd: join(ROOT, path) }).map((name) => `${path}/${name}`)
}

function resourceFiles(path: string): BundledFile[] {
  const { to, only = '**' } = RESOURCES[path] ?? { to: path }
  const here = join(ROOT, path)
  if (path === `${REPLAY}/index.html`) {
    return ['index.html', ...REPLAY_FILES].map((name) => ({
      path: `replay/${name}`,
      body: readFileSync(join(ROOT, REPLAY, name)),
    }))
  }
  if (statSync(here).isFile()) return [{ path: to, body: readFileSync(here) }]
  const names = globSync(only, { cwd: here }).filter((name) => statSync(join(here, name)).isFile())
  return names.map((name) => ({
    path: `${to}/${name.replaceAll(sep, '/')}`,
    body: readFileSync(join(here, name)),
  }))
}

const inWorkspace = (file: string): string =>
  relative(ROOT, file).replaceAll(sep, '/').replace(/\/$/, '')

const absolute = (file: string): string => (file.startsWith(ROOT) ? file : join(ROOT, file))
