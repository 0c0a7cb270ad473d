/**
 * Labelled pairs of page versions, made from a seed: what is noise, what is a real change, and what
 * cannot be compared. In a real change the weather changes as well, as it does on the web.
 */
import { seededRandom, type SeededRandom } from '@minga/testkit'
import {
  makeSite,
  makeWeather,
  render,
  type Entry,
  type Site,
  type Weather,
} from './page-site-fixture.ts'
import { laterOddities } from './page-extras-fixture.ts'
import { dayIn, headline, hex, paragraph, sentence } from './page-words-fixture.ts'
import type { PageBody } from '../../src/detect/page-body.ts'

export interface PagePair {
  kind: string
  label: 'noise' | 'change' | 'uncounted'
  before: PageBody
  after: PageBody
  /** `before` fetched again and again at once, where noise must be learnt. */
  twins: PageBody[]
}

export function htmlPage(html: string, over: Partial<PageBody> = {}): PageBody {
  const url = 'https://www.example.org/section/page'
  return {
    url,
    mime: 'text/html',
    status: 200,
    body: Buffer.from(html),
    charset: 'utf-8',
    isTruncated: false,
    ...over,
  }
}

type Turn = (weather: Weather, next: Weather, random: SeededRandom) => Weather

/** What of the weather changes. */
const NOISE: Record<string, Turn> = {
  'CSRF tokens and nonces': (now, { token, nonce }) => ({ ...now, token, nonce }),
  'session ids in links': (now, { session }) => ({ ...now, session }),
  'cache busters': (now, { version, build }) => ({ ...now, version, build }),
  'clock lines and timestamps': (now, next, random) => ({ ...now, clock: tick(now.clock, random) }),
  'relative times': (now, { ago }) => ({ ...now, ago }),
  counters: (now, next, random) => ({
    ...now,
    counters: now.counters.map((line) => tick(line, random)),
  }),
  advertisements: (now, { ad }) => ({ ...now, ad }),
  'rotating banners': (now, { banner }) => ({ ...now, banner }),
  're-ordered lists': (now, { order }) => ({ ...now, order }),
  'attribute order and white space': (now, { indent }) => ({
    ...now,
    indent,
    attributesTurned: !now.attributesTurned,
  }),
  'copyright year and build': (now, { year, build }) => ({ ...now, year, build }),
  'rebuilt class names, signed images, form state, spelling of entities': (now, { oddities }) => ({
    ...now,
    oddities: { ...oddities, ...keptOddities(now) },
  }),
  'people online and visitor counts': (now, next, random) => ({
    ...now,
    oddities: laterOddities(now.oddities, now.oddities, random),
  }),
  'all of these at once': (now, next, random) => everything(now, next, random),
}

function everything(now: Weather, next: Weather, random: SeededRandom): Weather {
  const counters = now.counters.map((line) => tick(line, random))
  const oddities = laterOddities(now.oddities, next.oddities, random)
  return { ...next, related: now.related, counters, clock: tick(now.clock, random), oddities }
}

function keptOddities({
  oddities,
}: Weather): Pick<Weather['oddities'], 'online' | 'visits' | 'quote' | 'slot'> {
  const { online, visits, quote, slot } = oddities
  return { online, visits, quote, slot }
}

/** The same wording with other digits. */
function tick(line: string, random: SeededRandom): string {
  return line.replace(/\d+/g, (digits) => {
    if (digits.length === 4 && digits.startsWith('20')) return digits
    const limit = digits.length <= 2 ? 12 : 10 ** digits.length
    const low = digits.length <= 2 ? 1 : 10 ** (digits.length - 1)
    return String(low + random.integer(limit - low)).padStart(digits.length, '0')
  })
}

type Edit = (site: Site, random: SeededRandom) => Site

