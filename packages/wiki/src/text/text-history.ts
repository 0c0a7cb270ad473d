/**
 * Who wrote each word of a page, and how long words last: every token keeps the revision that first brought it, as
 * long as it can be followed. The idea is WikiWho's (Flöck and Acosta, "WikiWho: precise and efficient attribution
 * of authorship of revisioned content", WWW 2014): paragraphs, then sentences, are looked up among all that the page
 * ever had, so that what was moved, or removed and restored, keeps its authors; only what is new in its sentence is
 * compared token by token with what the revision before lost.
 *
 * A token is one occurrence and can stand in one place at a time: a copy belongs to who copied it. Cost per revision
 * is one pass over its tokens, plus the comparison of what changed; memory grows with what was ever written, not
 * with the number of revisions times the size of the page.
 */
import { commonSubsequence } from './common-subsequence.ts'
import { paragraphsOf, sentencesOf, tokenise } from './tokenise.ts'
import { TokenTable } from './token-table.ts'

interface ReusableText {
  tokens: Int32Array
  /** Place in the history of the revision that had it last. */
  usedIn: number
}

/** Everything that ever stood under one text, to be taken again at most once per revision. */
class ReusePool<T extends ReusableText> {
  readonly #all: T[] = []
  #order: readonly T[] = []
  #next = 0
  #orderedIn = 0

  put(item: T): void {
    this.#all.push(item)
  }

  /**
   * The one that stood most recently, the older of two that stood together: what stays in place stays itself, and
   * what comes back is what was last removed. Those that were passed over once are taken, so each is looked at
   * once per revision however often the text occurs.
   */
  take(revision: number, isFree: (item: T) => boolean): T | null {
    if (this.#orderedIn !== revision) {
      this.#orderedIn = revision
      this.#next = 0
      this.#order =
        this.#all.length < 2 ? this.#all.slice() : this.#all.toSorted((a, b) => b.usedIn - a.usedIn)
    }
    while (this.#next < this.#order.length) {
      const item = this.#order[this.#next]!
      this.#next += 1
      if (isFree(item)) return item
    }
    return null
  }
}

export interface TextRevision {
  revId: number
  /** Null when hidden. */
  user: string | null
  /** Null when hidden: the revision is passed over, and nothing is lost by it. */
  text: string | null
}

export interface AuthoredToken {
  text: string
  /** The revision that brought it. */
  revId: number
  user: string | null
  /** Later revisions that kept it, and how many of those were by another editor. */
  revisionsKept: number
  keptByOthers: number
}

export interface EditorTokens {
  user: string | null
  /** Tokens that the editor ever brought. */
  added: number
  /** Of these, how many the newest revision has. */
  present: number
  /** Share of all tokens of the newest revision. */
  share: number
  /** Sum over the tokens of the later revisions by others that kept them: what persisted before other eyes. */
  keptByOthers: number
  /** Tokens that no revision of anyone else kept. */
  rejected: number
}

interface Paragraph extends ReusableText {
  sentences: ReusableText[]
}

interface Line {
  id: number
  pool: ReusePool<Paragraph>
}

/**
 * A revision that keeps less than this of the one before it is treated as a loss that may be
 * reverted later.
 */
const LOSS_SHARE = 0.5

/** Lines of remembered texts; beyond, the oldest texts are forgotten and found again paragraph by paragraph. */
const REMEMBERED_LINES_MAX = 3_000_000

export class TextHistory {
  readonly #tokens = new TokenTable()
  /** Every distinct line, with a number and what stood under it. */
  readonly #lines = new Map<string, Line>()
  readonly #sentences = new Map<string, ReusePool<ReusableText>>()
  /** Whole texts by the numbers of their lines: a revert brings back exactly what was there. */
  readonly #texts = new Map<string, Paragraph[]>()
  #rememberedLines = 0
  #current: Paragraph[] = []
  /** What was there before a great loss, until it is back: a repair with changes is compared with this too. */
  #lost: Paragraph[] = []

