/**
 * Synthetic pages of six kinds of site. What the page says is its model; what changes by itself is
 * its weather. The same model in another weather is the same page; another model is a change.
 */
import type { SeededRandom } from '@minga/testkit'
import {
  makeNotices,
  makeOddities,
  renderNotices,
  renderOddities,
  type Notices,
  type Oddities,
} from './page-extras-fixture.ts'
import {
  clockLine,
  counterLine,
  dayIn,
  headline,
  hex,
  LANGUAGES,
  paragraph,
  relativeTime,
  type Language,
} from './page-words-fixture.ts'

export const TEMPLATES = ['news', 'blog', 'wiki', 'shop', 'university', 'forum'] as const
export type Template = (typeof TEMPLATES)[number]

export interface Entry {
  title: string
  href: string
  summary: string
  image: string
  price: string
}

export interface Site {
  template: Template
  language: Language
  name: string
  title: string
  paragraphs: string[]
  entries: Entry[]
  rows: [name: string, value: string, day: string][]
  fields: string[]
  nav: string[]
  picture: string
  /** Widgets draw from it. */
  pool: Entry[]
  /** Names of classes of this site. */
  classes: {
    ad: string
    list: string
    clock: string
    counter: string
    related: string
    banner: string
  }
  notices: Notices
  design: 'old' | 'new'
}

export interface Weather {
  token: string
  nonce: string
  session: string
  build: string
  version: string
  clock: string
  ago: string[]
  counters: string[]
  ad: number
  banner: number
  /** Which of the pool the related-articles widget shows. */
  related: number[]
  /** The order of the list. */
  order: number[]
  attributesTurned: boolean
  indent: string
  year: number
  oddities: Oddities
}

const AD_CLASSES = [
  'ad-slot',
  'adsbygoogle',
  'advertisement',
  'publicidad',
  'banner-ad',
  'ads',
  'div-gpt-ad',
  'sponsored-content',
  'widget_ad',
  'ad-container top',
]

export function makeSite(random: SeededRandom): Site {
  const language = random.pick(LANGUAGES)
  const template = random.pick(TEMPLATES)
  const entry = (index: number): Entry => ({
    title: headline(random, language),
    href: `/${template}/${index}-${hex(random, 4)}`,
    summary: paragraph(random, language),
    image: `/img/photo-${random.integer(90_000)}.jpg`,
    price: `${5 + random.integer(900)}.${10 + random.integer(89)}`,
  })
  return {
    template,
    language,
    name: `${random.pick(['Norte', 'Puerto', 'Riverside', 'Aurora', 'Central'])} ${template}`,
    title: headline(random, language),
    paragraphs: Array.from({ length: 3 + random.integer(8) }, () => paragraph(random, language)),
    entries: Array.from({ length: 5 + random.integer(12) }, (_, index) => entry(index)),
    rows: Array.from({ length: 3 + random.integer(8) }, (_, index) => [
      headline(random, language).slice(0, 24),
      // No two alike: an exchange must show.
      String(index + 100 * random.integer(50)),
      dayIn(random, language),
    ]),
    fields: ['name', 'email', 'message'].slice(0, 1 + random.integer(3)),
    nav: Array.from({ length: 4 + random.integer(4) }, () =>
      headline(random, language).split(' ').slice(0, 2).join(' '),
    ),
    picture: `/img/main-${random.integer(90_000)}.jpg`,
    pool: Array.from({ length: 12 }, (_, index) => entry(100 + index)),
    classes: {
      ad: random.pick(AD_CLASSES),
      list: random.pick(['list', 'items', 'feed', 'river']),
      clock: random.pick(['clock', 'date', 'meta', 'today', 'top-line']),
      counter: random.pick(['stats', 'count', 'meta-info', 'comments-link', 'views']),
      related: random.pick([
        'related',
        'read-also',
        'recommended',
        'te-puede-interesar',
        'widget-posts',
      ]),
      banner: random.pick(['banner', 'promo', 'banner-top', 'site-banner']),
    },
    notices: makeNotices(random, language),
    design: 'old',
  }
}