const EDITS: Record<string, Edit> = {
  'one word': (site, random) => inParagraph(site, random, (text) => oneWord(text, random)),
  'a number in a table': (site, random) =>
    needs(site, ['wiki', 'university', 'shop'], random, (s) =>
      withRow(s, random, ([name, value, day]) => [
        name,
        String(Number(value) + 1 + random.integer(50)),
        day,
      ]),
    ),
  'a price': (site, random) =>
    needs(site, ['shop'], random, (s) =>
      withEntry(s, random, (entry) => ({
        ...entry,
        price: `${1 + random.integer(999)}.${10 + random.integer(89)}9`,
      })),
    ),
  'a date that matters': (site, random) =>
    needs(site, ['wiki', 'university', 'shop'], random, (s) =>
      withRow(s, random, ([name, value, day]) => [
        name,
        value,
        day.replace(/\d+/, (found) => String((Number(found) % 28) + 1)),
      ]),
    ),
  'an event date in a box': (site, random) =>
    withNotice(site, { eventDay: dayIn(random, site.language) }),
  'an hour in a sentence': (site, random) =>
    withNotice(site, { hour: `${8 + random.integer(12)}:05` }),
  'opening hours': (site, random) =>
    withNotice(site, {
      openingHours: `${6 + random.integer(5)}:45 - ${12 + random.integer(8)}:00`,
    }),
  'a telephone number': (site, random) =>
    withNotice(site, { phone: `+58 212 ${1_000_000 + random.integer(8_999_999)}` }),
  'a release': ({ notices, ...site }) =>
    withNotice({ ...site, notices }, { release: `${notices.release}1` }),
  'pieces in stock': ({ notices, ...site }) =>
    withNotice({ ...site, notices }, { stock: notices.stock + 1 }),
  'values exchanged between two rows': (site, random) =>
    needs(site, ['wiki', 'university', 'shop'], random, exchanged),
  'one new list item': (site, random) => ({
    ...site,
    entries: [...site.entries, freshEntry(site, random)],
  }),
  'one list item removed': (site, random) => ({
    ...site,
    entries: site.entries.toSpliced(random.integer(site.entries.length), 1),
  }),
  'a link target': (site, random) =>
    withEntry(site, random, (entry) => ({ ...entry, href: `/other/${hex(random, 6)}` })),
  'an image replaced': (site, random) => ({
    ...site,
    picture: `/img/other-${random.integer(9_999)}.jpg`,
  }),
  'a form field added': (site) => ({ ...site, fields: [...site.fields, 'telephone'] }),
  'the title': (site, random) => ({ ...site, title: headline(random, site.language) }),
  'a sentence added': (site, random) =>
    inParagraph(site, random, (text) => `${text} ${sentence(random, site.language)}`),
  'a paragraph removed': (site, random) => ({
    ...site,
    paragraphs: site.paragraphs.toSpliced(random.integer(site.paragraphs.length), 1),
  }),
  'half of the text': (site, random) => ({
    ...site,
    paragraphs: site.paragraphs.map((text, i) =>
      i % 2 === 0 ? paragraph(random, site.language) : text,
    ),
  }),
  'another page': (site, random) => ({
    ...makeSite(random),
    template: site.template,
    classes: site.classes,
  }),
  'a redesign with the same text': (site) => ({ ...site, design: 'new' }),
}

function inParagraph(site: Site, random: SeededRandom, edit: (text: string) => string): Site {
  const index = random.integer(site.paragraphs.length)
  return {
    ...site,
    paragraphs: site.paragraphs.map((text, i) => (i === index ? edit(text) : text)),
  }
}

function withNotice(site: Site, notices: Partial<Site['notices']>): Site {
  return { ...site, notices: { ...site.notices, ...notices } }
}

function exchanged(site: Site): Site {
  const [first, second, ...rest] = site.rows
  if (first === undefined || second === undefined) return site
  return {
    ...site,
    rows: [[first[0], second[1], first[2]], [second[0], first[1], second[2]], ...rest],
  }
}

function oneWord(text: string, random: SeededRandom): string {
  const words = text.split(' ')
  const index = random.integer(words.length)
  return words
    .with(index, random.pick(['never', 'quizás', 'talvez', 'almost', 'roughly']))
    .join(' ')
}

/** Some edits need a page that has such a part. */
function needs(
  site: Site,
  templates: Site['template'][],
  random: SeededRandom,
  edit: (site: Site) => Site,
): Site {
  return edit(
    templates.includes(site.template) ? site : { ...site, template: random.pick(templates) },
  )
}

function withRow(
  site: Site,
  random: SeededRandom,
  edit: (row: Site['rows'][number]) => Site['rows'][number],
): Site {
  const index = random.integer(site.rows.length)
  return { ...site, rows: site.rows.map((row, i) => (i === index ? edit(row) : row)) }
}

function withEntry(site: Site, random: SeededRandom, edit: (entry: Entry) => Entry): Site {
  const index = random.integer(site.entries.length)
  return { ...site, entries: site.entries.map((entry, i) => (i === index ? edit(entry) : entry)) }
}

function freshEntry(site: Site, random: SeededRandom): Entry {
  const { language, template } = site
  const [title, summary] = [headline(random, language), paragraph(random, language)]
  return {
    title,
    summary,
    href: `/${template}/${hex(random, 6)}`,
    image: `/img/new-${random.integer(9_999)}.jpg`,
    price: '12.50',
  }
}

const MISSING = {
  en: '404 Page not found|Sorry, the page you are looking for could not be found.',
  es: 'Página no encontrada|Lo sentimos, la página que busca no existe.',
  pt: 'Página não encontrada|A página que procura não existe ou foi removida.',
}

