/**
 * The wiki of the valley as a dump in MediaWiki's export format: some dozens of pages and their whole
 * histories, by seed. Editors have habits (hours, subjects, how much they write), some quarrel, some only mend
 * commas, so that every figure about histories has something to show.
 */
import { createHash } from 'node:crypto'
import { Random } from '@minga/partition'

export interface DemoWikiWishes {
  seed: number
  /** The last edit is before this moment. */
  until: number
  pages?: number
}

interface Editor {
  name: string
  /** Zero: not registered, the name is an address. */
  id: number
  /** Hour of the day, in UTC, around which they write. */
  hour: number
  /** Of a hundred edits so many only mend. */
  mends: number
}

interface Revision {
  id: number
  parentId: number
  at: number
  editor: Editor
  comment: string
  isMinor: boolean
  text: string
}

const EDITORS: readonly Editor[] = [
  { name: 'Killa', id: 1, hour: 13, mends: 10 },
  { name: 'João', id: 2, hour: 21, mends: 20 },
  { name: 'Amaru', id: 3, hour: 2, mends: 15 },
  { name: 'Inés', id: 4, hour: 16, mends: 40 },
  { name: 'Tupaq', id: 5, hour: 11, mends: 5 },
  { name: 'CommaBot', id: 6, hour: 4, mends: 98 },
  { name: 'Rosa', id: 7, hour: 19, mends: 30 },
  { name: '192.0.2.17', id: 0, hour: 18, mends: 50 },
]

const THINGS = ['bridge', 'mill', 'market', 'choir', 'museum', 'school', 'pass', 'lake', 'chapel']
const PLACES = ['Upper', 'Lower', 'Old', 'New', 'Eastern', 'Western']
const VERBS = ['was built', 'was mended', 'was painted', 'was praised', 'was closed', 'was opened']
const REASONS = [
  'after the flood',
  'by the neighbours',
  'in one summer',
  'with larch wood',
  'twice',
]
const WITNESSES = [
  'the parish book',
  'the land registry',
  'the radio',
  'an old letter',
  'the school',
]
const SECTIONS = ['History', 'Today', 'Visiting']
const COMMENTS = [
  'from the land registry',
  'a source for this',
  'as I remember it',
  'more detail',
  '',
]

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const PAGES = 36
const YEARS_DAYS = 900
const EDITS_LEAST = 25
const EDITS_SPREAD = 90
/** Pages over which two editors undo each other, one of so many. */
const QUARREL_EVERY = 7
const LINES_MOST = 40

export function demoWikiDump({ seed, until, pages = PAGES }: DemoWikiWishes): string {
  const random = new Random(seed)
  let nextRevision = 1
  const xml = Array.from({ length: pages }, (_, place) => {
    const title = titleOf(place)
    const revisions = historyOf({ title, place, until, random: random.fork(), first: nextRevision })
    nextRevision += revisions.length
    return pageXml(place + 1, title, revisions)
  })
  return `${HEAD}${xml.join('')}</mediawiki>\n`
}

const titleOf = (place: number): string => {
  if (place === 0) return 'The valley'
  const thing = THINGS[place % THINGS.length]!
  return `${PLACES[Math.floor(place / THINGS.length) % PLACES.length]} ${thing}`
}

interface HistoryWishes {
  title: string
  place: number
  until: number
  random: Random
  /** The number of its first revision. */
  first: number
}

function historyOf({ title, place, until, random, first }: HistoryWishes): Revision[] {
  const edits = EDITS_LEAST + random.below(EDITS_SPREAD)
  const moments = momentsOf(random, { edits, until })
  const lines = [`'''${title}''' is a place of the valley.`]
  const before: string[] = []
  const revisions: Revision[] = []
  for (const [i, day] of moments.entries()) {
    const editor = EDITORS[random.below(EDITORS.length)]!
    const isUndo = place % QUARREL_EVERY === 3 && i % 4 === 3 && before.length > 1
    const isMend = !isUndo && random.below(100) < editor.mends
    if (!isUndo) change(lines, random, isMend)
    const text = isUndo ? before.at(-2)! : textOf(lines)
    const minute = random.below(120) - 60
    revisions.push({
      id: first + i,
      parentId: i === 0 ? 0 : first + i - 1,
      // In order, whatever hour the editor keeps.
      at: Math.max(
        day + editor.hour * HOUR_MS + minute * 60_000,
        (revisions.at(-1)?.at ?? 0) + 60_000,
      ),
      editor,
      comment: commentOf(random, { isUndo, isMend }),
      isMinor: isMend,
      text,
    })
    before.push(text)
  }
  return revisions
}

