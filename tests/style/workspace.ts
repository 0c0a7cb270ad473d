/**
 * What the style tests look at: every text file of the repository, and the syntax trees of its
 * TypeScript. Trees come from the compiler itself (its `unstable` API: a new major may move it),
 * so that strings, templates, comments and regular expressions never confuse a check.
 */
import { globSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { API } from 'typescript/unstable/sync'
import { createVirtualFileSystem } from 'typescript/unstable/fs'
import type { Node, SourceFile } from 'typescript/unstable/ast'

const ROOT = join(import.meta.dirname, '../..')

export interface TextFile {
  /** Relative to the root, with forward slashes. */
  path: string
  text: string
}

export interface CodeFile extends TextFile {
  tree: SourceFile
}

/** Where a rule is broken: `file:line what is wrong`, so that editors can jump there. */
export type Finding = string

/** The same names as in .gitignore; read here so that the tests also run on an unpacked tarball. */
const IGNORED = new Set(['node_modules', 'minga-data', 'dist', '.git'])
const TEXT =
  /\.(ts|tsx|mjs|cjs|js|json|jsonc|md|sh|sql|css|html|yml|yaml|toml)$|^(LICENSE|run|\.npmrc|\.gitignore)$/

export function workspaceFiles(): TextFile[] {
  const paths = globSync(['**/*', '**/.*', '.ci/*'], {
    cwd: ROOT,
    exclude: (name) => IGNORED.has(basename(name)),
  })
  return paths
    .filter((path) => TEXT.test(basename(path)) && statSync(join(ROOT, path)).isFile())
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))
}

/** Every file that `tsc` checks, parsed. Declarations of libraries are left out. */
export function workspaceCode(): CodeFile[] {
  return parseProject(new API({ cwd: ROOT }), ROOT)
}

/** Parses files given as text: the checks are themselves tested on such examples. */
export function parse(files: Record<string, string>): CodeFile[] {
  const config = JSON.stringify({ compilerOptions: { noLib: true, types: [] }, include: ['**/*'] })
  const entries = Object.entries(files).map(([path, text]) => [`/example/${path}`, text] as const)
  const fs = createVirtualFileSystem({
    '/example/tsconfig.json': config,
    ...Object.fromEntries(entries),
  })
  return parseProject(new API({ cwd: '/example', fs }), '/example')
}

function parseProject(api: API, root: string): CodeFile[] {
  try {
    const config = `${root}/tsconfig.json`
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config)
    if (project === undefined) throw new Error(`The compiler did not open ${config}.`)
    return project.rootFiles.map((fileName) => {
      const tree = project.program.getSourceFile(fileName)
      if (tree === undefined) throw new Error(`The compiler gave no tree for ${fileName}.`)
      return { path: fileName.slice(root.length + 1), text: tree.text, tree }
    })
  } finally {
    api.close()
  }
}

/** Tests, and the fixtures and contract suites next to them, which only tests import. */
export function isTest(path: string): boolean {
  return /(\.test|-fixture|\/contract-[\w-]+)\.ts$|^(\w+\/[\w-]+\/test|tests)\//.test(path)
}

export function lineOf(tree: SourceFile, position: number): number {
  return tree.getLineAndCharacterOfPosition(position).line + 1
}

export function at(file: CodeFile, node: Node): string {
  return `${file.path}:${lineOf(file.tree, node.getStart(file.tree))}`
}

export function* descendants(node: Node): Generator<Node> {
  const children: Node[] = []
  node.forEachChild((child) => {
    children.push(child)
  })
  for (const child of children) {
    yield child
    yield* descendants(child)
  }
}
