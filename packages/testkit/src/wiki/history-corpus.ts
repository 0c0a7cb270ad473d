/**
 * Histories of a wiki as large as wanted, the same for the same seed, never whole in memory: pages of very
 * different size and age, edited in bursts by few busy and many rare editors, with vandalism and the reverts
 * that follow it. Each page is drawn from its own seed, so that one can be made without the others.
 */
import { createHash } from 'node:crypto'
import type { EditorKind, Page, Revision, SiteInfo } from '@minga/wiki'
import { mixed, seededRandom, type SeededRandom } from '../random.ts'
import { prose } from './corpus-words.ts'
import {
  botEdited,
  edited,
  firstBlocks,
  sizeOf,
  textOf,
  vandalised,
  type Blocks,
  type Edit,
  type Editing,
} from './page-edits.ts'

export interface HistoryCorpusSpec {
  seed: number
  pages: number
  /** Of all pages together, exactly. */
  revisions: number
  /** Of all texts together, aimed at: what comes out is within a tenth. */
  rawBytes: number
}

export interface CorpusPage {
  page: Page
  revisionCount: number
  /** Oldest first; generated again at each call. */
  revisions: () => Generator<Revision>
}

interface PagePlan {
  index: number
  seed: number
  revisions: number
  /** Mean over its history. */
  bytes: number
}

const BEGAN = Date.UTC(2004, 0, 1)
const ENDED = Date.UTC(2026, 0, 1)
/** Ids of revisions stay below this: they rise with time over all pages, as a wiki's do. */
const IDS = 2 ** 31
const USERS = 20_000
/** Pages fall short of their usual size while they are spoilt or blank; planning for it meets the total. */
const SHORTFALL = 1.08
const BOTS = ['ClueBot NG', 'SmackBot', 'AnomieBOT', 'Yobot', 'InternetArchiveBot', 'Xqbot']

export function corpusSite(): SiteInfo {
  const namespace = (id: number, name: string) => ({
    id,
    name,
    aliases: [],
    isCaseSensitive: false,
  })
  return {
    name: 'Corpus',
    dbName: 'corpuswiki',
    base: 'https://corpus.example/wiki/Main_Page',
    generator: 'MediaWiki 1.43.0',
    language: 'en',
    case: 'first-letter',
    namespaces: [
      namespace(0, ''),
      namespace(1, 'Talk'),
      namespace(2, 'User'),
      namespace(14, 'Category'),
    ],
    apiUrl: null,
    articlePath: '/wiki/$1',
    rvLimit: 50,
    rights: { text: 'CC BY-SA 4.0', url: 'https://creativecommons.org/licenses/by-sa/4.0/' },
  }
}

export function* historyCorpus(spec: HistoryCorpusSpec): Generator<CorpusPage> {
  for (const plan of plansOf(spec)) {
    const random = seededRandom(mixed(plan.seed, 1))
    const title = `${prose(random).name()} ${plan.index + 1}`
    const page: Page = { pageId: 10 + plan.index * 7, ns: 0, title, redirect: null }
    yield {
      page,
      revisionCount: plan.revisions,
      revisions: () => history(page, plan, spec.pages),
    }
  }
}

/**
 * Revisions per page by a Pareto law, sizes by a log-normal one, larger where more is edited; then both are
 * scaled to the totals that were asked for.
 */
function plansOf({ seed, pages, revisions, rawBytes }: HistoryCorpusSpec): PagePlan[] {
  const random = seededRandom(mixed(seed, 0xc0))
  const drawn = Array.from({ length: pages }, () => {
    const popularity = Math.min(60, (1 - random.next()) ** (-1 / 1.1))
    return { popularity, size: popularity ** 0.35 * Math.exp(0.8 * normal(random)) }
  })
  const total = drawn.reduce((sum, { popularity }) => sum + popularity, 0)
  let cumulative = 0
  let given = 0
  const counted = drawn.map(({ popularity, size }) => {
    cumulative += popularity
    // Each page has one at least; the rest is shared out so that the sum is exact.
    const upTo = Math.round((cumulative / total) * (revisions - pages))
    const count = 1 + upTo - given
    given = upTo
    return { count, size }
  })
  const weight = counted.reduce((sum, { count, size }) => sum + count * size, 0)
  return counted.map(({ count, size }, index) => ({
    index,
    seed: mixed(seed, index, 0x9a9e),
    revisions: count,
    bytes: (size / weight) * rawBytes * SHORTFALL,
  }))
}

function normal(random: SeededRandom): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
}

function* history(page: Page, plan: PagePlan, pages: number): Generator<Revision> {
  const random = seededRandom(plan.seed)
  const editing: Editing = { random, prose: prose(random) }
  const times = timesOf(plan, random)
  const idsPerPage = Math.max(Math.floor(IDS / pages), plan.revisions * 4)
  let slot = 0
  let parentId = 0
  let state: State = { blocks: [], good: null }
  for (const [number, at] of times.entries()) {
    const step = nextStep(editing, state, plan, number)
    const began = Math.floor(((at - BEGAN) / (ENDED - BEGAN)) * idsPerPage)
    slot = Math.max(slot + 1, began)
    const revId = slot * pages + plan.index + 1
    const ids = { pageId: page.pageId, revId, parentId }
    yield revisionOf(ids, at, step, random)
    parentId = revId
    state = step.state
  }
}

