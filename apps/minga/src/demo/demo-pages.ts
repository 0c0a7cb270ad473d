/** The pages and pictures of the demo web: plain functions of a site and a number. */

export interface DemoSite {
  name: string
  title: string
  /** Its colour, as a hue in degrees. */
  hue: number
  pages: number
  /** How long it thinks before every answer. */
  delayMs?: number
  /** The Crawl-delay its robots.txt asks for. */
  robotsDelayS?: number
}

const THINGS = ['Bread', 'Rivers', 'Wool', 'Stars', 'Maize', 'Bridges', 'Songs', 'Clouds', 'Clay']
const PLACES = ['above the mill', 'by the lake', 'at the pass', 'in the square', 'after the rain']

export const DEMO_STYLE = `
body { font: 17px/1.6 Georgia, serif; max-width: 42rem; margin: 0 auto; padding: 2rem 1rem; color: #24302b }
header { border-bottom: 4px solid currentColor; margin-bottom: 1.5rem }
img { width: 100%; border-radius: 12px }
nav a { margin-right: 1rem }
`

function demoTitle(page: number): string {
  const thing = THINGS[page % THINGS.length]
  const place = PLACES[Math.floor(page / THINGS.length) % PLACES.length]
  return `${thing} ${place}`
}

export interface DemoPageFacts {
  site: DemoSite
  page: number
  sites: readonly DemoSite[]
  /** The sites' addresses without a final slash, in the order of `sites`. */
  links: readonly string[]
  /** A site that does not answer. */
  bakery: string
  /** Of the home page of a site that has a page which changes. */
  news: { path: string; title: string; latest: string } | null
}

export function demoPage(facts: DemoPageFacts): string {
  const { site, page, sites, links } = facts
  const title = page === 0 ? site.title : `${demoTitle(page)} · ${site.title}`
  const neighbours = sites
    .map(({ title: name }, i) => `<a href="${links[i]}/">${name}</a>`)
    .join('\n    ')
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title><link rel="stylesheet" href="/style.css">${feedLink(facts)}</head>
<body>
  <header style="color: hsl(${site.hue} 45% 35%)"><h1>${title}</h1></header>
  <img src="/picture/${page}.svg" alt="">
  <p>${paragraph(page)}</p>${newsLine(facts)}
  <ul>
    ${inside(facts).join('\n    ')}
  </ul>
  <nav>
    ${page === 0 ? neighbours : `<a href="/">${site.title}</a>`}
  </nav>
</body>
</html>
`
}

function feedLink({ news }: DemoPageFacts): string {
  return news === null ? '' : '<link rel="alternate" type="application/atom+xml" href="/feed.xml">'
}

function newsLine({ news }: DemoPageFacts): string {
  if (news === null) return ''
  return `\n  <p><a href="${news.path}">${news.title}</a>: ${news.latest}.</p>`
}

/** A tree three wide, with an old address, a lost page and a forbidden one here and there. */
function inside({ site, page, bakery }: DemoPageFacts): string[] {
  const children = [1, 2, 3].map((i) => page * 3 + i).filter((child) => child < site.pages)
  const items = children.map((child) => `<li><a href="/page/${child}">${demoTitle(child)}</a></li>`)
  if (page % 7 === 3) items.push(`<li><a href="/old/${page}">This page's old address</a></li>`)
  if (page % 11 === 5) items.push(`<li><a href="/lost/${page}">A page that moved away</a></li>`)
  if (page % 9 === 4) items.push(`<li><a href="/private/${page}">Minutes of the council</a></li>`)
  if (page === 8) items.push(`<li><a href="${bakery}${site.name}">Bread from the bakery</a></li>`)
  if (page === 6) items.push('<li><a href="/broken">The song that breaks off</a></li>')
  return items
}

function paragraph(page: number): string {
  const sentences = [0, 1, 2, 3].map((i) => {
    const thing = THINGS[(page * 5 + i * 2) % THINGS.length]?.toLowerCase()
    return `Anyone who asks about ${thing} ${PLACES[(page + i) % PLACES.length]} hears a different story.`
  })
  return sentences.join(' ')
}

/** Hills under a sun, different for every page. */
export function demoPicture(site: DemoSite, page: number): string {
  const hill = (i: number): string => {
    const y = 90 + i * 32
    const rise = 30 + ((page * 17 + i * 29) % 50)
    const colour = `hsl(${site.hue} ${35 + i * 8}% ${68 - i * 16}%)`
    return `<path fill="${colour}" d="M0 ${y} C160 ${y - rise} 240 ${y + rise / 2} 400 ${y - 20} V220 H0Z"/>`
  }
  const sunX = 60 + ((page * 53) % 280)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 220">
<rect width="400" height="220" fill="hsl(${site.hue} 60% 92%)"/>
<circle cx="${sunX}" cy="60" r="26" fill="hsl(${(site.hue + 40) % 360} 85% 70%)"/>
${[0, 1, 2].map(hill).join('\n')}
</svg>
`
}
