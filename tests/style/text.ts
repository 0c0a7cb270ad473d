/** What must not be in any text file of the repository, and what the catalogue of errors must be. */
import {
  isElementAccessExpression,
  isIdentifier,
  isNoSubstitutionTemplateLiteral,
  isPropertyAssignment,
  isStringLiteral,
  type Node,
} from 'typescript/unstable/ast'
import { at, descendants, isTest, type CodeFile, type Finding, type TextFile } from './workspace.ts'

/** In brackets, so that this line does not find itself. */
const UNFINISHED = /\b([T]ODO|[F]IXME|[X]XX)\b/

/**
 * Absolute paths of one machine. Not after a letter, dot or colon (an address: `host/tmp/x`), nor
 * in a robots rule, where such paths are the customary example.
 */
const MACHINE_PATH = /(?<![\w./:*$}>-])(?<!allow: ?)\/(?:work|root|tmp|home\/\w+)\/\w/i

/** A host that serves packages differs from machine to machine and stays out of the repository. */
const REGISTRY =
  /\bregistry\.(npmjs|yarnpkg|npmmirror)\.\w+|\bnpm\.pkg\.github\.com|^\s*registry\s*=/

export function textFindings(files: TextFile[]): Finding[] {
  return files
    .filter(({ path }) => path !== 'LICENSE' && path !== 'package-lock.json')
    .flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, index) => {
        const where = `${path}:${index + 1}`
        const findings: Finding[] = []
        if (UNFINISHED.test(line)) findings.push(`${where} unfinished: do it or open an issue`)
        if (MACHINE_PATH.test(line)) findings.push(`${where} names a path of one machine`)
        if (REGISTRY.test(line)) findings.push(`${where} names a package registry`)
        return findings
      }),
    )
}

/** In the lockfile only links to workspaces may carry `resolved`. */
export function lockfileFindings(lockfile: TextFile): Finding[] {
  return lockfile.text.split('\n').flatMap((line, index) => {
    const host = /"resolved": "(\w+:\/\/[^/"]+)/.exec(line)?.[1]
    return host === undefined ? [] : [`${lockfile.path}:${index + 1} names the registry ${host}`]
  })
}

const CODE = /^MINGA(_[A-Z0-9]+)+$/

/** Every literal of the form of a code in shipped source, except where it names a variable. */
export function errorCodesInSource(files: CodeFile[], variables: string[]): Map<string, string> {
  const codes = new Map<string, string>()
  for (const file of files) {
    if (!/^(packages|apps)\//.test(file.path) || isTest(file.path)) continue
    for (const node of descendants(file.tree)) {
      const text = literalText(node)
      if (text === undefined || !CODE.test(text)) continue
      const isVariable = isElementAccessExpression(node.parent) || variables.includes(text)
      if (!isVariable) codes.set(text, at(file, node))
    }
  }
  return codes
}

/** The text of a literal, or of a key in a table of codes. */
function literalText(node: Node): string | undefined {
  if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)) return node.text
  const isKey = isIdentifier(node) && isPropertyAssignment(node.parent) && node.parent.name === node
  return isKey ? node.text : undefined
}

export interface ErrorRow {
  code: string
  cells: string[]
}

/** Rows of the form: | `MINGA_X` | what happened | what to do | */
export function errorRows(markdown: string): ErrorRow[] {
  return markdown.split('\n').flatMap((line) => {
    const code = /^\| `(MINGA_[A-Z0-9_]+)`/.exec(line)?.[1]
    if (code === undefined) return []
    const cells = line.split('|').slice(2, -1)
    return [{ code, cells: cells.map((cell) => cell.trim()) }]
  })
}

export function errorFindings(inSource: Map<string, string>, rows: ErrorRow[]): Finding[] {
  const documented = new Set(rows.map(({ code }) => code))
  const missing = [...inSource].filter(([code]) => !documented.has(code))
  const gone = rows.filter(({ code }) => !inSource.has(code))
  const empty = rows.filter(({ cells }) => cells.length !== 2 || cells.some((cell) => cell === ''))
  const order = rows.filter(({ code }, index) => index > 0 && code <= (rows[index - 1]?.code ?? ''))
  return [
    ...missing.map(([code, where]) => `${where} ${code} has no row in docs/reference/errors.md`),
    ...gone.map(({ code }) => `docs/reference/errors.md documents ${code}, which no source raises`),
    ...empty.map(
      ({ code }) => `docs/reference/errors.md: ${code} needs what happened and what to do`,
    ),
    ...order.map(({ code }) => `docs/reference/errors.md: ${code} is out of order or there twice`),
  ]
}
