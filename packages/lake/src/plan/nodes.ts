/**
 * A query as the planner sees it: steps whose expressions were read and typed. Equal steps of
 * different queries are one node, so whatever several queries have in common is computed once.
 * Children come first: a node's id is greater than those of its inputs.
 */
import type { Column, Order, Stage } from '../model.ts'
import type { ReadExpression } from './expressions.ts'

export type Work =
  | { step: 'scan'; input: string }
  | { step: 'filter'; from: Node; where: ReadExpression }
  | { step: 'project'; from: Node; columns: { name: string; of: ReadExpression; type: string }[] }
  | { step: 'first'; from: Node; by: string[] }
  | {
      step: 'join'
      from: Node
      with: Node
      on: [left: string, right: string][]
      kind: 'inner' | 'left' | 'semi' | 'anti'
      how: 'broadcast' | 'shuffle'
    }
  | { step: 'group'; from: Node; by: string[]; aggregates: Aggregated[] }
  /** The value at a rank, of all rows: one row with one column. */
  | { step: 'threshold'; from: Node; of: ReadExpression; q: bigint }
  | { step: 'quantile'; from: Node; at: Node; of: ReadExpression; keep: 'from' | 'below' }
  | { step: 'top'; from: Node; rows: bigint; by: Order[] }
  | { step: 'rowFunction'; from: Node; function: string; of: ReadExpression[]; as: Column }

export interface Aggregated {
  name: string
  is: 'count' | 'sum' | 'avg' | 'min' | 'max' | 'distinct' | 'list' | 'quantile'
  of: ReadExpression | null
  type: string
  /** Of quantiles, in thousand millionths. */
  q: bigint | null
}

export interface Node {
  id: number
  work: Work
  /** All that it could give; what is asked of it is in `needed`. */
  columns: Column[]
  needed: Set<string>
  /** Its rows know their place in the input, and whether two of them can have the same. */
  row: 'none' | 'unique' | 'repeated'
  place: NodePlace
}

/** Where the rows of a node are: which tasks hold them, and what those tasks know of each other's rows. */
export interface NodePlace {
  /** Input, or node after whose shuffle they were read. */
  origin: string
  tasks: Stage['tasks']
  /** Rows equal in these columns are in one task; []: all rows are; null: unknown. */
  cut: string[] | null
  /** The step needs no other task's rows: it is done where its input is. */
  isLocal: boolean
  /** Stages before it at least: a scan that waits for others is another read than one that does not. */
  wave: number
  /** Of the files that were read for it: decides how many partitions are worth while. */
  bytes: number
}

/** Pseudo-column: a row's place in its input. */
export const ROW = '_row'

/** The exact mean, cut (not rounded) to 18 decimals; see `group-sql.ts`. */
export const MEAN = 'DECIMAL(38,18)'

/** Quantiles are counted in thousand millionths. */
export const QUANTILE_UNITS = 1_000_000_000n
