/** A page that people edit in many ways, and that also changes by itself whenever it is fetched. */
import type { SeededRandom } from '@minga/testkit'

/** What people do to a page. Every edit writes words that were never there before. */
export const EDITS = [
  'headline',
  'paragraph edited',
  'paragraph added',
  'paragraph removed',
  'sentence added',
  'item added at the end',
  'item added at the top',
  'list of the latest',
  'item removed',
  'price',
] as const
export type Edit = (typeof EDITS)[number]

/** What a page does by itself. */
export const NOISES = [
  'none',
  'timestamp',
  'nonce',
  'advertisement',
  'counter',
  'quote',
  'everything',
] as const
export type Noise = (typeof NOISES)[number]

const ADS = [
  'Fly to the islands this winter for little money',
  'Our kitchens are made of oak and last for ever',
  'Learn the accordion in eleven evenings',
  'Seven kinds of potatoes straight from the field',
  'The bicycle shop repairs while you wait',
  'A mattress that remembers how you sleep',
  'Reading glasses for people who lose them',
  'Honey from bees that live on the roof',
  'Wool of sheep that nobody ever hurried',
  'A boat for the lake, hardly used',
]
const SUBJECTS = ['bridge', 'mill', 'school', 'choir', 'market', 'library', 'harbour', 'council']
const DEEDS = ['opens', 'closes', 'is painted', 'has a new roof', 'is praised', 'needs help']
const MOST = 8

/** The text with the lowest number goes: with another one the page might be as it was shortly before. */
function withoutOldest(texts: readonly string[]): string[] {
  const numberOf = (text: string): number => Number(/notice (\d+)/.exec(text)?.[1])
  const oldest = Math.min(...texts.map(numberOf))
  return texts.filter((text) => numberOf(text) !== oldest)
}

export class NoisyPage {
  readonly #random: SeededRandom
  readonly #noise: Noise
  #news = 0
  #headline: string
  #paragraphs: string[]
  #items: string[]
  #price: string

  constructor(noise: Noise, random: SeededRandom) {
    this.#noise = noise
    this.#random = random
    this.#headline = this.#text()
    this.#paragraphs = Array.from({ length: 4 }, () => this.#text())
    this.#items = Array.from({ length: 4 }, () => this.#text())
    this.#price = this.#amount()
  }

  /** Numbered, so that no text ever returns: a page that goes back is another matter. */
  #text(): string {
    this.#news += 1
    return `The ${this.#random.pick(SUBJECTS)} ${this.#random.pick(DEEDS)}, as notice ${1_000 + this.#news} says.`
  }

  #amount(): string {
    this.#news += 1
    return `${this.#news}.${10 + this.#random.integer(90)} coins`
  }

  edit(): Edit {
    const edit = this.#random.pick(EDITS)
    const [paragraphs, items] = [this.#paragraphs, this.#items]
    const at = this.#random.integer(paragraphs.length)
    const isShort = paragraphs.length < 2 || items.length < 2
    if (edit === 'headline') this.#headline = this.#text()
    else if (edit === 'price') this.#price = this.#amount()
    else if (edit === 'paragraph edited') paragraphs[at] = this.#text()
    else if (edit === 'sentence added') paragraphs[at] = `${paragraphs[at]} ${this.#text()}`
    else if (edit === 'paragraph removed' && !isShort) this.#paragraphs = withoutOldest(paragraphs)
    else if (edit === 'item removed' && !isShort) this.#items = withoutOldest(items)
    else if (edit === 'item added at the end') this.#items = [...items, this.#text()].slice(-MOST)
    else if (edit === 'item added at the top') this.#items = [this.#text(), ...items].slice(0, MOST)
    else if (edit === 'list of the latest') this.#items = [this.#text(), ...items.slice(0, -1)]
    else this.#paragraphs = [...paragraphs, this.#text()].slice(-MOST)
    return edit
  }

  /** As it is shown to a visitor at this moment. */
  html(now: number): string {
    return `<!doctype html><html lang="en"><head><title>Valley news</title></head><body>
<header><h1>Valley news</h1></header><main><p class="headline">${this.#headline}</p>
${this.#paragraphs.map((text) => `<p>${text}</p>`).join('\n')}
<table><tr><th>Maize</th><td>${this.#price}</td></tr><tr><th>Wool</th><td>7.50 coins</td></tr></table>
<ul class="news">${this.#items.map((text) => `<li>${text}</li>`).join('')}</ul></main>
${this.#noises(now)}<footer><p>Made in the valley</p></footer></body></html>`
  }

  #noises(now: number): string {
    const random = this.#random
    const shown: Record<Exclude<Noise, 'none' | 'everything'>, () => string> = {
      timestamp: () =>
        `<p class="made">This copy left the press at ${new Date(now).toISOString()}</p>`,
      nonce: () =>
        `<form><input type="hidden" name="nonce" value="${random.integer(2 ** 31)}"></form>`,
      advertisement: () => `<aside class="promo"><p>${random.pick(ADS)}</p></aside>`,
      counter: () => `<p class="souls">${100_000 + random.integer(900_000)} souls were here</p>`,
      quote: () =>
        `<blockquote class="day">${random.pick(ADS)} and ${random.pick(SUBJECTS)}</blockquote>`,
    }
    const noise = this.#noise
    if (noise === 'none') return ''
    if (noise === 'everything')
      return Object.values(shown)
        .map((show) => show())
        .join('\n')
    return shown[noise]()
  }
}