/** Edits come in bursts: short gaps inside, long ones between; the burst's length is geometric. */
function timesOf({ revisions }: PagePlan, random: SeededRandom): number[] {
  const gaps = Array.from({ length: revisions }, () => {
    const scale = random.chance(0.6) ? 0.002 : 1
    return scale * -Math.log(1 - random.next())
  })
  const total = gaps.reduce((sum, gap) => sum + gap, 0)
  const born = random.next() * 0.5
  let sum = 0
  let last = 0
  return gaps.map((gap) => {
    sum += gap
    const fraction = born + (1 - born) * (sum / total) * 0.999
    const second = Math.floor((BEGAN + fraction * (ENDED - BEGAN)) / 1000)
    last = Math.max(last + 1, second)
    return last * 1000
  })
}

interface State {
  blocks: Blocks
  /** The text before it was vandalised; null while it is not. */
  good: Blocks | null
}

type Author = 'editor' | 'bot' | 'vandal'

interface Step extends Edit {
  state: State
  author: Author
  tags: string[]
  isMinor: boolean
}

function nextStep(editing: Editing, state: State, plan: PagePlan, number: number): Step {
  const { random } = editing
  const { blocks, good } = state
  if (number === 0) {
    const first = firstBlocks(editing, Math.min(usualBytes(plan, 0), 3_000))
    return ordinary({ blocks: first, comment: 'created' }, random)
  }
  if (good !== null && random.chance(0.92)) return reverted(good, random)
  if (random.chance(0.06)) {
    const edit = vandalised(editing, blocks)
    const isSeen = edit.blocks.length === 0 || random.chance(0.9)
    const next = { blocks: edit.blocks, good: isSeen ? (good ?? blocks) : null }
    return { ...edit, state: next, author: 'vandal', tags: ['mw-reverted'], isMinor: false }
  }
  if (random.chance(0.1)) {
    const edit = botEdited(editing, blocks)
    const next = { blocks: edit.blocks, good: null }
    return { ...edit, state: next, author: 'bot', tags: [], isMinor: true }
  }
  const edit = edited(editing, blocks, usualBytes(plan, number) - sizeOf(blocks))
  // Not every good edit is welcome: some are undone as vandalism is.
  const next = { blocks: edit.blocks, good: random.chance(0.04) ? blocks : null }
  return { ...ordinary(edit, random), state: next }
}

function ordinary(edit: Edit, random: SeededRandom): Step {
  const tags = random.chance(0.1) ? ['mobile edit', 'mobile web edit'] : []
  const state = { blocks: edit.blocks, good: null }
  return { ...edit, state, author: 'editor', tags, isMinor: edit.comment.endsWith('typo') }
}

function reverted(good: Blocks, random: SeededRandom): Step {
  const author = random.chance(0.4) ? 'bot' : 'editor'
  const comment = `Reverted edits by [[Special:Contributions/${userName(random)}]] to last good version`
  const state = { blocks: good, good: null }
  return { blocks: good, comment, state, author, tags: ['mw-rollback'], isMinor: true }
}

/** Pages begin small, grow fast, then slowly; the mean over the history is the plan's. */
function usualBytes({ bytes, revisions }: PagePlan, number: number): number {
  return revisions < 5 ? bytes : bytes * (0.1 + 1.35 * Math.sqrt(number / revisions))
}

interface RevisionIds {
  pageId: number
  revId: number
  parentId: number
}

function revisionOf(ids: RevisionIds, at: number, step: Step, random: SeededRandom): Revision {
  const text = textOf(step.blocks)
  const sha1 = createHash('sha1').update(text).digest('hex')
  const { comment, isMinor, tags } = step
  return {
    ...ids,
    ...editorOf(step.author, random),
    at,
    isMinor,
    tags,
    size: text.length,
    sha1,
    comment,
    parsedComment: null,
    hidden: [],
    isSuppressed: false,
    slots: [
      { role: 'main', model: 'wikitext', format: 'text/x-wiki', size: text.length, sha1, text },
    ],
  }
}

function editorOf(
  author: Author,
  random: SeededRandom,
): { user: string; userId: number; editor: EditorKind } {
  if (author === 'bot') {
    const number = random.integer(BOTS.length)
    return { user: BOTS[number] ?? 'Bot', userId: 100 + number, editor: 'registered' }
  }
  if (random.chance(author === 'vandal' ? 0.8 : 0.25)) {
    const address = Array.from({ length: 4 }, () => 1 + random.integer(253)).join('.')
    return { user: address, userId: 0, editor: 'anonymous' }
  }
  const number = userNumber(random)
  return { user: `Editor ${number}`, userId: 1_000 + number, editor: 'registered' }
}

/** Few editors make most edits: uniform in the logarithm of the rank is Zipf's law. */
function userNumber(random: SeededRandom): number {
  return Math.floor(USERS ** random.next())
}

function userName(random: SeededRandom): string {
  return `Editor ${userNumber(random)}`
}
