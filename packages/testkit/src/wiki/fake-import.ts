/** Reads the little export XML that tests import into the fake wiki; no parser for anything else. */

interface ImportedRevision {
  at: number
  /** Null for an anonymous editor, whose `address` counts then. */
  name: string | null
  address: string
  isMinor: boolean
  comment: string
  text: string
}

interface ImportedPage {
  title: string
  revisions: ImportedRevision[]
}

export function readImport(xml: string): ImportedPage[] {
  return [...xml.matchAll(/<page>(.*?)<\/page>/gs)].map(([, page = '']) => ({
    title: field(page, 'title') ?? '',
    revisions: [...page.matchAll(/<revision>(.*?)<\/revision>/gs)].map(([, revision = '']) => ({
      at: Date.parse(field(revision, 'timestamp') ?? ''),
      name: field(revision, 'username'),
      address: field(revision, 'ip') ?? '',
      isMinor: revision.includes('<minor'),
      comment: field(revision, 'comment') ?? '',
      text: field(revision, 'text') ?? '',
    })),
  }))
}

function field(xml: string, name: string): string | null {
  const found = new RegExp(`<${name}(?: [^>]*)?>(.*?)</${name}>`, 's').exec(xml)?.[1]
  return found === undefined ? null : unescaped(found)
}

function unescaped(text: string): string {
  const named = text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"')
  return named.replaceAll('&#039;', "'").replaceAll('&amp;', '&')
}