  /** Oldest first. */
  add(revision: TextRevision): void {
    if (revision.text === null) return
    this.#tokens.begin(revision)
    const lines = paragraphsOf(revision.text).map((text) => ({ text, line: this.#lineOf(text) }))
    const key = lines.map(({ line }) => line.id).join(' ')
    const known = this.#texts.get(key)
    const paragraphs = known ?? this.#matched(lines)
    if (known === undefined) this.#remember(key, paragraphs)
    else for (const paragraph of known) this.#use(paragraph)
    this.#noteLoss()
    this.#current = paragraphs
  }

  /** The tokens of the newest revision, in their order. */
  current(): AuthoredToken[] {
    return Array.from(joined(this.#current), (token) => this.#tokens.read(token))
  }

  /** Most present first. */
  editors(): EditorTokens[] {
    return this.#tokens.byEditor(joined(this.#current))
  }

  #lineOf(text: string): Line {
    const known = this.#lines.get(text)
    if (known !== undefined) return known
    const line = { id: this.#lines.size, pool: new ReusePool<Paragraph>() }
    this.#lines.set(text, line)
    return line
  }

  #remember(key: string, paragraphs: Paragraph[]): void {
    this.#texts.set(key, paragraphs)
    this.#rememberedLines += paragraphs.length
    for (const [oldest, { length }] of this.#texts) {
      if (this.#rememberedLines <= REMEMBERED_LINES_MAX) return
      this.#texts.delete(oldest)
      this.#rememberedLines -= length
    }
  }

  #matched(lines: readonly { text: string; line: Line }[]): Paragraph[] {
    const found = lines.map(({ line }) => this.#taken(line.pool))
    const open = lines.flatMap(({ text, line }, i) =>
      found[i] === null ? [{ text, line, i }] : [],
    )
    const sentences = open.map(({ text }) =>
      sentencesOf(text).map((own) => ({ text: own, known: this.#taken(this.#sentences.get(own)) })),
    )
    const fresh = sentences.flat().filter(({ known }) => known === null)
    const written = this.#written(fresh.map(({ text }) => text))
    const writtenOf = new Map(fresh.map((sentence, i) => [sentence, written[i]!]))
    open.forEach(({ line, i }, n) => {
      const parts = sentences[n]!.map((sentence) => sentence.known ?? writtenOf.get(sentence)!)
      const paragraph = { sentences: parts, tokens: joined(parts), usedIn: this.#tokens.revision }
      line.pool.put(paragraph)
      found[i] = paragraph
    })
    return found as Paragraph[]
  }

  #taken<T extends ReusableText & { sentences?: ReusableText[] }>(
    pool: ReusePool<T> | undefined,
  ): T | null {
    const isFree = ({ tokens }: T): boolean => this.#tokens.areFree(tokens)
    const item = pool?.take(this.#tokens.revision, isFree) ?? null
    if (item !== null) this.#use(item)
    return item
  }

  #use(item: ReusableText & { sentences?: ReusableText[] }): void {
    this.#tokens.take(item.tokens)
    item.usedIn = this.#tokens.revision
    for (const sentence of item.sentences ?? []) sentence.usedIn = this.#tokens.revision
  }

  /** Sentences that the page never had: what they share with what is gone keeps its authors, the rest is new. */
  #written(texts: readonly string[]): ReusableText[] {
    const words = texts.map((text) => this.#tokens.wordsOf(tokenise(text)))
    const after = joined(words.map((tokens) => ({ tokens })))
    const ids = new Int32Array(after.length).fill(-1)
    for (const pool of [this.#current, this.#lost]) this.#follow(pool, after, ids)
    after.forEach((word, place) => {
      if (ids[place] === -1) ids[place] = this.#tokens.create(word)
    })
    let from = 0
    return words.map((own, i) => {
      const sentence = { tokens: ids.slice(from, from + own.length), usedIn: this.#tokens.revision }
      from += own.length
      this.#poolOf(texts[i]!).put(sentence)
      return sentence
    })
  }

  #poolOf(sentence: string): ReusePool<ReusableText> {
    const known = this.#sentences.get(sentence)
    if (known !== undefined) return known
    const pool = new ReusePool<ReusableText>()
    this.#sentences.set(sentence, pool)
    return pool
  }

  /** Gives places without a token those of the pool that are free and stand in the same order. */
  #follow(pool: readonly Paragraph[], after: Int32Array, ids: Int32Array): void {
    const open: number[] = []
    ids.forEach((id, place) => {
      if (id === -1) open.push(place)
    })
    const free = open.length === 0 ? [] : this.#freeOf(pool)
    if (free.length === 0) return
    const pairs = commonSubsequence(
      Int32Array.from(free, (token) => this.#tokens.wordOf(token)),
      Int32Array.from(open, (place) => after[place]!),
    )
    this.#tokens.take(Int32Array.from(pairs, ([i]) => free[i]!))
    for (const [i, j] of pairs) ids[open[j]!] = free[i]!
  }

  /** A paragraph that stands as a whole in the present revision has none, which spares most of the page. */
  #freeOf(pool: readonly Paragraph[]): number[] {
    const free: number[] = []
    for (const { tokens, usedIn } of pool) {
      if (usedIn === this.#tokens.revision) continue
      for (const token of tokens) if (this.#tokens.isFree(token)) free.push(token)
    }
    return free
  }

  #noteLoss(): void {
    // The second vandal in a row must not make the first one's text the version to restore.
    if (this.#lost.length === 0 && this.#keptShare(this.#current) < LOSS_SHARE)
      this.#lost = this.#current
    else if (this.#lost.length > 0 && this.#keptShare(this.#lost) >= LOSS_SHARE) this.#lost = []
  }

  #keptShare(paragraphs: readonly Paragraph[]): number {
    let [kept, all] = [0, 0]
    for (const { tokens } of paragraphs) {
      all += tokens.length
      kept += this.#tokens.countTaken(tokens)
    }
    return all === 0 ? 1 : kept / all
  }
}

function joined(parts: readonly { tokens: Int32Array }[]): Int32Array {
  const all = new Int32Array(parts.reduce((sum, { tokens }) => sum + tokens.length, 0))
  let from = 0
  for (const { tokens } of parts) {
    all.set(tokens, from)
    from += tokens.length
  }
  return all
}
