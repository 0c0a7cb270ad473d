import { Parser } from 'htmlparser2'

/**
 * `&amp;` and its two thousand relatives. Addresses are full of bare ampersands, so the cases that
 * need no table are done here and only the rest goes through htmlparser2.
 */

/**
 * Something that might be decoded. `&name=` never is inside an attribute (WHATWG HTML 13.2.5.73),
 * which is what keeps `?a=1&copy=2` whole.
 */
const NEEDS_TABLE = /&(?!amp;|[a-z0-9]+=)[a-z0-9#]/i

export function decodeAttribute(value: string): string {
  if (!value.includes('&')) return value
  if (!NEEDS_TABLE.test(value)) return value.replaceAll('&amp;', '&')
  let decoded = ''
  const parser = new Parser({
    onattribute(_name, text) {
      decoded = text
    },
  })
  parser.end(`<a x="${value.replaceAll('"', '&quot;')}">`)
  return decoded
}

/** For the text of `<title>`, where a reference may also lack its semicolon before a letter. */
export function decodeTitle(value: string): string {
  if (!value.includes('&')) return value
  let decoded = ''
  const parser = new Parser({
    ontext(text) {
      decoded += text
    },
  })
  parser.end(`<title>${value}</title>`)
  return decoded
}
