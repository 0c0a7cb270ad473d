/** HTML that cannot be broken out of: whatever is put in is text, unless it is HTML already. */

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
