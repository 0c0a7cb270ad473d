/**
 * Words that our texts do without, because a reader has to guess what they mean here: they are looked for in
 * comments, strings and prose. Names in code are not texts, and neither are contracts, such as the flag `--beside`.
 */
import {
  isIdentifier,
  isJsxAttribute,
  isJsxText,
  isNoSubstitutionTemplateLiteral,
  isPrivateIdentifier,
  isRegularExpressionLiteral,
  isStringLiteral,
  isTemplateHead,
  isTemplateMiddle,
  isTemplateTail,
  type Node,
} from 'typescript/unstable/ast'
import { descendants, parse, type CodeFile, type Finding, type TextFile } from './workspace.ts'

/** What to write instead, by the beginning of the word. In brackets, so that these lines do not find themselves. */
const INSTEAD: [RegExp, string][] = [
  [/^[t]old/, 'reported, received or notified'],
  [/^[w]hoever/, 'any user who, or the name of the role'],
  [/^[a]new/, 'again, or from scratch'],
  [/^[s]omebody/, 'another user, or the name of the role'],
  [/^[b]eside/, 'next to, in parallel, or in addition to'],
  [/^[m]end/, 'repair or correct'],
  [/^[k]eepsake/, 'favourite'],
  [/^[e]rrand/, 'request'],
]

/** Not part of a name, a path, a selector or a flag: `told-by.ts`, `.told`, `told(…)`, `--beside`. */
const WORD =
  /(?<![\w.#/$@\\-])(?:[t]old|[w]hoever|[a]new|[s]omebody|[b]eside|[m]end(?:s|ed|ing)?|[k]eepsakes?|[e]rrands?)(?![\w/$(]|-\w|\.\w)/gi

export interface WordRules {
  /** Files, and folders by their name with a slash at the end. */
  folders: readonly string[]
  /** Files and folders that keep such words, and why. */
  exceptions: Readonly<Record<string, string>>
}

export function wordFindings(files: TextFile[], { folders, exceptions }: WordRules): Finding[] {
  const isIn = (path: string, places: readonly string[]): boolean =>
    places.some((place) => (place.endsWith('/') ? path.startsWith(place) : path === place))
  const exempt = Object.keys(exceptions)
  const suspects = files.filter(
    ({ path, text }) => isIn(path, folders) && !isIn(path, exempt) && text.search(WORD) !== -1,
  )
  const code = suspects.filter(({ path }) => /\.tsx?$/.test(path))
  // Parsing costs more than reading: only files that have one of the words, wherever it is.
  const trees =
    code.length === 0 ? [] : parse(Object.fromEntries(code.map(({ path, text }) => [path, text])))
  const texts = [...trees.map(textOfCode), ...suspects.flatMap(textOfOthers)]
  return texts.toSorted((a, b) => (a.path < b.path ? -1 : 1)).flatMap(findingsIn)
}

function findingsIn({ path, text }: TextFile): Finding[] {
  return [...text.matchAll(WORD)].map((match) => {
    const line = text.slice(0, match.index).split('\n').length
    const advice = INSTEAD.find(([word]) => word.test(match[0].toLowerCase()))?.[1]
    return `${path}:${line} says “${match[0]}”: write ${advice}`
  })
}

/** Everything but text becomes spaces, so that lines keep their numbers. */
function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ')
}

function textOfOthers({ path, text }: TextFile): TextFile[] {
  if (path.endsWith('.css')) return [{ path, text: onlyMatches(text, /\/\*[\s\S]*?\*\//g) }]
  if (path.endsWith('.json')) return [{ path, text: withoutTokens(text) }]
  if (path.endsWith('.md')) return [{ path, text: withoutQuotations(text) }]
  return []
}

function onlyMatches(text: string, pattern: RegExp): string {
  let end = 0
  let kept = ''
  for (const match of text.matchAll(pattern)) {
    kept += blank(text.slice(end, match.index)) + match[0]
    end = match.index + match[0].length
  }
  return kept + blank(text.slice(end))
}

/** Keys of JSON, and values of one word: both are names. */
function withoutTokens(text: string): string {
  return text.replaceAll(/"(?:[^"\\\n]|\\.)*"(?=\s*:)|"[\w.:-]*"/g, blank)
}

/** Code, addresses of links, and quotations such as names of tests. */
function withoutQuotations(text: string): string {
  const pattern = /^```[\s\S]*?^```|`[^`\n]*`|\]\([^)\n]*\)|“[^”\n]*”/gm
  return text.replaceAll(pattern, blank)
}

function textOfCode({ path, text, tree }: CodeFile): TextFile {
  const literals: [number, number][] = []
  const names: [number, number][] = []
  for (const node of descendants(tree)) {
    const span: [number, number] = [node.getStart(tree), node.end]
    if (isName(node)) names.push(span)
    else if (isText(node)) literals.push(span)
  }
  const masked = masking(text, names)
  // What is neither a name nor a literal is a comment: no word of the language is among these.
  const comments = masking(masked, literals).replaceAll(/`[^`\n]*`|“[^”\n]*”/g, blank)
  return { path, text: merged(comments, masked, literals) }
}

/** Identifiers, classes, and literals that are one word: a discriminator, a field of JSON. */
function isName(node: Node): boolean {
  if (isIdentifier(node) || isPrivateIdentifier(node)) return true
  if (isJsxAttribute(node)) return node.name.getText() === 'className'
  const isLiteral = isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)
  return isLiteral && /^[\w.:-]*$/.test(node.text)
}

function isText(node: Node): boolean {
  return (
    isStringLiteral(node) ||
    isNoSubstitutionTemplateLiteral(node) ||
    isTemplateHead(node) ||
    isTemplateMiddle(node) ||
    isTemplateTail(node) ||
    isRegularExpressionLiteral(node) ||
    isJsxText(node)
  )
}

function masking(text: string, spans: [number, number][]): string {
  return merged(text, blank(text), spans)
}

/** The first text, but the second within the spans. Both are equally long. */
function merged(outside: string, inside: string, spans: [number, number][]): string {
  let end = 0
  let text = ''
  for (const [from, to] of spans.toSorted((a, b) => a[0] - b[0])) {
    if (from < end) continue
    text += outside.slice(end, from) + inside.slice(from, to)
    end = to
  }
  return text + outside.slice(end)
}
