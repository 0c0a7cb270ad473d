/**
 * What the lake speaks of. A *table* is a set of immutable Parquet *segments* that a *manifest* names; each change
 * of the set is a new version of the manifest. A *query* is a small tree of steps over *inputs*; the planner cuts it
 * into *stages* at shuffles, and a stage is done by *tasks* that know nothing of each other. A task reads files,
 * runs a few statements of DuckDB (and row functions) over them and writes files; it counts when its fenced row
 * commits. Nothing here does anything: these are the shapes on which the parts of the room agree.
 */

// ── Files ────────────────────────────────────────────────────────────────────────────────────

/**
 * A file that a task reads. `lake`: `name` is a path below the lake's folder, and the file never
 * changes. `outside`: a user's own file on this machine, by its absolute path; it must be as it was
 * when the query began.
 */
export interface FileRef {
  at: 'lake' | 'outside'
  name: string
  bytes: number
  /** Of files outside: when it was last changed, in milliseconds. */
  changedAtMs?: number
}

// ── Tables ───────────────────────────────────────────────────────────────────────────────────

/** `type` is a type of DuckDB: VARCHAR, BIGINT, DOUBLE, DECIMAL(18,6), BOOLEAN, TIMESTAMP, DATE, VARCHAR[] … */
export interface Column {
  name: string
  type: string
}

export interface Segment {
  /** Path below the lake's folder. It carries the task and the fence that wrote it, so it is never written twice. */
  file: string
  rows: number
  bytes: number
}

/** `own`: a user's; `system`: filled by the station; `rejects`: rows that an import left out. */
export type TableKind = 'own' | 'system' | 'rejects'

/** A table as it is at one version. The order of its segments is the order of its rows. */
export interface Manifest {
  table: string
  version: number
  columns: Column[]
  segments: Segment[]
}

// ── Inputs: files and tables that a query reads, and how rows are cleaned ────────────────────

/** How a field of a file becomes a column. What cannot be read is a flaw; `onFlaw` says what follows. */
export interface FieldRule {
  /** Its name in the file; the column's own name when left out. */
  from?: string
  type:
    | 'text'
    | 'integer'
    | 'number'
    | 'decimal'
    | 'boolean'
    | 'instant'
    | 'date'
    /** The first four digits of a partial date: 1996, 1996-03, 1996*, "c. 1996". */
    | 'year'
    /** A list literal as Python writes it: ['A. Author', "O'Brien"]. */
    | 'list'
    | 'json'
  /** Without a value the row is dropped. Text that is trimmed to nothing is no value. */
  isRequired?: boolean
  /** Text is trimmed of Unicode white space unless this is false. */
  isTrimmed?: boolean
  /** Of a `decimal`: how many digits behind its point are kept, six unless said otherwise. It has 18 in all. */
  decimals?: number
  /** Bounds, both included, of numbers. */
  least?: number
  most?: number
  /** `drop` the row, or `empty` the field (the default). Both are counted by reason. */
  onFlaw?: 'drop' | 'empty'
}

export interface InputRules {
  columns: Record<string, FieldRule>
}

export type InputFormat = 'csv' | 'tsv' | 'jsonl' | 'parquet' | 'warc'

/** What an input of a query is bound to when it runs. */
export type Binding =
  | { kind: 'table'; manifest: Manifest }
  | {
      kind: 'file'
      file: FileRef
      format: InputFormat
      units: Unit[]
      header: string[]
      /** Then there is one unit, counted in the bytes that the file unpacks to. */
      compression?: 'gzip'
    }

/** Rows of a file by their numbers, the first being 0; `to` is the first that does not belong. */
export interface RowSpan {
  from: number
  to: number
}

/** A part of an input that one task reads: whole records of a file, or some segments of a table. */
export type Unit =
  | {
      kind: 'range'
      /** In bytes. */
      from: number
      to: number
      /** Of a Parquet file that is several units: which of its rows; the bytes say how many of it that takes. */
      rows?: RowSpan
    }
  | { kind: 'segments'; files: FileRef[] }

// ── Queries: what a user asks ────────────────────────────────────────────────────────────────

/** Expressions are SQL of DuckDB over the columns of the step before; `$name` is a parameter. */
export type Expression = string

export type Step =
  | { step: 'scan'; input: string }
  | { step: 'filter'; from: Step; where: Expression }
  | { step: 'project'; from: Step; columns: Record<string, Expression> }
  /** The first row, in the order of the input, of those with equal keys. */
  | { step: 'first'; from: Step; by: string[] }
  | {
      step: 'join'
      from: Step
      with: Step
      /** Pairs of columns that must be equal, or one name that both have. */
      on: (string | [left: string, right: string])[]
      kind: 'inner' | 'left' | 'semi' | 'anti'
      /** `broadcast`: every task gets the whole right side; `shuffle`: both are cut by the keys. */
      how: 'broadcast' | 'shuffle'
    }
  | { step: 'group'; from: Step; by: string[]; aggregates: Record<string, Aggregate> }
  /** Nearest rank over all rows: the ⌈q·n⌉-th smallest `of`; rows at or above it (`keep: 'from'`) or below. */
  | { step: 'quantile'; from: Step; of: Expression; q: string; keep: 'from' | 'below' }
  | { step: 'top'; from: Step; rows: number | string; by: Order[] }
  | {
      step: 'rowFunction'
      from: Step
      /** A function that this station knows: `sentiment`, or `file:name` of one that came with a query's file. */
      function: string
      /** What it is given for each row. */
      of: Expression[]
      as: Column
    }

