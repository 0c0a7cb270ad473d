/**
 * Writes histories as the export XML of MediaWiki, 0.11 or 0.10, in the form of its own exporter, so that
 * `importDump.php` takes it in, and so exactly that our reader gives back every byte. Two things MediaWiki does
 * not do: a carriage return is written as a reference, because readers of XML change a bare one; and texts are
 * not normalised. Characters that XML 1.0 cannot hold become U+FFFD, as MediaWiki has it.
 */
import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { Page, Revision, SiteInfo, Slot } from '../model.ts'
import { base36OfSha1 } from '../sha1-base36.ts'

export interface DumpExport {
  site: SiteInfo
  pages: AsyncIterable<DumpExportPage> | Iterable<DumpExportPage>
  /** 0.10 knows one slot only: others are left out, as MediaWiki leaves them out. */
  version?: '0.11' | '0.10'
  attribution: Attribution
}

export interface DumpExportPage {
  page: Page
  /** Oldest first. */
  revisions: AsyncIterable<Revision> | Iterable<Revision>
}

/** Whose work the texts are; stands as a comment in the head. */
export interface Attribution {
  /** Where the texts were taken from. */
  source: string
  /** When the export was made. */
  at: number
  /** Under which licence the wiki gives its texts; null when it does not say. */
  licence: string | null
}

/** Small pieces are joined to chunks of at least this size. */
const CHUNK_BYTES = 64 * 1024

export async function* writeDump(what: DumpExport): AsyncGenerator<Uint8Array> {
  const version = what.version ?? '0.11'
  let pieces: Buffer[] = [Buffer.from(headOf(what.site, version, what.attribution))]
  let size = pieces[0]!.length
  const add = (piece: Buffer): void => {
    pieces.push(piece)
    size += piece.length
  }
  for await (const { page, revisions } of what.pages) {
    add(Buffer.from(pageHead(page)))
    for await (const revision of revisions) {
      for (const piece of revisionPieces(revision, version)) add(piece)
      if (size < CHUNK_BYTES) continue
      yield Buffer.concat(pieces)
      pieces = []
      size = 0
    }
    add(Buffer.from('  </page>\n'))
  }
  add(Buffer.from('</mediawiki>\n'))
  yield Buffer.concat(pieces)
}

function headOf(site: SiteInfo, version: string, attribution: Attribution): string {
  const space = `http://www.mediawiki.org/xml/export-${version}`
  const language = site.language ?? 'en'
  const lines = [
    `<mediawiki xmlns="${space}/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="${space}/ ${space}.xsd" version="${version}" xml:lang="${attribute(language)}">`,
    '  <siteinfo>',
    `    <!-- ${comment(attributionText(attribution))} -->`,
    `    ${element('sitename', site.name)}`,
    ...(site.dbName === null ? [] : [`    ${element('dbname', site.dbName)}`]),
    `    ${element('base', site.base)}`,
    ...(site.generator === null ? [] : [`    ${element('generator', site.generator)}`]),
    `    ${element('case', site.case)}`,
    '    <namespaces>',
    ...site.namespaces.map(({ id, name, isCaseSensitive }) => {
      const sensitivity = isCaseSensitive ? 'case-sensitive' : 'first-letter'
      return `      ${element('namespace', name, ` key="${id}" case="${sensitivity}"`)}`
    }),
    '    </namespaces>',
    '  </siteinfo>',
  ]
  return `${lines.join('\n')}\n`
}

function attributionText({ source, at, licence }: Attribution): string {
  const date = new Date(at).toISOString().slice(0, 10)
  const terms = licence === null ? 'The wiki names no licence' : `Licence: ${licence}`
  return `Source: ${source}, exported ${date}. ${terms}. The authors are named with each revision.`
}

/** A comment of XML must not hold two hyphens in a row. */
function comment(text: string): string {
  return escaped(text).replace(/-(?=-)/g, '- ')
}

function pageHead({ pageId, ns, title, redirect }: Page): string {
  const target = redirect === null ? '' : `    <redirect title="${attribute(redirect)}" />\n`
  return `  <page>\n    ${element('title', title)}\n    <ns>${ns}</ns>\n    <id>${pageId}</id>\n${target}`
}

function* revisionPieces(revision: Revision, version: string): Generator<Buffer> {
  const { revId, parentId, hidden } = revision
  const lines = ['    <revision>', `      <id>${revId}</id>`]
  if (parentId) lines.push(`      <parentid>${parentId}</parentid>`)
  lines.push(`      <timestamp>${new Date(revision.at).toISOString().slice(0, 19)}Z</timestamp>`)
  lines.push(...contributorLines(revision))
  if (revision.isMinor) lines.push('      <minor/>')
  if (hidden.includes('comment')) lines.push('      <comment deleted="deleted" />')
  else if (revision.comment) lines.push(`      ${element('comment', revision.comment)}`)
  yield Buffer.from(`${lines.join('\n')}\n`)
  const main = revision.slots.find(({ role }) => role === 'main')
  const others = revision.slots.filter(({ role }) => role !== 'main')
  if (main !== undefined) yield* slotPieces(main, revision, version)
  if (version !== '0.10') {
    for (const slot of others.toSorted((a, b) => (a.role < b.role ? -1 : 1))) {
      yield* slotPieces(slot, revision, version)
    }
  }
  yield Buffer.from(`      ${sha1Element(revision)}\n    </revision>\n`)
}

