/** HTML that cannot be broken out of: whatever is put in is text, unless it is HTML already. */
import type { ZodError } from 'zod'

export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = string | number | Html | null | readonly Html[]

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** As text in HTML and XML. */
export function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!)
}

export function html(fixed: TemplateStringsArray, ...parts: Part[]): Html {
  let text = fixed[0]!
  for (const [i, part] of parts.entries()) text += textOf(part) + fixed[i + 1]!
  return new Html(text)
}

function textOf(part: Part): string {
  if (part === null) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'object') return part.map(({ text }) => text).join('')
  return escaped(String(part))
}

/**
 * No user corrects more at a time; a list of a million wrong values would make an answer of that
 * size.
 */
const PROBLEMS_MAX = 10

/** One line that names each field and what is wrong with it, instead of zod's JSON. */
export function formSentence(error: ZodError): string {
  const problems = error.issues
    .slice(0, PROBLEMS_MAX)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`))
  const more = error.issues.length - problems.length
  if (more > 0) problems.push(`and ${more} more`)
  return `The request is not of the form expected here: ${problems.join('; ')}.`
}
