/**
 * Links that are already in the seen-set, remembered per collection so that most links of a page
 * never reach the database. It may forget (then the seen-set answers), it never invents.
 */
const LINKS_MAX = 300_000

export class SeenLinks {
  #recent = new Set<string>()
  #older = new Set<string>()

  has(link: string): boolean {
    return this.#recent.has(link) || this.#older.has(link)
  }

  /** Two generations instead of an LRU list: the older one is dropped whole. */
  add(link: string): void {
    if (this.#recent.size >= LINKS_MAX) {
      this.#older = this.#recent
      this.#recent = new Set()
    }
    this.#recent.add(link)
  }
}

/** For collections that fetch everything again from time to time: only the seen-set knows when. */
export const REMEMBERS_NOTHING: Pick<SeenLinks, 'has' | 'add'> = { has: () => false, add: () => {} }
