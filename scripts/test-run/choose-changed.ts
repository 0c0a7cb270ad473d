/** `npm test -- --changed`: the test files that the changes since the main branch can affect. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { capture, ROOT } from '../commands.ts'
import { importsOf, reachedBy, type Exports } from './import-graph.ts'
import { allTestFiles } from './test-stages.ts'

export interface Choice {
  tests: string[]
  /** Why all of them, if it is all of them. */
  because?: string
}

/** What every test stands on. */
const FOUNDATION = /^(scripts|packages\/testkit)\/(?!.*\.test\.ts$)|^[^/]+\.(json|mjs|ts)$/
const SOURCES = ['ts', 'tsx', 'mjs'].map(
  (ending) => `{apps,packages,tests,simulate,scripts,bench}/**/*.${ending}`,
)
const PAGE = { folder: 'apps/dashboard/', script: 'apps/dashboard/build.ts' }

export function chooseTests(
  changed: readonly string[],
  files: { imports: ReadonlyMap<string, readonly string[]>; tests: readonly string[] },
): Choice {
  const foundation = changed.find((file) => FOUNDATION.test(file))
  if (foundation !== undefined) return { tests: [...files.tests], because: foundation }
  const reached = reachedBy(withNeighbours(changed, [...files.imports.keys()]), files.imports)
  // Style looks at every file there is.
  const isChosen = (file: string): boolean => reached.has(file) || file.startsWith('tests/style/')
  return { tests: files.tests.filter(isChosen) }
}

/** What is no program (a page, a list of words, a document) may be read by any program of its workspace. */
function withNeighbours(changed: readonly string[], sources: readonly string[]): string[] {
  const known = new Set(sources)
  const all = new Set(changed)
  for (const file of changed) {
    const folder = /^(apps|packages)\/[^/]+\//.exec(file)?.[0]
    const isProgram = known.has(file) || /\.(ts|tsx|mjs)$/.test(file)
    if (folder !== undefined && !isProgram) {
      for (const source of sources) if (source.startsWith(folder)) all.add(source)
    }
    if (file.startsWith(PAGE.folder) && !file.endsWith('.test.ts')) all.add(PAGE.script)
  }
  return [...all]
}

export async function chooseChanged(say: (line: string) => void): Promise<ReadonlySet<string>> {
  const changed = await changedFiles()
  const exports = workspaceExports()
  const sources = globSync(SOURCES, { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**'] })
  const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8')
  const imports = new Map(sources.map((file) => [file, importsOf(file, read(file), exports)]))
  const { tests, because } = chooseTests(changed, { imports, tests: allTestFiles() })
  say(`${changed.length} changed files affect ${tests.length} test files`)
  if (because !== undefined) say(`  all of them: everything stands on ${because}`)
  else for (const file of tests.toSorted()) say(`  ${file}`)
  return new Set(tests)
}

/** Since this branch left the main one, and what is not committed yet. */
async function changedFiles(): Promise<string[]> {
  const base = await git('merge-base', 'HEAD', 'main')
  const since = base.code === 0 ? base.output.trim() : 'HEAD'
  const lists = [
    await git('diff', '--name-only', since),
    await git('ls-files', '--others', '--exclude-standard'),
  ]
  const failed = lists.find(({ code }) => code !== 0)
  if (failed !== undefined) throw new Error(`git could not say what changed: ${failed.output}`)
  return lists.flatMap(({ output }) => output.split('\n').filter(Boolean))
}

const git = (...args: string[]): ReturnType<typeof capture> => capture('git', args)

function workspaceExports(): Exports {
  const names = new Map<string, string>()
  for (const file of globSync('{apps,packages}/*/package.json', { cwd: ROOT })) {
    const description = JSON.parse(readFileSync(path.join(ROOT, file), 'utf8')) as {
      name: string
      exports?: string | Record<string, string>
    }
    const { name, exports = {} } = description
    const entries = typeof exports === 'string' ? { '.': exports } : exports
    for (const [key, target] of Object.entries(entries)) {
      const place = path.posix.join(path.dirname(file), target)
      if (existsSync(path.join(ROOT, place))) names.set(path.posix.join(name, key), place)
    }
  }
  return names
}
