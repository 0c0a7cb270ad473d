/** A fetched body as the detector is given it, and what kind of document it takes it for. */
import { decodeText } from '@minga/net'

export interface PageBody {
  url: string
  mime: string
  status: number
  body: Uint8Array
  charset: string | null
  isTruncated: boolean
}

export const PAGE_KINDS = ['html', 'text', 'json', 'xml', 'binary'] as const
export type PageKind = (typeof PAGE_KINDS)[number]

/** What is no text under any name. */
const BINARY = /^(image\/(?!svg)|audio\/|video\/|font\/|application\/(pdf|zip|gzip|wasm|vnd\.|x-))/
const JSON_TYPE = /^(application|text)\/([\w.-]+\+)?json$/
const XML_TYPE = /^((application|text)\/([\w.-]+\+)?xml|image\/svg\+xml)$/
const SNIFF_BYTES = 1_024

/** By its declared type; where that says nothing, by its first bytes, as browsers do. */
export function kindOf(page: PageBody): PageKind {
  const mime = (page.mime.split(';', 1)[0] ?? '').trim().toLowerCase()
  if (mime === 'text/html' || mime === 'application/xhtml+xml') return 'html'
  if (JSON_TYPE.test(mime)) return 'json'
  if (XML_TYPE.test(mime)) return 'xml'
  if (mime === 'application/javascript' || mime === 'application/x-javascript') return 'text'
  if (BINARY.test(mime)) return 'binary'
  if (mime.startsWith('text/') && mime !== 'text/plain') return 'text'
  return sniffed(page.body)
}

function sniffed(body: Uint8Array): PageKind {
  const start = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, SNIFF_BYTES))
  const isWide =
    (start[0] === 0xff && start[1] === 0xfe) || (start[0] === 0xfe && start[1] === 0xff)
  if (!isWide && start.includes(0)) return 'binary'
  const text = start.toString('latin1').replace(/^(ï»¿)?\s+/, '')
  if (/^(<!--[^]{0,400}?-->\s*)?<(!doctype html|html|head|body)[\s>]/i.test(text)) return 'html'
  if (text.startsWith('<?xml')) return /<html[\s>]/i.test(text) ? 'html' : 'xml'
  if (/^[[{]\s*["[{\]}\d-]/.test(text)) return 'json'
  return 'text'
}

/** Never fails: an unknown charset is read as browsers read it. */
export function textOf(page: PageBody): string {
  const declared = page.charset === null ? page.mime : `${page.mime}; charset=${page.charset}`
  return decodeText(page.body, declared).text
}
