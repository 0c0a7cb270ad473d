/** Who imports whom: the table of rooms from the design, and checks over import statements. */
import { posix } from 'node:path'
import {
  isCallExpression,
  isExportDeclaration,
  isImportDeclaration,
  isImportTypeNode,
  isLiteralTypeNode,
  isStringLiteral,
  SyntaxKind,
  type Node,
} from 'typescript/unstable/ast'
import { at, descendants, isTest, type CodeFile, type Finding } from './workspace.ts'

/** From the bottom of the building up: a room imports only rooms that come BEFORE it here. */
const ROOMS = [
  'packages/protocol',
  'packages/net',
  'packages/archive',
  'packages/partition',
  'packages/forecast',
  'packages/store',
  'packages/frontier',
  'packages/fleet',
  'packages/wiki',
  'packages/lake',
  'packages/testkit',
  'apps/agent',
  'apps/coordinator',
  'apps/minga',
  'apps/dashboard',
  'simulate',
  'scripts',
  'tests',
  'bench',
]

export interface Import {
  from: string
  specifier: string
  /** The room it reaches, undefined for libraries and Node itself. */
  room: string | undefined
  where: string
  typeOnly: boolean
}

function roomOf(path: string): string {
  const [first = '', second = ''] = path.split('/')
  return first === 'packages' || first === 'apps' ? `${first}/${second}` : first
}

export function importsOf(file: CodeFile): Import[] {
  const imports: Import[] = []
  for (const node of descendants(file.tree)) {
    const specifier = specifierOf(node)
    if (specifier === undefined) continue
    const typeOnly = isTypeOnly(node)
    const room = roomReached(file.path, specifier)
    imports.push({ from: file.path, specifier, room, where: at(file, node), typeOnly })
  }
  return imports
}

function specifierOf(node: Node): string | undefined {
  let target: Node | undefined
  if (isImportDeclaration(node) || isExportDeclaration(node)) target = node.moduleSpecifier
  if (isImportTypeNode(node) && isLiteralTypeNode(node.argument)) target = node.argument.literal
  if (isCallExpression(node) && node.expression.kind === SyntaxKind.ImportKeyword) {
    target = node.arguments[0]
  }
  return target !== undefined && isStringLiteral(target) ? target.text : undefined
}

function isTypeOnly(node: Node): boolean {
  if (isImportTypeNode(node)) return true
  if (isExportDeclaration(node)) return node.isTypeOnly
  return isImportDeclaration(node) && node.importClause?.phaseModifier === SyntaxKind.TypeKeyword
}

function roomReached(from: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return roomOf(posix.join(posix.dirname(from), specifier))
  if (specifier === 'minga') return 'apps/minga'
  const name = /^@minga\/([^/]+)/.exec(specifier)?.[1]
  if (name === undefined) return undefined
  return ROOMS.find((room) => room.endsWith(`/${name}`)) ?? `packages/${name}`
}

export function layeringFindings(files: CodeFile[]): Finding[] {
  return files.flatMap(importsOf).flatMap((one) => {
    const own = roomOf(one.from)
    if (!ROOMS.includes(own)) return [`${one.where} ${own} is not in the table of rooms`]
    if (one.room === undefined || one.room === own) return []
    // The simulators are programs without a package, and the hands of browser tests are in none: benchmarks use both.
    const isBare = one.room === 'simulate' || (own === 'bench' && one.room === 'tests')
    if (one.specifier.startsWith('.') && !isTest(one.from) && !isBare) {
      return [`${one.where} reaches into ${one.room} by a relative path; import its package`]
    }
    if (isTest(one.from) && one.room === 'packages/testkit') return []
    if (ROOMS.includes(one.room) && ROOMS.indexOf(one.room) < ROOMS.indexOf(own)) return []
    return [`${one.where} ${own} may not import ${one.room}: it does not stand above it`]
  })
}

export interface FolderOrder {
  /** Folder whose subfolders are ordered. */
  root: string
  /** A folder imports only folders that come before it here; files in the root itself come last. */
  order: readonly string[]
  /** `from → to`, relative to the root, of imports that still point the other way; `*` stands for any file. */
  known: readonly string[]
}

/** The order of folders inside a room. A known exception that is gone must leave the list. */
export function folderFindings(files: CodeFile[], { root, order, known }: FolderOrder): Finding[] {
  const rank = (path: string): number => {
    const [folder = ''] = path.split('/')
    if (!path.includes('/')) return order.length
    return order.indexOf(folder)
  }
  const findings: Finding[] = []
  const met = new Set<string>()
  for (const one of files.filter(({ path }) => !isTest(path)).flatMap(importsOf)) {
    if (!one.from.startsWith(`${root}/`) || !one.specifier.startsWith('.')) continue
    const from = one.from.slice(root.length + 1)
    const target = posix.join(posix.dirname(one.from), one.specifier)
    if (!target.startsWith(`${root}/`)) continue
    const to = target.slice(root.length + 1)
    if (rank(from) < 0) {
      findings.push(`${one.where} its folder is not in the order of folders`)
      continue
    }
    if (rank(to) <= rank(from)) continue
    const exception = known.find((each) => [`${from} → ${to}`, `* → ${to}`].includes(each))
    if (exception === undefined)
      findings.push(`${one.where} ${from} may not import ${to}: it comes later`)
    else met.add(exception)
  }
  const gone = known.filter((each) => !met.has(each))
  return [...findings, ...gone.map((each) => `${root} no longer has the import ${each}: remove it`)]
}

/** Each cycle once, as `a → b → a`. Tests may close a circle through testkit; they ship nothing. */
export function cycleFindings(files: CodeFile[]): Finding[] {
  const edges = new Map<string, Set<string>>()
  for (const one of files.filter((file) => !isTest(file.path)).flatMap(importsOf)) {
    const own = roomOf(one.from)
    if (one.room === undefined || one.room === own) continue
    edges.set(own, (edges.get(own) ?? new Set()).add(one.room))
  }
  const cycles = new Set<string>()
  const walk = (room: string, path: string[]): void => {
    const start = path.indexOf(room)
    if (start >= 0) {
      const ring = path.slice(start)
      // The same ring is met from each of its rooms: keep the one that starts at its first name.
      if (ring.toSorted()[0] === room) cycles.add([...ring, room].join(' → '))
      return
    }
    for (const next of edges.get(room) ?? []) walk(next, [...path, room])
  }
  for (const room of edges.keys()) walk(room, [])
  return [...cycles]
}

/** A file that only re-exports hides where things are; a package has one such page, its root. */
export function barrelFindings(files: CodeFile[]): Finding[] {
  return files.flatMap((file) => {
    const root = `${roomOf(file.path)}/src/index.ts`
    if (file.path === root) return []
    if (/(^|\/)index\.tsx?$/.test(file.path))
      return [`${file.path}:1 index.ts below the package root`]
    const statements = [...file.tree.statements]
    const onlyReexports = statements.every(
      (statement) => isExportDeclaration(statement) && statement.moduleSpecifier !== undefined,
    )
    return statements.length > 0 && onlyReexports ? [`${file.path}:1 only re-exports`] : []
  })
}
