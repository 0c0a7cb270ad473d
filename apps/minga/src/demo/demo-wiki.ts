/**
 * The wiki of the valley: some dozens of pages and their whole histories, by seed. Editors have habits (hours,
 * subjects, how much they write), some quarrel, some only fix commas, so that every figure about histories has
 * something to show. From the demo's first start on an editor changes a page now and then: what was written before is
 * in the dump, what comes after is read from the wiki itself.
 */
import { Random } from '@minga/partition/random'

export interface DemoWiki {
  pages: readonly DemoWikiPage[]
}

export interface DemoWikiPage {
  id: number
  title: string
  /** In order, those that are still to come included. */
  revisions: readonly DemoRevision[]
}

export interface DemoRevision {
  id: number
  parentId: number
  at: number
  editor: Editor
  comment: string
  isMinor: boolean
  text: string
}

interface DemoWikiOptions {
  /** Of the demo's first start: histories end and edits begin here. */
  begunAt: number
  pages?: number
}

interface Editor {
  name: string
  /** Zero: not registered, the name is an address. */
  id: number
  /** Hour of the day, in UTC, around which they write. */
  hour: number
  /** Of a hundred edits, how many only fix commas. */
  mends: number
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
const VERBS = [
  'was built',
  'was repaired',
  'was painted',
  'was praised',
  'was closed',
  'was opened',
]
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

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const SEED = 7
const PAGES = 36
const YEARS_DAYS = 900
const EDITS_LEAST = 25
const EDITS_SPREAD = 90
/** Pages over which two editors undo each other, one of so many. */
const QUARREL_EVERY = 7
const LINES_MOST = 40
const EDIT_EVERY_MS = 40 * SECOND_MS
/** Some hours long; then the valley sleeps. */
const EDITS_TO_COME = 400
/** From page to page; shares no factor with their number. */
const STRIDE = 5

export function demoWiki({ begunAt, pages = PAGES }: DemoWikiOptions): DemoWiki {
  const random = new Random(SEED)
  let nextId = 1
  const stories = Array.from({ length: pages }, (_, place) => new Story(place, random.fork()))
  for (const story of stories) {
    for (const day of story.days(begunAt)) story.edit(nextId++, { day })
  }
  for (let i = 1; i <= EDITS_TO_COME; i++) {
    const story = stories[(i * STRIDE) % stories.length]!
    story.edit(nextId++, { at: wholeSecond(begunAt) + i * EDIT_EVERY_MS })
  }
  return { pages: stories.map(({ id, title, revisions }) => ({ id, title, revisions })) }
}

const titleOf = (place: number): string => {
  if (place === 0) return 'The valley'
  const thing = THINGS[place % THINGS.length]!
  return `${PLACES[Math.floor(place / THINGS.length) % PLACES.length]} ${thing}`
}

/** A page while its history is made up. */
class Story {
  readonly id: number
  readonly title: string
  readonly revisions: DemoRevision[] = []
  readonly #lines: string[]
  readonly #random: Random
  readonly #isQuarrelled: boolean

  constructor(place: number, random: Random) {
    this.id = place + 1
    this.title = titleOf(place)
    this.#lines = [`'''${this.title}''' is a place of the valley.`]
    this.#random = random
    this.#isQuarrelled = place % QUARREL_EVERY === 3
  }

  days(until: number): number[] {
    const edits = EDITS_LEAST + this.#random.below(EDITS_SPREAD)
    return momentsOf(this.#random, { edits, until })
  }

  /** At a moment, or at an hour of a day that its editor keeps. */
  edit(id: number, when: { at: number } | { day: number }): void {
    const random = this.#random
    const editor = EDITORS[random.below(EDITORS.length)]!
    const before = this.revisions
    const isUndo = this.#isQuarrelled && before.length % 4 === 3
    const isMend = !isUndo && random.below(100) < editor.mends
    if (!isUndo) change(this.#lines, random, isMend)
    const last = before.at(-1)
    const minute = random.below(120) - 60
    const at = 'at' in when ? when.at : when.day + editor.hour * HOUR_MS + minute * MINUTE_MS
    before.push({
      id,
      parentId: last?.id ?? 0,
      // In order, whatever hour the editor keeps.
      at: Math.max(at, (last?.at ?? 0) + MINUTE_MS),
      editor,
      comment: commentOf(random, { isUndo, isMend }),
      isMinor: isMend,
      text: isUndo ? before.at(-2)!.text : textOf(this.#lines),
    })
  }
}

const wholeSecond = (at: number): number => Math.floor(at / SECOND_MS) * SECOND_MS

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
