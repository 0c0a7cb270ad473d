/** Small fields of a dump: numbers, times, names, digests. Invalid values are reported, never guessed. */
import { isUtf8 } from 'node:buffer'
import { isIP } from 'node:net'
import type { EditorKind } from '../model.ts'
import { sha1OfBase36 } from '../sha1-base36.ts'
import type { DumpTroubleCode } from './dump-model.ts'
import type { Container, Leaf } from './dump-tree.ts'
import { readAttributes } from './xml-text.ts'

export type Report = (code: DumpTroubleCode, message: string) => void

export interface Contributor {
  user: string | null
  userId: number | null
  editor: EditorKind
  isHidden: boolean
}

const REPLACEMENT = '\u{FFFD}'

export function leafOf(container: Container, name: string, report: Report): Leaf | null {
  let found: Leaf | null = null
  for (const leaf of container.leaves) {
    if (leaf.name !== name) continue
    if (found === null) found = leaf
    else report('duplicate-field', `<${container.name}> has <${name}> twice; the first counts`)
  }
  return found
}

export function bytesOf(leaf: Leaf, report: Report): Buffer | null {
  if (leaf.isTooLarge) {
    report('too-large', `<${leaf.name}> is larger than can be kept; it was left out`)
    return null
  }
  if (leaf.badReference !== null) {
    const reference = JSON.stringify(leaf.badReference)
    report('bad-reference', `${reference} in <${leaf.name}> means nothing; it stays as it stands`)
  }
  const bytes = leaf.pieces.length === 1 ? leaf.pieces[0]! : Buffer.concat(leaf.pieces)
  if (!isUtf8(bytes)) report('invalid-utf8', `<${leaf.name}> is not UTF-8 throughout`)
  return bytes
}

/** Null when the field is not there or too large. */
export function textOf(container: Container, name: string, report: Report): string | null {
  const leaf = leafOf(container, name, report)
  if (leaf === null) return null
  if (leaf.pieces.length === 1 && leaf.badReference === null) {
    const text = leaf.pieces[0]!.toString()
    if (!text.includes(REPLACEMENT)) return text
  }
  return bytesOf(leaf, report)?.toString() ?? null
}

/** Whole numbers that are exact; null when the field is not there or is none. */
export function numberOf(container: Container, name: string, report: Report): number | null {
  const text = textOf(container, name, report)
  return text === null ? null : readNumber(text, `<${name}>`, report)
}

export function readNumber(text: string, where: string, report: Report): number | null {
  const value = /^\s*\d{1,16}\s*$/.test(text) ? Number(text) : NaN
  if (Number.isSafeInteger(value)) return value
  report(
    'bad-number',
    `${where} is ${JSON.stringify(text.slice(0, 40))}, which is no number of a wiki`,
  )
  return null
}

export function readTime(text: string | null, report: Report): number | null {
  if (text === null) {
    report('missing-field', '<timestamp> is missing')
    return null
  }
  const trimmed = text.trim()
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(trimmed)
  const at = isTime ? Date.parse(trimmed) : NaN
  if (!Number.isNaN(at)) return at
  report('bad-timestamp', `<timestamp> is ${JSON.stringify(text.slice(0, 40))}, which is no time`)
  return null
}

/** Base 36 as dumps have it, or 40 hex digits as some other programs write. */
export function readSha1(text: string | null, report: Report): string | null {
  const digest = text?.trim().toLowerCase() ?? ''
  if (digest === '') return null
  if (/^[0-9a-f]{40}$/.test(digest)) return digest
  const hex = sha1OfBase36(digest)
  if (hex === null) report('bad-sha1', `${JSON.stringify(digest.slice(0, 40))} is no SHA-1`)
  return hex
}

export function isDeleted(attributes: Buffer | null): boolean {
  return attributes !== null && readAttributes(attributes).has('deleted')
}

export function contributorOf(container: Container, report: Report): Contributor {
  const contributor = container.children.find(({ name }) => name === 'contributor')
  if (contributor === undefined) {
    report('missing-field', '<contributor> is missing')
    return { user: null, userId: null, editor: 'unknown', isHidden: false }
  }
  if (isDeleted(contributor.attributes)) {
    return { user: null, userId: null, editor: 'unknown', isHidden: true }
  }
  const address = textOf(contributor, 'ip', report)
  if (address !== null && address !== '') {
    return { user: address, userId: 0, editor: 'anonymous', isHidden: false }
  }
  const user = textOf(contributor, 'username', report) || null
  const userId = numberOf(contributor, 'id', report)
  return { user, userId, editor: editorOf(user, userId), isHidden: false }
}

/**
 * Names without an account are those of old scripts and of other wikis (`w>Name`), or what early wikis showed
 * of an address (`1.2.3.xxx`).
 */
function editorOf(user: string | null, userId: number | null): EditorKind {
  if (user === null) return 'unknown'
  if (/^~\d{4}-/.test(user)) return 'temporary'
  if (user.includes('>')) return 'imported'
  if (isIP(user) !== 0 || /^\d{1,3}(?:\.\d{1,3}){2}\.xxx$/i.test(user)) return 'anonymous'
  if (userId !== 0) return 'registered'
  return /^[\w-]+(?:\.[\w-]+)+\.xxx$/i.test(user) ? 'anonymous' : 'unknown'
}
