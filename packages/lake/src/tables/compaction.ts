/**
 * Which small segments of a table to merge, so that readers open few files.
 *
 * Only neighbours are merged, so rows keep their order. A group is worth writing when no segment in it outweighs
 * all the others: then a row's segment at least doubles with each rewriting, and a row is written again at most
 * log2(target / smallest) times, however many crumbs arrive.
 */
import type { Manifest, Plan, Segment } from '../model.ts'
import { TASK_SEGMENT_BYTES } from '../schedule/input-units.ts'

export interface CompactionLimits {
  /** Size of a merged segment, about. */
  targetBytes: number
  /** Fewer are not worth a task. */
  segmentsLeast: number
}

/** No larger than what one task reads: a segment is never divided, and larger ones would leave workers idle. */
const LIMITS: CompactionLimits = { targetBytes: TASK_SEGMENT_BYTES, segmentsLeast: 8 }

/** Groups of neighbours, each to become one segment. None: the table is as it should be. */
export function planCompaction(
  { segments }: Pick<Manifest, 'segments'>,
  limits: Partial<CompactionLimits> = {},
): Segment[][] {
  const { targetBytes, segmentsLeast } = { ...LIMITS, ...limits }
  const least = Math.max(2, segmentsLeast)
  return runsUpTo(segments, targetBytes).flatMap((run) => worthMerging(run, least))
}

/** Cuts the table into runs that are together no larger than the target. */
function runsUpTo(segments: readonly Segment[], targetBytes: number): Segment[][] {
  const runs: Segment[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const segment of segments) {
    bytes += segment.bytes
    if (bytes <= targetBytes) runs.at(-1)!.push(segment)
    else {
      runs.push([segment])
      bytes = segment.bytes
    }
  }
  return runs
}

function worthMerging(run: Segment[], least: number): Segment[][] {
  if (run.length < least) return []
  const total = bytesOf(run)
  const heavy = run.findIndex(({ bytes }) => bytes > total - bytes)
  if (heavy < 0) return [run]
  return [...worthMerging(run.slice(0, heavy), least), ...worthMerging(run.slice(heavy + 1), least)]
}

const bytesOf = (segments: readonly Segment[]): number =>
  segments.reduce((sum, { bytes }) => sum + bytes, 0)

/** One task that reads a group in order and writes it as one segment, which takes the place of all of them. */
export function compactionPlan(manifest: Manifest, group: readonly Segment[]): Plan {
  const { table, columns } = manifest
  const of = { stage: 'merge', output: 'merged' }
  return {
    stages: [
      {
        id: of.stage,
        about: `merge ${group.length} segments of ${table}`,
        tasks: { over: 'one' },
        reads: [
          {
            as: 'segments_read',
            from: 'input',
            input: table,
            columns: columns.map(({ name }) => name),
            withRow: false,
          },
        ],
        program: [],
        outputs: [{ name: of.output, from: 'segments_read', format: 'parquet' }],
        after: [],
      },
    ],
    inputs: {
      [table]: {
        rules: null,
        binding: { kind: 'table', manifest: { ...manifest, segments: [...group] } },
      },
    },
    results: [],
    segments: [{ table, columns, of, replaces: group.map(({ file }) => file) }],
  }
}
