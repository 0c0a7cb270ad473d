/** Sizes and forms: how long a file or function is, what a module exports, which syntax it uses. */
import {
  isArrowFunction,
  isCallExpression,
  isConstructorDeclaration,
  isEnumDeclaration,
  isExportAssignment,
  isExportDeclaration,
  isFunctionDeclaration,
  isFunctionExpression,
  isGetAccessorDeclaration,
  isIdentifier,
  isMethodDeclaration,
  isModuleDeclaration,
  isNamedExports,
  isPropertyAccessExpression,
  isSetAccessorDeclaration,
  isVariableDeclaration,
  SyntaxKind,
  type Node,
} from 'typescript/unstable/ast'
import {
  at,
  descendants,
  isTest,
  lineOf,
  type CodeFile,
  type Finding,
  type TextFile,
} from './workspace.ts'

const FILE_LINES = 500
const TEST_FILE_LINES = 800
const FUNCTION_LINES = 70
const PARAMETERS = 4

export function fileSizeFindings(files: TextFile[], exempt: Record<string, string>): Finding[] {
  return files.flatMap(({ path, text }) => {
    const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
    const limit = isTest(path) ? TEST_FILE_LINES : FILE_LINES
    return lines > limit && !(path in exempt) ? [`${path}:1 ${lines} lines, at most ${limit}`] : []
  })
}

export function functionFindings(files: CodeFile[]): Finding[] {
  return files.flatMap((file) => {
    const findings: Finding[] = []
    for (const node of descendants(file.tree)) {
      if (!isFunction(node) || node.body === undefined) continue
      const lines = linesOf(file, node) - linesOfTestsIn(file, node)
      const name = nameOf(node)
      if (lines > FUNCTION_LINES) {
        findings.push(`${at(file, node)} ${name} has ${lines} lines, at most ${FUNCTION_LINES}`)
      }
      const parameters = node.parameters.filter((parameter) => !isThis(parameter.name)).length
      if (parameters > PARAMETERS) {
        findings.push(
          `${at(file, node)} ${name} takes ${parameters} parameters, at most ${PARAMETERS}`,
        )
      }
    }
    return findings
  })
}

function isFunction(node: Node) {
  return (
    isFunctionDeclaration(node) ||
    isFunctionExpression(node) ||
    isArrowFunction(node) ||
    isMethodDeclaration(node) ||
    isConstructorDeclaration(node) ||
    isGetAccessorDeclaration(node) ||
    isSetAccessorDeclaration(node)
  )
}

function isThis(name: Node): boolean {
  return isIdentifier(name) && name.text === 'this'
}

function nameOf(node: Node): string {
  if (isConstructorDeclaration(node)) return 'the constructor'
  const named = node as Node & { name?: Node }
  const owner = named.name ?? (isVariableDeclaration(node.parent) ? node.parent.name : undefined)
  return owner === undefined ? 'a function without a name' : owner.getText()
}

function linesOf(file: CodeFile, node: Node): number {
  return lineOf(file.tree, node.end) - lineOf(file.tree, node.getStart(file.tree)) + 1
}

/** A contract suite or a `describe` is a list of tests: each test is measured, not the list. */
function linesOfTestsIn(file: CodeFile, node: Node): number {
  let lines = 0
  node.forEachChild((child) => {
    lines += isTestCall(child) ? linesOf(file, child) : linesOfTestsIn(file, child)
  })
  return lines
}

/** `test(…)`, `it(…)`, `describe.only(…)`, `t.test(…)`. */
export function isTestCall(node: Node): boolean {
  if (!isCallExpression(node)) return false
  const called = node.expression
  if (isIdentifier(called)) return TEST_NAMES.has(called.text)
  if (!isPropertyAccessExpression(called) || !isIdentifier(called.expression)) return false
  return (
    TEST_NAMES.has(called.expression.text) ||
    (called.name.getText() === 'test' && called.expression.text === 't')
  )
}

const TEST_NAMES = new Set([
  'test',
  'it',
  'describe',
  'suite',
  'before',
  'after',
  'beforeEach',
  'afterEach',
])

export function syntaxFindings(files: CodeFile[]): Finding[] {
  return files.flatMap((file) =>
    [...descendants(file.tree)].flatMap((node) => {
      const what = forbiddenSyntax(node)
      return what === undefined ? [] : [`${at(file, node)} ${what}`]
    }),
  )
}

function forbiddenSyntax(node: Node): string | undefined {
  if (isEnumDeclaration(node)) return 'enum: use a union of string literals'
  if (isModuleDeclaration(node)) {
    // `declare global` and `declare module 'x'` only describe what exists; they run nothing.
    const describes = !isIdentifier(node.name) || node.name.text === 'global'
    return describes ? undefined : 'namespace: use a module'
  }
  if (isExportAssignment(node)) return 'default export: give it a name'
  if (isFunctionDeclaration(node) || node.kind === SyntaxKind.ClassDeclaration) {
    const { modifiers } = node as Node & { modifiers?: readonly Node[] }
    const isDefault = modifiers?.some(({ kind }) => kind === SyntaxKind.DefaultKeyword)
    return isDefault ? 'default export: give it a name' : undefined
  }
  if (
    isExportDeclaration(node) &&
    node.exportClause !== undefined &&
    isNamedExports(node.exportClause)
  ) {
    const names = node.exportClause.elements.map((element) => element.name.getText())
    return names.includes('default') ? 'default export: give it a name' : undefined
  }
  return undefined
}

const KEBAB = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$/
const VAGUE = /^(utils?|helpers?|misc|common)$/

/** Folders and code files; documents at the root follow the custom of README and LICENSE. */
export function nameFindings(paths: string[]): Finding[] {
  return paths.flatMap((path) => {
    const parts = path.split('/').filter((part) => !part.startsWith('.'))
    const checked = /\.(ts|tsx|mjs|js|sh|sql|css|html)$/.test(path) ? parts : parts.slice(0, -1)
    const stems = checked.map((part) => part.split('.')[0] ?? '')
    if (stems.some((stem) => VAGUE.test(stem)))
      return [`${path}:1 says nothing: name what it holds`]
    return checked.every((part) => KEBAB.test(part)) ? [] : [`${path}:1 is not kebab-case`]
  })
}