const UNCOUNTED_KINDS = [
  'soft-404',
  'error status',
  'truncated body',
  'cut without notice',
  'emptied page',
  'redirect',
]

/** All pairs of a seed: one of every kind, each on a site of its own. */
export function pagePairs(seed: number): PagePair[] {
  return [
    ...Object.entries(NOISE).map(([kind, turn], index) =>
      noisePair(kind, turn, seed * 100 + index),
    ),
    ...Object.entries(LEARNT).map(([kind, turn], index) =>
      learntPair(kind, turn, seed * 100 + 30 + index),
    ),
    ...Object.entries(EDITS).map(([kind, edit], index) =>
      editPair(kind, edit, seed * 100 + 40 + index),
    ),
    ...UNCOUNTED_KINDS.map((kind, index) => uncountedPair(kind, seed * 100 + 80 + index)),
  ]
}

function noisePair(kind: string, turn: Turn, seed: number): PagePair {
  const random = seededRandom(seed)
  const site = makeSite(random)
  const [now, next] = [makeWeather(random, site), makeWeather(random, site)]
  const after = turn(now, next, random)
  return {
    kind,
    label: 'noise',
    before: htmlPage(render(site, now)),
    after: htmlPage(render(site, after)),
    twins: [],
  }
}

/** As many as decide whether a region is noise. */
const TWINS = [1, 2, 3]

type Learnt = (weather: Weather, other: Weather) => Weather

/** What only a double fetch can tell from an edit. */
const LEARNT: Record<string, Learnt> = {
  'related articles (double fetch)': (weather, { related }) => ({ ...weather, related }),
  'random quotes (double fetch)': (weather, { oddities }) => ({
    ...weather,
    oddities: { ...weather.oddities, quote: oddities.quote },
  }),
  'a teaser slot (double fetch)': (weather, { oddities }) => ({
    ...weather,
    oddities: { ...weather.oddities, slot: oddities.slot },
  }),
}

function learntPair(kind: string, turn: Learnt, seed: number): PagePair {
  const random = seededRandom(seed)
  const site = makeSite(random)
  const [now, next] = [makeWeather(random, site), makeWeather(random, site)]
  const page = (weather: Weather): PageBody => htmlPage(render(site, weather))
  const later = turn(everything(now, next, random), next)
  return {
    kind,
    label: 'noise',
    before: page(now),
    twins: TWINS.map(() => page(turn(now, makeWeather(random, site)))),
    after: page(later),
  }
}

/** A third of the edits happen on a page whose noise was learnt: a mask must not hide them. */
function editPair(kind: string, edit: Edit, seed: number): PagePair {
  const random = seededRandom(seed)
  const drawn = makeSite(random)
  const changed = edit(drawn, random)
  // An edit may have asked for another kind of page; the version before must be of that kind too.
  const site = { ...drawn, template: changed.template }
  const now = makeWeather(random, site)
  const next = everything(now, makeWeather(random, site), random)
  const hasTwin = random.chance(0.33)
  const related = (): Weather['related'] => makeWeather(random, site).related
  const page = (of: Site, weather: Weather): PageBody => htmlPage(render(of, weather))
  return {
    kind,
    label: 'change',
    before: page(site, now),
    twins: hasTwin ? TWINS.map(() => page(site, { ...now, related: related() })) : [],
    after: page(changed, hasTwin ? { ...next, related: related() } : next),
  }
}

function uncountedPair(kind: string, seed: number): PagePair {
  const random = seededRandom(seed)
  const site = makeSite(random)
  const html = render(site, makeWeather(random, site))
  const before = htmlPage(html)
  return {
    kind,
    label: 'uncounted',
    before,
    after: uncounted(kind, site, html, random),
    twins: [],
  }
}

function uncounted(kind: string, site: Site, html: string, random: SeededRandom): PageBody {
  const cut = html.slice(0, Math.floor(html.length * (0.3 + random.next() * 0.6)))
  if (kind === 'error status')
    return htmlPage('<h1>Oops</h1>', { status: random.pick([403, 404, 500, 503]) })
  if (kind === 'truncated body') return htmlPage(cut, { isTruncated: true })
  if (kind === 'cut without notice') return htmlPage(cut)
  if (kind === 'emptied page') return htmlPage(random.pick(['', '<html><body></body></html>']))
  if (kind === 'redirect') return htmlPage('', { status: random.pick([301, 302, 307]) })
  const [title, message] = MISSING[site.language].split('|')
  const missing: Site = {
    ...site,
    title: title!,
    paragraphs: [message!],
    entries: [],
    rows: [],
    fields: [],
  }
  return htmlPage(render(missing, makeWeather(random, missing)))
}