export function makeWeather(random: SeededRandom, site: Site): Weather {
  const { language, entries, pool } = site
  return {
    token: hex(random, 40),
    nonce: hex(random, 16),
    session: hex(random, 26),
    build: hex(random, 8),
    version: String(1_700_000_000 + random.integer(90_000_000)),
    clock: clockLine(random, language),
    ago: entries.map(() => relativeTime(random, language)),
    counters: entries.map(() => counterLine(random, language)),
    ad: random.integer(1_000),
    banner: random.integer(1_000),
    related: random.shuffled(pool.map((_, index) => index)).slice(0, 4),
    order: random.shuffled(entries.map((_, index) => index)),
    attributesTurned: random.chance(0.5),
    indent: random.pick(['', '  ', '\n    ', '\t']),
    year: 2020 + random.integer(7),
    oddities: makeOddities(random, language),
  }
}

export function render(site: Site, weather: Weather): string {
  const { indent } = weather
  const body = [header(site, weather), main(site, weather), footer(site, weather)]
  const sheet = site.design === 'old' ? 'main' : 'fresh'
  return `<!doctype html>
<html lang="${site.language}"><head><meta charset="utf-8"><title>${site.title} - ${site.name}</title>
<meta name="csrf-token" content="${weather.token}">
<link rel="stylesheet" href="/static/${sheet}.${weather.build}.css?v=${weather.version}">
<script nonce="${weather.nonce}" src="/static/app.js?v=${weather.version}"></script>
<script>window.__state={"build":"${weather.build}","t":${weather.version}}</script>
<script type="application/ld+json">{"@type":"WebPage","dateModified":"${weather.version}"}</script>
<style>.x${weather.build}{color:red}</style></head>
<body>${indent}${body.join(`${indent}\n${indent}`)}${indent}</body></html>
<!-- ${weather.version} ${weather.build} -->`
}

function header(site: Site, weather: Weather): string {
  const nav = site.nav.map(
    (name, i) =>
      `<li><a ${attributes(weather, [
        ['href', `/n/${i}?PHPSESSID=${weather.session}`],
        ['class', 'nav-link'],
      ])}>${name}</a></li>`,
  )
  const { clock } = site.classes
  const tag = site.design === 'old' ? 'div' : 'header'
  return `<${tag} class="top"><a href="/">${site.name}</a><ul class="menu">${nav.join('')}</ul>
<div class="${clock}">${weather.clock}</div>
<div class="${site.classes.ad}">${advertisement(weather.ad)}</div>
<div class="${site.classes.banner}"><a href="/go/${weather.banner}"><img src="/banners/${weather.banner}.jpg" alt="banner ${weather.banner}"></a></div></${tag}>`
}

function advertisement(seed: number): string {
  const many = ['Buy now', 'Best offers today', 'Compre ahora', 'New car from 99']
  const words = many[seed % many.length]
  return seed % 3 === 0
    ? `<iframe src="https://ads.example.net/frame?id=${seed}" width="300" height="250"></iframe>`
    : `<a href="https://shop${seed}.example.net/"><img src="https://ads.example.net/${seed}.gif">${words} ${seed}</a>`
}

function attributes(weather: Weather, pairs: [string, string][]): string {
  const written = pairs.map(([name, value]) => `${name}="${value}"`)
  return (weather.attributesTurned ? written.toReversed() : written).join(' ')
}

function main(site: Site, weather: Weather): string {
  const parts = [
    `<h1>${site.title}</h1>`,
    `<img src="${site.picture}?v=${weather.version}" alt="${site.name}">`,
    text(site),
    list(site, weather),
    ...(site.template === 'wiki' || site.template === 'university' || site.template === 'shop'
      ? [table(site)]
      : []),
    renderNotices(site.notices, site.language),
    form(site, weather),
    related(site, weather),
    renderOddities(weather.oddities, site.language),
  ]
  const [tag, name] = site.design === 'old' ? ['div', 'content'] : ['main', 'page-body']
  return `<${tag} class="${name}">${parts.join('\n')}</${tag}>`
}