/** Days of edits, in order, denser towards the end. */
function momentsOf(random: Random, { edits, until }: { edits: number; until: number }): number[] {
  const today = Math.floor(until / DAY_MS)
  const ages = Array.from({ length: edits }, () => {
    const share = random.below(1_000) / 1_000
    return 2 + Math.floor(share * share * YEARS_DAYS)
  })
  return ages.toSorted((a, b) => b - a).map((age) => (today - age) * DAY_MS)
}

function change(lines: string[], random: Random, isMend: boolean): void {
  const place = random.below(lines.length)
  if (isMend) {
    lines[place] = lines[place]!.includes(', ')
      ? lines[place]!.replace(', ', ' ')
      : lines[place]!.replace(' by ', ', by ').replace(' in ', ', in ')
    return
  }
  if (lines.length > LINES_MOST || (lines.length > 6 && random.below(5) === 0))
    lines.splice(place, 1)
  else lines.splice(place + 1, 0, sentence(random))
}

function sentence(random: Random): string {
  const pick = (words: readonly string[]): string => words[random.below(words.length)]!
  const year = 1750 + random.below(270)
  return `The [[${pick(PLACES)} ${pick(THINGS)}]] ${pick(VERBS)} ${pick(REASONS)} in ${year}, says ${pick(WITNESSES)}.`
}

/** The first line opens the page, the others stand in its sections. */
function textOf([opening = '', ...others]: readonly string[]): string {
  const size = Math.ceil(others.length / SECTIONS.length)
  const sections = SECTIONS.map((name, i) => {
    const own = others.slice(i * size, (i + 1) * size)
    return own.length === 0 ? '' : `\n== ${name} ==\n${own.join('\n')}\n`
  })
  return `${opening}\n${sections.join('')}\n[[Category:Places]]`
}

function commentOf(
  random: Random,
  { isUndo, isMend }: { isUndo: boolean; isMend: boolean },
): string {
  if (isUndo) return 'Undid the last revision: this was not so'
  return isMend ? 'commas' : COMMENTS[random.below(COMMENTS.length)]!
}

const NAMESPACE = 'http://www.mediawiki.org/xml/export-0.11/'
const HEAD = `<mediawiki xmlns="${NAMESPACE}" version="0.11" xml:lang="en">
  <siteinfo>
    <sitename>The valley's wiki</sitename>
    <dbname>valleywiki</dbname>
    <base>http://wiki.valley.test/wiki/The_valley</base>
    <generator>MediaWiki 1.43.0</generator>
    <case>first-letter</case>
    <namespaces>
      <namespace key="0" case="first-letter" />
      <namespace key="1" case="first-letter">Talk</namespace>
      <namespace key="14" case="first-letter">Category</namespace>
    </namespaces>
  </siteinfo>
`

function pageXml(id: number, title: string, revisions: readonly Revision[]): string {
  return `  <page>
    <title>${title}</title>
    <ns>0</ns>
    <id>${id}</id>
${revisions.map(revisionXml).join('')}  </page>
`
}

function revisionXml({ id, parentId, at, editor, comment, isMinor, text }: Revision): string {
  const bytes = Buffer.byteLength(text)
  const sha1 = base36(createHash('sha1').update(text).digest('hex'))
  const who =
    editor.id === 0
      ? `<ip>${editor.name}</ip>`
      : `<username>${editor.name}</username><id>${editor.id}</id>`
  return `    <revision>
      <id>${id}</id>
${parentId === 0 ? '' : `      <parentid>${parentId}</parentid>\n`}      <timestamp>${new Date(at).toISOString().replace('.000', '')}</timestamp>
      <contributor>${who}</contributor>
${isMinor ? '      <minor/>\n' : ''}${comment === '' ? '' : `      <comment>${comment}</comment>\n`}      <origin>${id}</origin>
      <model>wikitext</model>
      <format>text/x-wiki</format>
      <text bytes="${bytes}" sha1="${sha1}" xml:space="preserve">${text}</text>
      <sha1>${sha1}</sha1>
    </revision>
`
}

const HASH_DIGITS = 31

function base36(hex: string): string {
  return BigInt(`0x${hex}`).toString(36).padStart(HASH_DIGITS, '0')
}
