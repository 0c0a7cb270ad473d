/**
 * Which revision has which text: one entry per revision and slot, kept in columns because a pack has a
 * million of them. A revision whose text was removed keeps its entry as a tombstone.
 */
import { BadPackInput } from '../errors.ts'

/** Says that a text was here and why it is not any more. */
export interface Tombstone {
  pageId: number
  revId: number
  role: string
  reason: string
  /** Milliseconds since 1970 of the removal. */
  at: number
}

export interface Entry {
  pageId: number
  revId: number
  role: string
  /** Number of its text in the pack; null for a tombstone. */
  text: number | null
  removal: Removal | null
}

export interface Removal {
  reason: string
  at: number
}

const FIRST_ROOM = 256
/** Wikis know a handful; more is a joke, and searching for one of them would take for ever. */
const ROLES_MAX = 1000
/** In the column of texts: the removal of this number instead of a text. */
const tombCode = (removal: number): number => -1 - removal

export class PackEntries {
  readonly roles: string[] = []
  readonly #removals: Removal[] = []
  #pageIds: Float64Array
  #revIds: Float64Array
  #roleNumbers: Uint16Array
  #texts: Int32Array
  #length = 0

  /** `room`: for how many, where that is known. */
  constructor(room = FIRST_ROOM) {
    this.#pageIds = new Float64Array(room)
    this.#revIds = new Float64Array(room)
    this.#roleNumbers = new Uint16Array(room)
    this.#texts = new Int32Array(room)
  }

  get length(): number {
    return this.#length
  }

  get tombstones(): number {
    return this.#removals.length
  }

  add(entry: Entry): void {
    if (this.#length === this.#texts.length) this.#grow()
    const roleNumber = this.#roleNumber(entry.role)
    const at = this.#length++
    this.#pageIds[at] = entry.pageId
    this.#revIds[at] = entry.revId
    this.#roleNumbers[at] = roleNumber
    if (entry.removal !== null) this.#removals.push(entry.removal)
    this.#texts[at] = entry.text ?? tombCode(this.#removals.length - 1)
  }

  at(index: number): Entry {
    const text = this.#texts[index]!
    return {
      pageId: this.#pageIds[index]!,
      revId: this.#revIds[index]!,
      role: this.roles[this.#roleNumbers[index]!]!,
      text: text < 0 ? null : text,
      removal: text < 0 ? this.#removals[tombCode(text)]! : null,
    }
  }

  revIdAt(index: number): number {
    return this.#revIds[index]!
  }

  /** First entry of this revision or of the next higher one; only of entries in the order of revisions. */
  firstOf(revId: number): number {
    let low = 0
    let high = this.#length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#revIds[middle]! < revId) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Numbers of entries in the order in which they are found by revision. */
  byRevision(): Uint32Array {
    return this.#ordered((a, b) => this.compareRevisions(a, b))
  }

  /** Numbers of entries in the order in which a page is read. */
  byPage(): Uint32Array {
    const pageIds = this.#pageIds
    return this.#ordered((a, b) => pageIds[a]! - pageIds[b]! || this.compareRevisions(a, b))
  }

  /** 0 for two entries of one slot of one revision. */
  compareRevisions(a: number, b: number): number {
    return this.#revIds[a]! - this.#revIds[b]! || this.#roleNumbers[a]! - this.#roleNumbers[b]!
  }

  #ordered(compare: (a: number, b: number) => number): Uint32Array {
    return Uint32Array.from({ length: this.#length }, (_, index) => index).toSorted(compare)
  }

  #roleNumber(role: string): number {
    const known = this.roles.indexOf(role)
    if (known >= 0) return known
    if (this.roles.length === ROLES_MAX) {
      throw new BadPackInput(`A pack cannot hold texts of more than ${ROLES_MAX} kinds of slots.`)
    }
    return this.roles.push(role) - 1
  }

  #grow(): void {
    const room = Math.max(FIRST_ROOM, this.#texts.length * 2)
    const grown = <T extends { set(from: T): void }>(larger: T, from: T): T => {
      larger.set(from)
      return larger
    }
    this.#pageIds = grown(new Float64Array(room), this.#pageIds)
    this.#revIds = grown(new Float64Array(room), this.#revIds)
    this.#roleNumbers = grown(new Uint16Array(room), this.#roleNumbers)
    this.#texts = grown(new Int32Array(room), this.#texts)
  }
}