function text(site: Site): string {
  if (site.design === 'new') {
    return `<section class="prose">${site.paragraphs.map((one) => `<div class="para">${one}</div>`).join('')}</section>`
  }
  return site.paragraphs.map((one) => `<p>${one}</p>`).join('\n')
}

function list(site: Site, weather: Weather): string {
  const shown = weather.order.filter((index) => index < site.entries.length)
  const rest = site.entries.map((_, index) => index).filter((index) => !shown.includes(index))
  const items = [...rest, ...shown].map((index) => item(site, weather, index))
  return wrapped(site, items)
}

/** The element around the items of each kind of site. */
function wrapped({ design, template, classes }: Site, items: string[]): string {
  if (design === 'new') return `<section class="grid">${items.join('')}</section>`
  if (template === 'forum')
    return `<table class="${classes.list}"><tbody>${items.join('\n')}</tbody></table>`
  if (template === 'university') return `<dl class="${classes.list}">${items.join('\n')}</dl>`
  if (template === 'news' || template === 'blog')
    return `<div class="${classes.list}">${items.join('\n')}</div>`
  return `<ul class="${classes.list}">${items.join('\n')}</ul>`
}

function item(site: Site, weather: Weather, index: number): string {
  const { template, design, classes } = site
  const entry = site.entries[index]!
  const link = `<a ${attributes(weather, [
    ['href', `${entry.href}?sid=${weather.session}`],
    ['title', `t${weather.nonce}`],
  ])}>${entry.title}</a>`
  const image = `<img src="${entry.image}" width="80">`
  const [ago, count] = [weather.ago[index] ?? '', weather.counters[index] ?? '']
  const price = template === 'shop' ? `<span class="price">€ ${entry.price}</span>` : ''
  const noise = `<span class="ago">${ago}</span> <span class="${classes.counter}">${count}</span>`
  if (design === 'new') {
    return `<article class="card"><div class="media">${image}</div><h3>${link}</h3><div class="txt">${entry.summary}</div><div>${price}</div><footer>${noise}</footer></article>`
  }
  const dresses: Record<Template, string> = {
    news: `<article id="a${index}"><h2>${link}</h2>${image}<p>${entry.summary}</p><p class="byline">${ago} | ${count}</p></article>`,
    blog: `<div class="post post-${index}"><h2>${link}</h2><div class="entry">${image}${entry.summary}</div><div class="postmeta">${noise}</div></div>`,
    wiki: `<li>${link}: ${entry.summary} <small>(${ago}; ${count})</small></li>`,
    shop: `<li>${image}<h3>${link}</h3><p>${entry.summary}</p>${price}<div class="info">${noise}</div></li>`,
    university: `<dt>${link}</dt><dd>${entry.summary}<br>${image}<i>${ago}</i></dd>`,
    forum: `<tr><td>${link}</td><td>${count}</td><td>${ago}</td></tr>`,
  }
  return dresses[template]
}

function table(site: Site): string {
  const rows = site.rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`)
  return `<table class="data"><tbody>${rows.join('\n')}</tbody></table>`
}

function form(site: Site, weather: Weather): string {
  const fields = site.fields.map(
    (name) => `<label>${name} <input type="text" name="${name}"></label>`,
  )
  return `<form action="/send;jsessionid=${weather.session}" method="post"><input type="hidden" name="_csrf" value="${weather.token}">${fields.join('')}<button type="submit">OK</button></form>`
}

function related(site: Site, weather: Weather): string {
  const items = weather.related.map((index) => {
    const { title, href, image } = site.pool[index]!
    return `<li><a href="${href}"><img src="${image}">${title}</a></li>`
  })
  return `<aside class="${site.classes.related}"><h4>+</h4><ul>${items.join('')}</ul></aside>`
}

function footer(site: Site, weather: Weather): string {
  const tag = site.design === 'old' ? 'div' : 'footer'
  return `<${tag} class="foot">© ${weather.year} ${site.name}. <span>Build ${weather.build}</span> <span>Page generated in 0.${weather.ad} seconds</span></${tag}>`
}