function contributorLines({ hidden, editor, user, userId }: Revision): string[] {
  if (hidden.includes('user')) return ['      <contributor deleted="deleted" />']
  const who =
    editor === 'anonymous' && user !== null
      ? [`        ${element('ip', user)}`]
      : [`        ${element('username', user ?? '')}`, `        <id>${userId ?? 0}</id>`]
  return ['      <contributor>', ...who, '      </contributor>']
}

function* slotPieces(slot: Slot, revision: Revision, version: string): Generator<Buffer> {
  const isMain = slot.role === 'main'
  const indent = isMain ? '      ' : '        '
  const lines = isMain ? [] : ['      <content>', `${indent}${element('role', slot.role)}`]
  if (version !== '0.10') lines.push(`${indent}<origin>${revision.revId}</origin>`)
  if (slot.model !== null) lines.push(`${indent}${element('model', slot.model)}`)
  if (slot.format !== null) lines.push(`${indent}${element('format', slot.format)}`)
  lines.push(indent)
  yield Buffer.from(lines.join('\n'))
  yield* textPieces(slot, revision, version)
  yield Buffer.from(isMain ? '\n' : '\n      </content>\n')
}

function* textPieces(slot: Slot, { hidden }: Revision, version: string): Generator<Buffer> {
  const { text } = slot
  const isHidden = hidden.includes('text')
  const size = text?.length ?? slot.size
  const sha1 = slot.sha1 ?? (text === null || isHidden ? null : sha1Of(text))
  const attributes = [
    size === null ? '' : ` bytes="${size}"`,
    sha1 === null || version === '0.10' ? '' : ` sha1="${base36OfSha1(sha1)}"`,
  ].join('')
  if (isHidden) yield Buffer.from(`<text${attributes} deleted="deleted" />`)
  else if (text === null) yield Buffer.from(`<text${attributes} />`)
  else if (text.length === 0) yield Buffer.from(`<text${attributes} xml:space="preserve" />`)
  else {
    yield Buffer.from(`<text${attributes} xml:space="preserve">`)
    yield escapedBytes(text)
    yield Buffer.from('</text>')
  }
}

/** With one slot the digest is that of its text, given or not. */
function sha1Element({ hidden, sha1, slots }: Revision): string {
  if (hidden.includes('text') || hidden.includes('sha1')) return '<sha1/>'
  const [only] = slots
  const text = slots.length === 1 && only !== undefined ? only.text : null
  const known = sha1 ?? (text === null ? null : sha1Of(text))
  return known === null ? '<sha1/>' : `<sha1>${base36OfSha1(known)}</sha1>`
}

function sha1Of(text: Uint8Array): string {
  return createHash('sha1').update(text).digest('hex')
}

function element(name: string, text: string, attributes = ''): string {
  return text === ''
    ? `<${name}${attributes} />`
    : `<${name}${attributes}>${escaped(text)}</${name}>`
}

function escaped(text: string): string {
  return escapedBytes(Buffer.from(text)).toString()
}

const ATTRIBUTE_REFERENCES: Readonly<Record<string, string>> = {
  '"': '&quot;',
  "'": '&#039;',
  '\t': '&#9;',
  '\n': '&#10;',
}

function attribute(value: string): string {
  return escaped(value).replace(/["'\t\n]/g, (character) => ATTRIBUTE_REFERENCES[character]!)
}

const AMP = Buffer.from('&amp;')
const LT = Buffer.from('&lt;')
const GT = Buffer.from('&gt;')
const CR = Buffer.from('&#13;')
const REPLACEMENT = Buffer.from('\u{FFFD}')
/** Of the bytes that begin something to replace, what stands for them. */
const REFERENCES: readonly (Buffer | undefined)[] = Array.from({ length: 0x40 }, (_, byte) => {
  if (byte === 0x26) return AMP
  if (byte === 0x3c) return LT
  if (byte === 0x3e) return GT
  if (byte === 0x0d) return CR
  return byte < 0x20 && byte !== 0x09 && byte !== 0x0a ? REPLACEMENT : undefined
})

function escapedBytes(bytes: Uint8Array): Buffer {
  const valid = isUtf8(bytes) ? bytes : Buffer.from(Buffer.from(bytes).toString())
  const out = Buffer.allocUnsafe(valid.length + growthOf(valid))
  let write = 0
  for (let read = 0; read < valid.length; read += 1) {
    const byte = valid[read]!
    if (byte === 0xef && isNoCharacter(valid, read)) {
      write += REPLACEMENT.copy(out, write)
      read += 2
      continue
    }
    const reference = byte < 0x40 ? REFERENCES[byte] : undefined
    if (reference === undefined) out[write++] = byte
    else for (let index = 0; index < reference.length; index += 1) out[write++] = reference[index]!
  }
  return out.subarray(0, write)
}

function growthOf(bytes: Uint8Array): number {
  let growth = 0
  for (const byte of bytes) {
    if (byte < 0x40) growth += (REFERENCES[byte]?.length ?? 1) - 1
  }
  return growth
}

/** U+FFFE and U+FFFF, which XML cannot hold. */
function isNoCharacter(bytes: Uint8Array, at: number): boolean {
  return bytes[at + 1] === 0xbf && (bytes[at + 2] === 0xbe || bytes[at + 2] === 0xbf)
}
