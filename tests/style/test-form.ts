/** How tests are written: sentences of behaviour, each once, none switched off. */
import {
  isCallExpression,
  isIdentifier,
  isImportDeclaration,
  isNoSubstitutionTemplateLiteral,
  isObjectLiteralExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isStringLiteral,
  isTemplateExpression,
  SyntaxKind,
  type CallExpression,
} from 'typescript/unstable/ast'
import { isTestCall } from './shape.ts'
import { at, descendants, type CodeFile, type Finding } from './workspace.ts'

const WORDS = 4

export function testFindings(files: CodeFile[]): Finding[] {
  return files.flatMap((file) => {
    if (!file.path.endsWith('.test.ts')) return []
    const head = file.text.startsWith('//') || file.text.startsWith('/*')
    const headless = head ? [] : [`${file.path}:1 does not open with its goal and method`]
    return [...headless, ...nameFindingsIn(file), ...switchedOffIn(file)]
  })
}

/** Calls of what the file imports from node:test, with a body: others may call their own things `it`. */
function testCallsIn(file: CodeFile): CallExpression[] {
  const imported = new Set(['t'])
  for (const statement of file.tree.statements) {
    if (!isImportDeclaration(statement)) continue
    const { moduleSpecifier, importClause } = statement
    if (!isStringLiteral(moduleSpecifier) || moduleSpecifier.text !== 'node:test') continue
    if (importClause === undefined) continue
    for (const node of descendants(importClause)) if (isIdentifier(node)) imported.add(node.text)
  }
  return [...descendants(file.tree)].filter(
    (node): node is CallExpression =>
      isCallExpression(node) &&
      isTestCall(node) &&
      node.arguments.length > 1 &&
      imported.has(node.expression.getText().split('.')[0] ?? ''),
  )
}

function nameFindingsIn(file: CodeFile): Finding[] {
  const seen = new Set<string>()
  return testCallsIn(file).flatMap((node) => {
    const name = testName(node)
    if (name === undefined) return []
    const findings: Finding[] = []
    const words = name.trim().split(/\s+/).length
    if (words < WORDS && !name.includes('${'))
      findings.push(`${at(file, node)} “${name}” is not a sentence`)
    if (seen.has(name)) findings.push(`${at(file, node)} “${name}” is there twice`)
    seen.add(name)
    return findings
  })
}

/** The name of a `test` or `it`; a template keeps its holes, each of which may be many words. */
function testName(node: CallExpression): string | undefined {
  const called = node.expression.getText().split('.')
  if (!called.includes('test') && !called.includes('it')) return undefined
  const [name] = node.arguments
  if (name === undefined) return undefined
  if (isStringLiteral(name) || isNoSubstitutionTemplateLiteral(name)) return name.text
  return isTemplateExpression(name) ? name.getText().slice(1, -1) : undefined
}

function switchedOffIn(file: CodeFile): Finding[] {
  return testCallsIn(file).flatMap((node) => {
    const off = offByName(node) ?? offByOption(node)
    return off === undefined ? [] : [`${at(file, node)} is switched off or alone by ${off}`]
  })
}

function offByName(call: CallExpression): string | undefined {
  const called = call.expression
  if (!isPropertyAccessExpression(called) || !isIdentifier(called.name)) return undefined
  return /^(skip|only|todo)$/.test(called.name.text) ? `.${called.name.text}` : undefined
}

/** `skip: condition` is honest (a database that is absent); `skip: true` is a test that never runs. */
function offByOption(call: CallExpression): string | undefined {
  const options = call.arguments.find((argument) => isObjectLiteralExpression(argument))
  if (options === undefined || !isObjectLiteralExpression(options)) return undefined
  for (const property of options.properties) {
    if (!isPropertyAssignment(property)) continue
    const name = property.name.getText()
    const value = property.initializer
    const constant = value.kind === SyntaxKind.TrueKeyword || isStringLiteral(value)
    if (/^(skip|only|todo)$/.test(name) && constant) return name
  }
  return undefined
}
