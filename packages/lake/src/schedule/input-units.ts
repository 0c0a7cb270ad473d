/** How an input is cut into parts that one task reads each: the same cut whenever it is asked for. */
import type { Binding, FileRef, Manifest, Unit } from '../model.ts'

/** A part of an input, and how many parts of its kind (segments, ranges) come before it. */
export interface InputPart {
  unit: Unit
  place: number
}

/** Segments that one task reads, at most: half a second of a core or so. Small enough to share, large enough not to
 * be all overhead. */
export const TASK_SEGMENT_BYTES = 32 * 1024 * 1024

/**
 * An input without anything in it is one empty part all the same: the stages after it then find a file that has
 * its columns. A table of a thousand crumbs is not a thousand tasks.
 */
export function partsOf(binding: Binding): InputPart[] {
  const parts =
    binding.kind === 'table'
      ? segmentParts(binding.manifest)
      : binding.units.map((unit, place) => ({ unit, place }))
  return parts.length > 0 ? parts : [{ unit: emptyUnit(binding), place: 0 }]
}

/** The input as one part, for a stage of a single task. */
export function wholeOf(binding: Binding): InputPart {
  const units = partsOf(binding).map(({ unit }) => unit)
  const files = units.flatMap((unit) => (unit.kind === 'segments' ? unit.files : []))
  const ranges = units.flatMap((unit) => (unit.kind === 'range' ? [unit] : []))
  if (ranges.length === 0) return { unit: { kind: 'segments', files }, place: 0 }
  return { unit: { kind: 'range', from: ranges[0]!.from, to: ranges.at(-1)!.to }, place: 0 }
}

function segmentParts({ segments }: Manifest): InputPart[] {
  const parts: (InputPart & { unit: { kind: 'segments' }; bytes: number })[] = []
  segments.forEach(({ file, bytes }, place) => {
    const last = parts.at(-1)
    const ref: FileRef = { at: 'lake', name: file, bytes }
    if (last && last.bytes + bytes <= TASK_SEGMENT_BYTES) {
      last.unit.files.push(ref)
      last.bytes += bytes
    } else parts.push({ unit: { kind: 'segments', files: [ref] }, place, bytes })
  })
  return parts.map(({ unit, place }) => ({ unit, place }))
}

function emptyUnit(binding: Binding): Unit {
  if (binding.kind === 'table') return { kind: 'segments', files: [] }
  if (binding.format === 'parquet') return { kind: 'segments', files: [binding.file] }
  return { kind: 'range', from: binding.file.bytes, to: binding.file.bytes }
}
