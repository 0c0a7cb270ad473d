/** What the fake web says to one request, before anyone says it. */

export interface Answer {
  status: number
  /** Flat list of names and values, the cheapest form that node:http takes. */
  headers: string[]
  /** Late, because walking the web for `expectedUrls` needs links but no bodies. */
  body: () => Buffer
  links: () => string[]
  /** `maybe`: depends on the client's limits or policy. `never`: no whole response comes. */
  captured: 'surely' | 'maybe' | 'never'
  wire?: Wire
}

/** How the bytes travel, when not simply all at once. */
export type Wire =
  | { how: 'slow'; firstByteMs: number; dripBytes: number; dripMs: number }
  | { how: 'hang' }
  | { how: 'raw'; bytes: () => Buffer; after: 'close' | 'reset' | 'stay' }

const noLinks = (): string[] => []
const noBody = (): Buffer => Buffer.alloc(0)

export function textAnswer(status: number, type: string, body: string | Buffer): Answer {
  const bytes = Buffer.from(body)
  return {
    status,
    headers: ['content-type', type],
    body: () => bytes,
    links: noLinks,
    captured: 'surely',
  }
}

export interface SmallPage {
  title: string
  links?: string[]
  /** Extra markup for the head. */
  head?: string
}

export function smallPage({ title, links = [], head = '' }: SmallPage): string {
  const items = links.map((link) => `<li><a href="${link}">${link}</a>`).join('\n')
  return `<!doctype html><html><head><title>${title}</title>${head}</head><body><h1>${title}</h1><ul>\n${items}\n</ul></body></html>\n`
}

export function pageAnswer(page: SmallPage, captured: Answer['captured'] = 'surely'): Answer {
  const answer = textAnswer(200, 'text/html; charset=utf-8', smallPage(page))
  return { ...answer, links: () => page.links ?? [], captured }
}

export function redirectAnswer(status: number, location: string): Answer {
  return {
    status,
    headers: ['location', location],
    body: noBody,
    links: () => [location],
    captured: 'surely',
  }
}

export function resetAnswer(): Answer {
  return rawAnswer(0, { bytes: noBody, after: 'reset' })
}

export function hangingAnswer(): Answer {
  return {
    status: 0,
    headers: [],
    body: noBody,
    links: noLinks,
    captured: 'never',
    wire: { how: 'hang' },
  }
}

/** `bytes` go out exactly as they are. */
export function rawAnswer(
  status: number,
  raw: { bytes: () => Buffer; after: 'close' | 'reset' | 'stay'; captured?: Answer['captured'] },
): Answer {
  const { captured = 'never', ...wire } = raw
  return {
    status,
    headers: [],
    body: noBody,
    links: noLinks,
    captured,
    wire: { how: 'raw', ...wire },
  }
}
