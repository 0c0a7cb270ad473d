/**
 * Clock, randomness, timers and files are passed in, never reached for, so that the same code
 * runs live, in tests and in the simulator. This finds where they are reached for.
 */
import {
  isIdentifier,
  isNewExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  type Node,
} from 'typescript/unstable/ast'
import { importsOf } from './imports.ts'
import { at, descendants, isTest, type CodeFile, type Finding } from './workspace.ts'

type Ambient = 'clock' | 'random' | 'timers' | 'fs'

/** A file, or a folder when it ends in a slash → what it may reach for → why. */
export type Adapters = Record<string, Partial<Record<Ambient, string>>>

interface Use {
  kind: Ambient
  what: string
  where: string
  path: string
}

const MODULES: Record<string, Ambient> = {
  fs: 'fs',
  'fs/promises': 'fs',
  timers: 'timers',
  'timers/promises': 'timers',
}

/** Only the engine: tests, scripts and benchmarks are themselves the outside world. */
function ambientUses(files: CodeFile[]): Use[] {
  return files
    .filter(({ path }) => /^(packages|apps|simulate)\//.test(path) && !isTest(path))
    .flatMap((file) => [...importedUses(file), ...globalUses(file)])
}

function importedUses(file: CodeFile): Use[] {
  return importsOf(file).flatMap(({ specifier, typeOnly, where }) => {
    const kind = MODULES[specifier.replace(/^node:/, '')]
    return kind === undefined || typeOnly ? [] : [{ kind, what: specifier, where, path: file.path }]
  })
}

function globalUses(file: CodeFile): Use[] {
  return [...descendants(file.tree)].flatMap((node) => {
    const found = ambientOf(node)
    return found === undefined ? [] : [{ ...found, where: at(file, node), path: file.path }]
  })
}

function ambientOf(node: Node): { kind: Ambient; what: string } | undefined {
  if (isPropertyAccessExpression(node)) {
    const what = `${node.expression.getText()}.${node.name.getText()}`
    if (what === 'Date.now') return { kind: 'clock', what }
    if (what === 'Math.random') return { kind: 'random', what }
  }
  if (isNewExpression(node) && node.expression.getText() === 'Date' && !node.arguments?.length) {
    return { kind: 'clock', what: 'new Date()' }
  }
  if (isIdentifier(node) && /^set(Timeout|Interval)$/.test(node.text) && !isMemberName(node)) {
    return { kind: 'timers', what: node.text }
  }
  return undefined
}

/** `socket.setTimeout(…)` and `{ setTimeout: … }` are other people's names, not the global timer. */
function isMemberName(node: Node): boolean {
  const { parent } = node
  if (isPropertyAccessExpression(parent)) {
    return parent.name === node && parent.expression.getText() !== 'globalThis'
  }
  return isPropertyAssignment(parent) && parent.name === node
}

export function ambientFindings(files: CodeFile[], adapters: Adapters): Finding[] {
  const permissions = Object.entries(adapters).flatMap(([path, reasons]) =>
    Object.keys(reasons).map((kind) => ({ path, kind })),
  )
  const uses = ambientUses(files)
  const strayed = uses
    .filter((use) => !permissions.some((permission) => covers(permission, use)))
    .map(
      (use) => `${use.where} ${use.what}: take it as a parameter, or list the file as an adapter`,
    )
  const stale = permissions
    .filter((permission) => !uses.some((use) => covers(permission, use)))
    .map(({ path, kind }) => `${path} is listed as an adapter for ${kind} but does not use it`)
  return [...strayed, ...stale]
}

function covers({ path, kind }: { path: string; kind: string }, use: Use): boolean {
  return kind === use.kind && (path.endsWith('/') ? use.path.startsWith(path) : use.path === path)
}
