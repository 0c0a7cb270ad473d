/** From an archived page to what is searched of it: its title, what people read on it, and the words of both. */
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { pageText, type PageBody } from '@minga/forecast'
import { foldedText } from './words.ts'

export interface PageWords {
  /** Title and text, packed. */
  bytes: Uint8Array
  /** With spaces between them. */
  words: string
}

interface KeptText {
  title: string | null
  text: string
}

/** What people read; scripts, styles and data are left out. */
const TYPES = new Set(['text/html', 'application/xhtml+xml', 'text/plain', 'text/markdown'])

export function isRead(mime: string): boolean {
  return TYPES.has(mime.split(';', 1)[0]!.trim().toLowerCase())
}

export interface ReadPage {
  page: PageBody
  title: string | null
  charactersMost: number
}

/** Null when there is no word in it. */
export function readPageWords({ page, title, charactersMost }: ReadPage): PageWords | null {
  const whole = (pageText(page) ?? '').replaceAll('\0', '').trim()
  // The head of a page is part of what is read of it; it would stand there twice.
  const body = title !== null && whole.startsWith(title) ? whole.slice(title.length) : whole
  // A cut inside a letter of two halves must not be kept as half a letter.
  const text = body.replaceAll(/\s+/gu, ' ').trim().slice(0, charactersMost).toWellFormed()
  const kept = { title: title?.replaceAll('\0', '').toWellFormed() ?? null, text }
  const words = wordsIn(kept)
  return words === '' ? null : { bytes: packText(kept), words }
}

/**
 * Restored from the stored text: SQLite removes words from the index only when it is given them.
 */
export function wordsIn({ title, text }: KeptText): string {
  return foldedText(`${title ?? ''}\n${text}`)
}

function packText(kept: KeptText): Uint8Array {
  return zstdCompressSync(Buffer.from(JSON.stringify(kept)))
}

export function unpackText(bytes: Uint8Array): KeptText {
  return JSON.parse(zstdDecompressSync(bytes).toString()) as KeptText
}
