/**
 * The volunteer's program runs on Linux, macOS, Windows and Android under Termux. This finds, in all
 * that it imports, what one of them does not have: calls, signals, places and programs of POSIX.
 */
import { posix } from 'node:path'
import {
  isCallExpression,
  isIdentifier,
  isImportDeclaration,
  isImportSpecifier,
  isNoSubstitutionTemplateLiteral,
  isPrefixUnaryExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isStringLiteral,
  type Node,
} from 'typescript/unstable/ast'
import { importsOf } from './imports.ts'
import { at, descendants, type CodeFile, type Finding } from './workspace.ts'

export interface Program {
  /** What is started: the rest is reached by imports. */
  entries: readonly string[]
  /** File → why it may. */
  adapters: Readonly<Record<string, string>>
}

const PACKAGES: Readonly<Record<string, string>> = { agent: 'apps/agent' }

/** Every file that runs when an entry does; imports of types alone do not run. */
export function importGraph(files: readonly CodeFile[], entries: readonly string[]): CodeFile[] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const reached = new Map<string, CodeFile>()
  const walk = (path: string): void => {
    const file = byPath.get(path)
    if (file === undefined || reached.has(path)) return
    reached.set(path, file)
    for (const { specifier, typeOnly } of importsOf(file)) {
      const target = typeOnly ? null : fileOf(path, specifier)
      if (target !== null) walk(target)
    }
  }
  for (const entry of entries) walk(entry)
  return [...reached.values()]
}

function fileOf(from: string, specifier: string): string | null {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier)
  const name = /^@minga\/([\w-]+)$/.exec(specifier)?.[1]
  return name === undefined ? null : `${PACKAGES[name] ?? `packages/${name}`}/src/index.ts`
}

export function portabilityFindings(files: readonly CodeFile[], program: Program): Finding[] {
  const graph = importGraph(files, program.entries)
  const missing = program.entries
    .filter((entry) => !graph.some(({ path }) => path === entry))
    .map((entry) => `${entry} is not there`)
  const found = graph.flatMap((file) =>
    [...descendants(file.tree)].flatMap((node) => {
      const what = unportable(node)
      return what === undefined ? [] : [{ path: file.path, finding: `${at(file, node)} ${what}` }]
    }),
  )
  const strayed = found.filter(({ path }) => !Object.hasOwn(program.adapters, path))
  const stale = Object.keys(program.adapters)
    .filter((adapter) => !found.some(({ path }) => path === adapter))
    .map((adapter) => `${adapter} is listed as an adapter but needs not be`)
  return [...missing, ...strayed.map(({ finding }) => finding), ...stale]
}

/** Users and groups do not exist on Windows; its ppid does not change; the rest asks which system it is. */
const OF_PROCESS = /^(get|set)(e?[ug]id|groups)$|^(initgroups|umask|ppid|platform)$/
const OF_FILES = /^(l|f)?ch(mod|own)(Sync)?$|^(sym)?link(Sync)?$/
/** Windows has none of the others, and ends a process at once whichever it is sent. */
const SIGNALS = new Set(['SIGINT', 'SIGTERM', 'SIGKILL'])
const PLACE = /^\/(bin|dev|etc|home|proc|run|sys|tmp|usr|var)(\/|$)/
const PROGRAMS = /^(node:)?(child_process|cluster)$/

function unportable(node: Node): string | undefined {
  if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)) return badText(node.text)
  if (isImportDeclaration(node) && isStringLiteral(node.moduleSpecifier)) {
    const { text } = node.moduleSpecifier
    return PROGRAMS.test(text) ? `${text}: other programs differ between systems` : undefined
  }
  if (isImportSpecifier(node)) return badFileCall((node.propertyName ?? node.name).getText())
  if (isPropertyAssignment(node) && node.name.getText() === 'socketPath') {
    return 'socketPath: Windows has no such sockets'
  }
  if (isCallExpression(node)) return badCall(node.expression, node.arguments)
  if (isPropertyAccessExpression(node))
    return badAccess(node.expression.getText(), node.name.getText())
  return undefined
}

function badText(text: string): string | undefined {
  if (/^SIG[A-Z0-9]+$/.test(text) && !SIGNALS.has(text)) return `${text}: not on every system`
  return PLACE.test(text) ? `${text}: not a place on every system` : undefined
}

function badFileCall(name: string): string | undefined {
  return OF_FILES.test(name) ? `${name}: means nothing, or needs rights, on Windows` : undefined
}

function badCall(called: Node, given: readonly Node[]): string | undefined {
  const isGroup =
    called.getText() === 'process.kill' && given[0] && isPrefixUnaryExpression(given[0])
  if (isGroup) return 'process.kill of a group: Windows has none'
  if (isPropertyAccessExpression(called) && isIdentifier(called.name)) {
    return badFileCall(called.name.text)
  }
  return undefined
}

function badAccess(owner: string, name: string): string | undefined {
  if (owner === 'process' && OF_PROCESS.test(name))
    return `process.${name}: differs between systems`
  if (name === 'pathname' && owner.includes('import.meta.url')) {
    return 'pathname of a file: begins with a slash before the drive on Windows'
  }
  return undefined
}