export interface Order {
  column: string
  descending?: boolean
}

/** Sums and averages are exact: of integers and decimals only. `avg` prints with 6 decimals, half to even. */
export type Aggregate =
  | { is: 'count'; of?: Expression }
  | { is: 'sum' | 'avg' | 'min' | 'max' | 'distinct' | 'list'; of: Expression }
  | { is: 'quantile'; of: Expression; q: string }

export interface Parameter {
  type: 'text' | 'integer' | 'number'
  default: string | number
  about: string
}

export interface Query {
  name: string
  about: string
  inputs: Record<string, InputRules | { table: string }>
  parameters?: Record<string, Parameter>
  from: Step
  output: { columns: string[]; order: Order[] }
}

// ── Plans: stages and tasks ──────────────────────────────────────────────────────────────────

/** Where a task finds what it reads; `as` is the name by which its statements know it. */
export type Read =
  /** This task's unit of an input, cleaned, with only the columns that are named. */
  | {
      as: string
      from: 'input'
      input: string
      columns: string[]
      withRow: boolean
      /** Of files: also a table of the records that were dropped (see TaskRead). */
      rejectsAs?: string
    }
  /** What tasks of a stage before wrote: all of it, or this task's partition. */
  | { as: string; from: 'stage'; stage: string; output: string; part: 'whole' | 'partition' }

export type Operation =
  /** A view costs nothing until it is read; a table is computed once. */
  | { op: 'view' | 'table'; as: string; sql: string }
  | {
      op: 'rowFunction'
      as: string
      from: string
      function: string
      of: Expression[]
      column: Column
      /** Columns of `from` that the statements after it still need. */
      keep: string[]
    }

export interface StageOutput {
  name: string
  from: string
  /** Cut by a hash of these columns into as many partitions; without them all rows are in one. */
  partitionBy?: string[]
  partitions?: number
  /** Of results: how they are written and in which order. */
  format: 'parquet' | 'csv' | 'jsonl'
  order?: Order[]
  columns?: string[]
}

export interface Stage {
  id: string
  /** What it does, in a few words, for `--explain` and progress. */
  about: string
  tasks: { over: 'input'; input: string } | { over: 'partitions'; count: number } | { over: 'one' }
  reads: Read[]
  program: Operation[]
  outputs: StageOutput[]
  /** Stages whose outputs it reads: it starts when all their tasks are done. */
  after: string[]
}

export interface Plan {
  stages: Stage[]
  inputs: Record<string, { rules: InputRules | null; binding: Binding }>
  /** Per query: where its rows appear first, unsorted, and where they stand in order at the end. */
  results: { query: string; columns: string[]; rows: OutputName; file: OutputName }[]
  /** Tables to which outputs are added as segments when all is done; all at once. */
  segments?: PlannedSegments[]
}

export interface PlannedSegments {
  table: string
  columns: Column[]
  of: OutputName
  /** Files of the table that go in the same version; `all`: whatever is in it then. */
  replaces?: string[] | 'all'
}

export interface OutputName {
  stage: string
  output: string
}

/** What a worker is given: everything it needs to know, and nothing of anyone else. */
export interface Task {
  query: string
  stage: string
  index: number
  fence: number
  /** The lease ends then, by the station's clock, unless it is renewed. */
  leaseMs: number
  attempt: number
  reads: TaskRead[]
  program: Operation[]
  outputs: StageOutput[]
  limits: { memoryMb: number; threads: number }
  /** Folder below the lake's in which its files are to be; their names begin with `index-fence-`. */
  folder: string
}

export type TaskRead =
  | {
      as: string
      kind: 'parquet'
      files: FileRef[]
      /** Null: all of them, of what a stage before wrote. */
      columns: string[] | null
      withRow: boolean
      /** Of tables: what is missing in old segments is NULL, and without segments there are no rows. */
      types?: Column[]
      /** Place of the first file among all of the input; 0 when left out. Rows of earlier files come first. */
      unit?: number
    }
  | {
      as: string
      kind: 'range'
      file: FileRef
      format: InputFormat
      /** The range counts bytes of what was packed, not of the file. */
      compression?: 'gzip'
      header: string[]
      from: number
      to: number
      /** See Unit. */
      rows?: RowSpan
      /** Number of the unit: rows of an earlier unit come first. */
      unit: number
      rules: InputRules
      columns: string[]
      withRow: boolean
      /**
       * Also a table of this name with the records that were dropped: `row`, `reason` and `record`; and one, `NAME_count`,
       * with how many `rows` were looked at in which `unit`.
       */
      rejectsAs?: string
    }

/** What a task says when it is done; it counts if its fence is still the task's. */
export interface TaskDone {
  outputs: { output: string; partition: number | null; file: string; rows: number; bytes: number }[]
  /** Of inputs, not of what stages before wrote. */
  rowsRead: number
  bytesRead: number
  /** Rows dropped and fields emptied, by reason, such as `title:missing` or `score:out-of-range`. */
  rejects: Record<string, number>
}
