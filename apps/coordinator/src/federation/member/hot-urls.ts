/**
 * URLs that keep arriving although they are known: every site links to them, and every station
 * sends them once. After all stations have received them as known, those that have not met them yet
 * do not send them.
 */

/** Known arrivals that make a URL hot: the second is chance, and with two stations there is no third. */
const HOT_FROM = 2
/** Entries counted at a time; when the table is full the counts begin again. */
const COUNTED_MAX = 50_000
/** URLs sent at a time; what is found beyond it will be found again. */
const TOLD_MAX = 500

export class HotUrls {
  #counts = new Map<string, number>()
  #hot = new Set<string>()

  /** Takes those that came once more, and answers those that are hot since now. */
  note(known: readonly string[]): string[] {
    const fresh: string[] = []
    for (const url of known) {
      const count = (this.#counts.get(url) ?? 0) + 1
      if (this.#counts.size >= COUNTED_MAX) this.#counts = new Map()
      this.#counts.set(url, count)
      if (count !== HOT_FROM || this.#hot.size >= TOLD_MAX) continue
      this.#hot.add(url)
      fresh.push(url)
    }
    return fresh
  }

  /** Since this was last asked. */
  drain(): string[] {
    const hot = [...this.#hot]
    this.#hot = new Set()
    return hot
  }
}
