/**
 * The index of a pack in blocks of a thousand entries, by revision. Inside a block the columns stand one
 * after the other, each as differences: revisions rise, and a page's next revision mostly has its next text.
 */
import { ByteReader, ByteWriter } from './byte-code.ts'
import { PackEntries, type Entry } from './pack-entries.ts'

/** Small enough to be decoded in a fraction of a millisecond, large enough to compress. */
const BLOCK_ENTRIES = 1024

/** Names of which blocks hold the numbers. */
export interface EntryNames {
  /** Rising. */
  pageIds: number[]
  roles: string[]
  reasons: string[]
}

export function namesOf(entries: PackEntries): EntryNames {
  const pageIds = new Set<number>()
  const reasons = new Set<string>()
  for (let index = 0; index < entries.length; index += 1) {
    const { pageId, removal } = entries.at(index)
    pageIds.add(pageId)
    if (removal !== null) reasons.add(removal.reason)
  }
  const rising = [...pageIds].toSorted((a, b) => a - b)
  return { pageIds: rising, roles: [...entries.roles], reasons: [...reasons] }
}

/** Cuts between revisions: the slots of one never stand in two blocks. */
export function* cutBlocks(entries: PackEntries): Generator<Uint32Array> {
  const order = entries.byRevision()
  for (let from = 0; from < order.length;) {
    let to = Math.min(from + BLOCK_ENTRIES, order.length)
    while (to < order.length && isSameRevision(entries, order[to - 1]!, order[to]!)) to += 1
    yield order.subarray(from, to)
    from = to
  }
}

function isSameRevision(entries: PackEntries, a: number, b: number): boolean {
  return entries.revIdAt(a) === entries.revIdAt(b)
}

export class BlockWriter {
  readonly #pageNumbers: Map<number, number>
  readonly #roleNumbers: Map<string, number>
  readonly #reasonNumbers: Map<string, number>

  constructor(names: EntryNames) {
    const numbers = <T>(list: T[]): Map<T, number> =>
      new Map(list.map((name, index) => [name, index]))
    this.#pageNumbers = numbers(names.pageIds)
    this.#roleNumbers = numbers(names.roles)
    this.#reasonNumbers = numbers(names.reasons)
  }

  encode(entries: PackEntries, order: Uint32Array): Buffer {
    const list = Array.from(order, (index) => entries.at(index))
    const writer = new ByteWriter()
    let revId = 0
    for (const entry of list) {
      writer.number(entry.revId - revId)
      revId = entry.revId
    }
    for (const entry of list) writer.number(this.#pageNumbers.get(entry.pageId)!)
    for (const entry of list) writer.number(this.#roleNumbers.get(entry.role)!)
    this.#encodeTexts(list, writer)
    return writer.written()
  }

  /** 0 and a removal, or 1 + the distance from the text that would come next on this page. */
  #encodeTexts(list: Entry[], writer: ByteWriter): void {
    const expected = new Map<number, number>()
    for (const { pageId, text, removal } of list) {
      if (text === null) {
        writer.number(0)
        writer.number(this.#reasonNumbers.get(removal!.reason)!)
        writer.number(removal!.at)
      } else {
        const distance = text - (expected.get(pageId) ?? 0)
        writer.number(1 + (distance < 0 ? -2 * distance - 1 : 2 * distance))
        expected.set(pageId, text + 1)
      }
    }
  }
}

/** Appends the entries of one block; throws a RangeError where it is not one. */
export function decodeBlock(
  bytes: Buffer,
  count: number,
  names: EntryNames,
  into: PackEntries,
): void {
  const reader = new ByteReader(bytes)
  const column = (): Float64Array => Float64Array.from({ length: count }, () => reader.number())
  const gaps = column()
  const pages = column()
  const roles = column()
  const expected = new Map<number, number>()
  let revId = 0
  for (const [index, page] of pages.entries()) {
    revId += gaps[index]!
    const pageId = named(names.pageIds, page)
    const role = named(names.roles, roles[index]!)
    const code = reader.number()
    if (code === 0) {
      const removal = { reason: named(names.reasons, reader.number()), at: reader.number() }
      into.add({ pageId, revId, role, text: null, removal })
    } else {
      const distance = code % 2 === 1 ? (code - 1) / 2 : -code / 2
      const text = (expected.get(page) ?? 0) + distance
      into.add({ pageId, revId, role, text, removal: null })
      expected.set(page, text + 1)
    }
  }
  if (reader.left > 0) throw new RangeError(`${reader.left} bytes too many`)
}

function named<T>(names: T[], number: number): T {
  const name = names[number]
  if (name === undefined) throw new RangeError(`there is no name ${number}`)
  return name
}
