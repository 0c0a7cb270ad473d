/**
 * Which tasks hold a node's rows? Steps that look at one row stay where their input is; steps that look at rows
 * together need them in one task and shuffle, unless they are there already.
 */
import type { Binding } from '../model.ts'
import { partsOf } from '../schedule/input-units.ts'
import type { Node, NodePlace, Work } from './nodes.ts'

const MEGABYTE = 1024 * 1024

/**
 * Bytes of input for one partition of rows, and of rows that were summed up first and are far fewer. A partition
 * that is too small costs a task and a file for each task before it; one too large only spills.
 */
const BYTES_PER_PARTITION = { rows: 128 * MEGABYTE, sums: 1024 * MEGABYTE }
const PARTITIONS_MOST = 32

/** Tables are compressed: a byte of them is about four of a text file. */
const TABLE_BYTES_FACTOR = 4

export function placeOfInput(input: string, binding: Binding): NodePlace {
  const tasks = partsOf(binding).length
  const bytes =
    binding.kind === 'table'
      ? TABLE_BYTES_FACTOR *
        binding.manifest.segments.reduce((sum, segment) => sum + segment.bytes, 0)
      : binding.file.bytes
  return {
    origin: input,
    tasks: { over: 'input', input },
    cut: tasks <= 1 ? [] : null,
    isLocal: true,
    wave: 0,
    bytes,
  }
}

export interface Shuffling {
  /** Of the node that is placed. */
  id: number
  /** Asked for, whatever the size. */
  partitions: number | undefined
}

export function placeOf(work: Exclude<Work, { step: 'scan' }>, shuffling: Shuffling): NodePlace {
  const { place } = work.from
  switch (work.step) {
    case 'filter':
    case 'rowFunction':
      return { ...place, isLocal: true }
    case 'project':
      return { ...place, isLocal: true, cut: cutAfter(place.cut, work.columns) }
    case 'first':
      return isIn(place.cut, work.by)
        ? stay(place)
        : shuffle(shuffling, work.by, 'rows', [work.from])
    case 'group':
      return isIn(place.cut, work.by)
        ? stay(place)
        : shuffle(shuffling, work.by, 'sums', [work.from])
    case 'threshold':
    case 'top':
      return isIn(place.cut, []) ? stay(place) : shuffle(shuffling, [], 'sums', [work.from])
    case 'quantile':
      return beside(place, work.at)
    case 'join': {
      if (work.how === 'broadcast') return beside(place, work.with)
      const keys = work.on.map(([left]) => left)
      return isTogether(place, work.with.place)
        ? beside(place, work.with)
        : shuffle(shuffling, keys, 'rows', [work.from, work.with])
    }
  }
}

const stay = (place: NodePlace): NodePlace => ({ ...place, isLocal: true })

/** Rows stay; the other side comes whole to each task, or is in the only task already. */
function beside(place: NodePlace, other: Node): NodePlace {
  const isLocal = isTogether(place, other.place)
  const wave = Math.max(place.wave, other.place.wave + (isLocal ? 0 : 1))
  return { ...place, isLocal, wave }
}

function shuffle(
  { id, partitions }: Shuffling,
  by: string[],
  of: 'rows' | 'sums',
  from: Node[],
): NodePlace {
  const bytes = Math.max(...from.map(({ place }) => place.bytes))
  const wanted = partitions ?? Math.min(PARTITIONS_MOST, Math.ceil(bytes / BYTES_PER_PARTITION[of]))
  const count = by.length === 0 ? 1 : Math.max(1, wanted)
  return {
    origin: `n${id}`,
    tasks: count === 1 ? { over: 'one' } : { over: 'partitions', count },
    cut: count === 1 ? [] : by,
    isLocal: false,
    wave: Math.max(...from.map(({ place }) => place.wave)) + 1,
    bytes,
  }
}

const isIn = (cut: string[] | null, by: string[]): boolean =>
  cut !== null && cut.every((column) => by.includes(column))

const isTogether = (one: NodePlace, other: NodePlace): boolean =>
  one.origin === other.origin && one.cut?.length === 0 && other.cut?.length === 0

/** Columns keep their places under other names, so long as none of them is lost. */
function cutAfter(
  cut: string[] | null,
  columns: Extract<Work, { step: 'project' }>['columns'],
): string[] | null {
  const renamed = cut?.map((column) => columns.find(({ of }) => of.isColumn === column)?.name)
  return renamed?.every((name) => name !== undefined) ? renamed : null
}
