/**
 * The pages of the demo web that change by themselves, so that there is something to watch. What a page says
 * follows from the moment alone: two requests within its period read the same, and a restart changes nothing.
 */

export interface LivingPage {
  site: string
  path: string
  title: string
  /** Between two states; null: it stays as it is for ever. */
  everyMs: number | null
  /** Differs at every request without saying anything, as tokens in forms do. */
  isNoisy?: true
}

export const LIVING_PAGES: readonly LivingPage[] = [
  { site: 'www', path: '/news', title: 'News of the valley', everyMs: 15_000 },
  { site: 'market', path: '/prices', title: 'Prices of the day', everyMs: 30_000 },
  { site: 'weather', path: '/today', title: 'The weather now', everyMs: 20_000 },
  { site: 'library', path: '/new-books', title: 'New on the shelves', everyMs: 45_000 },
  { site: 'radio', path: '/now', title: 'On the air', everyMs: 120_000, isNoisy: true },
  { site: 'museum', path: '/hours', title: 'Opening hours', everyMs: null },
  { site: 'school', path: '/board', title: 'Notice board', everyMs: 60_000 },
]

const SUBJECTS = ['The bridge', 'The choir', 'The mill', 'The bus', 'The council', 'The bakery']
const DEEDS = [
  'opens again',
  'meets on Sunday',
  'looks for helpers',
  'has a new roof',
  'is praised',
]
const GOODS = ['maize', 'quinoa', 'wool', 'cheese', 'potatoes', 'honey']
const SKIES = ['clear', 'cloudy', 'rain', 'fog in the mornings', 'snow above the pass']
const READERS = ['for children', 'in large print', 'in Quechua', 'about weaving', 'about stars']
/** The most items on a page; then it starts again. */
const SHOWN = 12
const ENTRIES = 5
const NEVER = 1

/** How many states there were before this moment. */
export function stateAt({ everyMs }: LivingPage, now: number): number {
  return everyMs === null ? NEVER : Math.floor(now / everyMs)
}

export function changedAt(page: LivingPage, now: number): number {
  return stateAt(page, now) * (page.everyMs ?? NEVER)
}

/** What happened last, as one line: the home page of its site shows it, too. */
export function headline(page: LivingPage, state: number): string {
  const pick = (words: readonly string[], step: number): string =>
    words[(state * step) % words.length]!
  const number = (state * 7919) % 90
  switch (page.site) {
    case 'market':
      return `A bag of ${pick(GOODS, 5)} costs ${10 + number} coins`
    case 'weather':
      return `${number % 25} °C, ${pick(SKIES, 3)}`
    case 'library':
      return `${1 + (number % 9)} books ${pick(READERS, 3)} have arrived`
    case 'museum':
      return 'Open from nine to five, and never on Mondays'
    default:
      return `${pick(SUBJECTS, 5)} ${pick(DEEDS, 3)} (notice ${1_000 + (state % 9_000)})`
  }
}

/** The oldest first: what is new is added at the end, and what stands there stays where it is. */
function statesShown(state: number): number[] {
  const first = state - (state % SHOWN)
  return Array.from({ length: state - first + 1 }, (_, i) => first + i)
}

/** `nonce` is for the page that is noisy: different at every request. */
export function livingBody(page: LivingPage, now: number, nonce: string): string {
  const state = stateAt(page, now)
  const items = statesShown(state).map((one) => `<li>${headline(page, one)}</li>`)
  const noise = page.isNoisy ? `\n  <input type="hidden" name="csrf_token" value="${nonce}">` : ''
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${page.title}</title><link rel="stylesheet" href="/style.css"></head>
<body>
  <header><h1>${page.title}</h1></header>
  <main><p>What is known in the valley, the newest last.</p>
  <ul>
    ${items.join('\n    ')}
  </ul></main>${noise}
  <nav><a href="/">Home</a></nav>
</body>
</html>
`
}

/** An Atom feed of the page's last states. */
export function livingFeed(page: LivingPage, origin: string, now: number): string {
  const state = stateAt(page, now)
  const everyMs = page.everyMs ?? NEVER
  const entries = Array.from({ length: ENTRIES }, (_, back) => {
    const at = new Date((state - back) * everyMs).toISOString()
    return `  <entry><id>${origin}${page.path}#${state - back}</id><title>${headline(page, state - back)}</title>
    <link href="${origin}${page.path}"/><updated>${at}</updated></entry>`
  })
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>${origin}/feed.xml</id><title>${page.title}</title>
  <updated>${new Date(state * everyMs).toISOString()}</updated>
${entries.join('\n')}
</feed>
`
}

/** A sitemap with what lives on a site, and when it last changed. */
export function livingSitemap(site: string, origin: string, now: number): string {
  const rows = LIVING_PAGES.filter((page) => page.site === site).map((page) => {
    const lastmod = new Date(changedAt(page, now)).toISOString()
    return `  <url><loc>${origin}${page.path}</loc><lastmod>${lastmod}</lastmod></url>`
  })
  return `<?xml version="1.0" encoding="utf-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url><loc>${origin}/</loc></url>
${rows.join('\n')}
</urlset>
`
}
