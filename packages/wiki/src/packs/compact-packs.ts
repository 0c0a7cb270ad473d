/**
 * Many small packs become one in which each page's texts stand together, so that they compress as one
 * history. Works page by page: in memory are the indexes, the frames in hand and what the writer holds.
 */
import type { PackEntries } from './pack-entries.ts'
import type { PackFiles } from './pack-files.ts'
import type { PackSummary } from './pack-output.ts'
import { tombstoneOf, type PackReader } from './pack-reader.ts'
import { PackWriter, type PackWriterOptions } from './pack-writer.ts'

export interface SlotOfRevision {
  pageId: number
  revId: number
  role: string
}

export interface CompactOptions extends PackWriterOptions {
  files?: PackFiles
  /** True for what the new pack shall not have; not even a tombstone of it stays. */
  drop?: (slot: SlotOfRevision) => boolean
  /**
   * Called for each text that cannot be read; it is left out. Without it such a text ends the
   * compaction.
   */
  onLost?: (slot: SlotOfRevision, error: unknown) => void
}

/** The oldest pack first: of one slot of one revision the last pack's text or tombstone is kept. */
export async function compactPacks(
  packs: PackReader[],
  out: string,
  options: CompactOptions = {},
): Promise<PackSummary> {
  const { files, drop, ...rest } = options
  const sources: Source[] = []
  for (const pack of packs) sources.push({ pack, entries: await pack.entries() })
  const writer = await PackWriter.create(out, files, rest)
  try {
    for (const { source, index } of keptByPage(sources, drop ?? (() => false))) {
      await copyEntry(source, index, writer, options)
    }
  } catch (error) {
    await writer.abandon()
    throw error
  }
  return writer.finish()
}

interface Source {
  pack: PackReader
  entries: PackEntries
}

interface Place {
  source: Source
  index: number
}

async function copyEntry(
  { pack, entries }: Source,
  index: number,
  writer: PackWriter,
  { onLost }: CompactOptions,
): Promise<void> {
  const entry = entries.at(index)
  const { pageId, revId, role, text: number } = entry
  const tombstone = tombstoneOf(entry)
  if (tombstone !== null) writer.writeTombstone(tombstone)
  if (number === null) return
  let text: Buffer
  try {
    text = await pack.textAt(number)
  } catch (error) {
    if (onLost === undefined) throw error
    onLost({ pageId, revId, role }, error)
    return
  }
  await writer.add({ pageId, revId, role, text })
}

/** A merge of all packs in the order of pages; packs are few, so the next one is found by looking at each. */
function* keptByPage(sources: Source[], drop: (slot: SlotOfRevision) => boolean): Generator<Place> {
  const runs = sources.map((source, number) => ({
    source,
    order: source.entries.byPage(),
    superseded: supersededBy(source.entries, sources.slice(number + 1)),
    next: 0,
  }))
  for (;;) {
    let first: (typeof runs)[number] | undefined
    for (const run of runs) {
      if (run.next === run.order.length) continue
      if (first === undefined || isBefore(run, first)) first = run
    }
    if (first === undefined) return
    const index = first.order[first.next++]!
    const { pageId, revId, role } = first.source.entries.at(index)
    if (first.superseded[index] === 0 && !drop({ pageId, revId, role })) {
      yield { source: first.source, index }
    }
  }
}

interface Run {
  source: Source
  order: Uint32Array
  next: number
}

function isBefore(a: Run, b: Run): boolean {
  const [one, other] = [a, b].map(({ source, order, next }) => source.entries.at(order[next]!))
  return (one!.pageId - other!.pageId || one!.revId - other!.revId) < 0
}

/**
 * 1 for each entry that a later pack has too. Not only on the same page: when histories are merged a
 * revision changes its page.
 */
function supersededBy(entries: PackEntries, later: Source[]): Uint8Array {
  const superseded = new Uint8Array(entries.length)
  for (const { entries: newer } of later) {
    let at = 0
    for (let index = 0; index < entries.length; index += 1) {
      const revId = entries.revIdAt(index)
      while (at < newer.length && newer.revIdAt(at) < revId) at += 1
      const { role } = entries.at(index)
      for (let same = at; same < newer.length && newer.revIdAt(same) === revId; same += 1) {
        if (newer.at(same).role === role) superseded[index] = 1
      }
    }
  }
  return superseded
}
