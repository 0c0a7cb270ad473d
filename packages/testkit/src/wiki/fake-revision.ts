/** What the fake wiki keeps of pages and revisions, and the hashes MediaWiki would give them. */

import { createHash } from 'node:crypto'

import type { HideableField } from './operation.ts'

export interface FakeSlot {
  role: string
  model: string
  format: string
  text: string
  size: number
  sha1: string
  /** The revision that first had this text in this slot. */
  origin: number
}

export interface FakeRevision {
  revId: number
  pageId: number
  parentId: number
  /** Milliseconds since 1970. */
  at: number
  user: string
  /** 0 for anonymous editors and for names that an import brought. */
  userId: number
  isMinor: boolean
  comment: string
  tags: string[]
  /** `main` first. */
  slots: FakeSlot[]
  hidden: Set<HideableField>
}

export interface FakePage {
  pageId: number
  ns: number
  title: string
  isNew: boolean
  touched: number
  /** In order of time, then of number. */
  revisions: FakeRevision[]
}

export interface FakeLogEntry {
  logId: number
  type: string
  action: string
  at: number
  user: string
  userId: number
  ns: number
  title: string
  logPage: number
  params: Record<string, unknown>
  comment: string
  tags: string[]
}

export interface FakeChange {
  rcId: number
  type: 'new' | 'edit' | 'log'
  at: number
  ns: number
  title: string
  pageId: number
  revId: number
  oldRevId: number
  user: string
  userId: number
  isMinor: boolean
  isBot: boolean
  oldLen: number
  newLen: number
  comment: string
  log: FakeLogEntry | null
}

const FORMATS: Record<string, string> = {
  wikitext: 'text/x-wiki',
  css: 'text/css',
  javascript: 'text/javascript',
  json: 'application/json',
}

export function makeSlot(slot: {
  role: string
  model: string
  text: string
  origin: number
}): FakeSlot {
  const bytes = Buffer.from(slot.text, 'utf8')
  const sha1 = createHash('sha1').update(bytes).digest('hex')
  return { ...slot, format: FORMATS[slot.model] ?? 'text/plain', size: bytes.length, sha1 }
}

export function revisionSize({ slots }: FakeRevision): number {
  return slots.reduce((sum, { size }) => sum + size, 0)
}

/**
 * MediaWiki chains the base-36 hashes of a revision's slots, in the order of their roles' names.
 * With one slot that leaves its own.
 */
export function revisionSha1({ slots }: FakeRevision): string {
  const inOrder = slots.toSorted((a, b) => (a.role < b.role ? -1 : 1))
  const [first, ...others] = inOrder.map(({ sha1 }) => base36(sha1))
  const chained = others.reduce(
    (sum, next) =>
      base36(
        createHash('sha1')
          .update(sum + next)
          .digest('hex'),
      ),
    first ?? '',
  )
  return hexOf(chained)
}

const HASH_DIGITS_36 = 31
const HASH_DIGITS_16 = 40

export function base36(hex: string): string {
  return BigInt(`0x${hex}`).toString(36).padStart(HASH_DIGITS_36, '0')
}

function hexOf(digits: string): string {
  let number = 0n
  for (const digit of digits) number = number * 36n + BigInt(Number.parseInt(digit, 36))
  return number.toString(16).padStart(HASH_DIGITS_16, '0')
}

export function inTimeOrder(a: FakeRevision, b: FakeRevision): number {
  return a.at - b.at || a.revId - b.revId
}

export function latestOf(page: FakePage): FakeRevision {
  const latest = page.revisions.at(-1)
  if (latest === undefined) throw new Error(`Page ${page.pageId} of the fake wiki is empty.`)
  return latest
}

export function mainText(revision: FakeRevision): string {
  return revision.slots[0]?.text ?? ''
}

/** Null for a page that does not redirect. */
export function redirectTarget(text: string): { title: string; fragment: string | null } | null {
  const found = /^#REDIRECT\s*:?\s*\[\[([^\]|#]+)(?:#([^\]|]*))?(?:\|[^\]]*)?\]\]/i.exec(text)
  return found === null ? null : { title: found[1] ?? '', fragment: found[2] ?? null }
}

export function categoriesOf(text: string): string[] {
  return [...text.matchAll(/\[\[\s*Category\s*:\s*([^\]|]+)/gi)].map(([, name]) => name ?? '')
}
