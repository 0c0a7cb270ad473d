/** Questions to the lake and what is known of them, as the command line, the API, the page and workers write them. */
import { z } from 'zod'

const NAME_MAX = 200
const PATH_MAX = 4_096
/** A query is a small file; a megabyte of it is none. */
const QUERIES_MAX = 50
const SQL_MAX = 100_000
const DAY_S = 86_400

const name = z.string().min(1).max(NAME_MAX)

/** Tables are named as columns are: their names stand in SQL. */
export const tableName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,62}$/, 'must be 1 to 63 of a–z, 0–9 and _, and begin with a letter')

export const RESULT_FORMATS = ['csv', 'jsonl', 'parquet'] as const
export type ResultFormat = (typeof RESULT_FORMATS)[number]

/** What an input of a query is: a table, a file that was sent up, or one on the station's machine. */
export const inputSource = z.union([
  z.strictObject({ table: tableName, version: z.number().int().min(0).optional() }),
  z.strictObject({ upload: name }),
  z.strictObject({ path: z.string().min(1).max(PATH_MAX) }),
])
export type InputSource = z.infer<typeof inputSource>

/** The lake itself checks its content. */
const wholeQuery = z.custom<{ name: string }>(
  (value) => typeof value === 'object' && value !== null && 'name' in value,
  'must be the name of a query, or a whole one with its name',
)

export const queryQuestion = z.strictObject({
  /** Names of shipped queries, or whole ones. */
  queries: z
    .array(z.union([name, wholeQuery]))
    .min(1)
    .max(QUERIES_MAX),
  /** `name` for every query that has it, `QUERY.name` for one. */
  parameters: z.record(name, z.union([z.string().max(PATH_MAX), z.number()])).default({}),
  inputs: z.record(name, inputSource).default({}),
  format: z.enum(RESULT_FORMATS).default('csv'),
  /** Of one task. */
  memoryMb: z.number().int().min(64).max(1_048_576).optional(),
  deadlineS: z
    .number()
    .int()
    .min(1)
    .max(30 * DAY_S)
    .optional(),
})
export type QueryQuestion = z.input<typeof queryQuestion>

/** The id is the client's own: a client that does not know whether it arrived sends it again. */
export const queryMessage = queryQuestion.extend({ id: z.uuid() })
export type QueryMessage = z.input<typeof queryMessage>

/** `abandoned`: its client stayed away, and the station ended it. */
export const QUERY_STATES = ['running', 'done', 'failed', 'cancelled', 'abandoned'] as const
export type QueryState = (typeof QUERY_STATES)[number]

interface StageProgress {
  id: string
  about: string
  done: number
  running: number
  total: number
  /** Written so far. */
  rows: number
}

interface QueryResultView {
  name: string
  columns: string[]
  format: ResultFormat
  /** Of the whole file; null while it is not there. */
  rows: number | null
  bytes: number | null
}

export interface QueryView {
  id: string
  /** Grows with time: where a list continues. */
  number: number
  kind: string
  owner: string
  queries: string[]
  state: QueryState
  askedAt: number
  endedAt: number | null
  tasks: { done: number; running: number; total: number }
  rowsRead: number
  bytesRead: number
  bytesTotal: number
  /** Null while it cannot be estimated. */
  etaMs: number | null
  stages: StageProgress[]
  /** Rows dropped and fields emptied, by reason. */
  rejects: Record<string, number>
  error: { code: string; message: string; stage: string | null; sql: string | null } | null
  results: QueryResultView[]
}

/** Rows as they come, in no order; `after` says where to go on. */
export interface QueryRows {
  query: string
  columns: string[]
  rows: unknown[][]
}

export type QueryNews =
  | { progress: QueryView }
  | { rows: QueryRows; after: string }
  | { ended: QueryView }

export const digestField = z.string().regex(/^sha256:[0-9a-f]{64}$/)

export const uploadMessage = z.strictObject({
  /** As on the client's machine: its ending tells the format. */
  name: z
    .string()
    .min(1)
    .max(NAME_MAX)
    .regex(/^[^\\/\p{Cc}]+$/u, 'must be the name of a file without folders'),
  bytes: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
})
export type UploadMessage = z.infer<typeof uploadMessage>

export interface UploadView {
  id: string
  name: string
  owner: string
  bytes: number
  received: number
  state: 'open' | 'ready'
  expiresAt: number
  partBytesMax: number
}

const SQL_FORMATS = ['json', ...RESULT_FORMATS] as const

export const sqlQuestion = z.strictObject({
  sql: z.string().min(1).max(SQL_MAX),
  format: z.enum(SQL_FORMATS).default('json'),
  rowsMax: z.number().int().min(1).optional(),
  timeoutS: z.number().positive().optional(),
})
export type SqlQuestion = z.input<typeof sqlQuestion>

export interface SqlAnswer {
  columns: { name: string; type: string }[]
  rows: unknown[][]
  /** There are more. */
  isCut: boolean
}

const FIELD_TYPES = [
  'text',
  'integer',
  'number',
  'decimal',
  'boolean',
  'instant',
  'date',
  'year',
  'list',
  'json',
] as const

/** How a field of a file becomes a column: in imports, and in the inputs of queries. */
export const fieldRule = z.strictObject({
  from: name.exactOptional(),
  type: z.enum(FIELD_TYPES),
  isRequired: z.boolean().exactOptional(),
  isTrimmed: z.boolean().exactOptional(),
  decimals: z.int().min(1).max(17).exactOptional(),
  least: z.number().exactOptional(),
  most: z.number().exactOptional(),
  onFlaw: z.enum(['drop', 'empty']).exactOptional(),
})

export const importMessage = z.strictObject({
  id: z.uuid().optional(),
  input: inputSource,
  rules: z.strictObject({ columns: z.record(name, fieldRule) }).optional(),
  /** Types of some columns; those of the others are found out. */
  types: z.record(name, z.enum(FIELD_TYPES)).optional(),
  /** The rows take the place of those that are there. */
  isReplacing: z.boolean().default(false),
})
export type ImportMessage = z.input<typeof importMessage>

export interface TableView {
  name: string
  kind: string
  owner: string | null
  columns: { name: string; type: string }[]
  version: number
  rows: number
  bytes: number
  segments: number
  /** When the version came that is read now. */
  changedAt: number
}

/** What a file is, before it is imported. */
export const inspectMessage = z.strictObject({ input: inputSource })

export interface FileSummary {
  format: string
  bytes: number
  /** The columns it would have, with the type of each. */
  rules: { columns: Record<string, z.infer<typeof fieldRule>> }
}

const PREVIEW_ROWS = 1_000
const PREVIEW_ROWS_MOST = 10_000

/** What an import would do, tried on the beginning of its file; nothing is kept. */
export const previewMessage = z.strictObject({
  ...importMessage.pick({ input: true, rules: true, types: true }).shape,
  /** Records that are read at most. */
  rows: z.number().int().min(1).max(PREVIEW_ROWS_MOST).default(PREVIEW_ROWS),
})
export interface ImportPreview extends FileSummary {
  columns: { name: string; type: string }[]
  /** The first rows as they would be; long values are cut. */
  rows: unknown[][]
  rowsRead: number
  rowsKept: number
  /** The file has no more than was read. */
  isWhole: boolean
  /** What would be left out, emptied or repaired, the most frequent first. */
  rejects: ImportReject[]
}

export interface ImportReject {
  /** `column:flaw`, or `row:flaw` of a record as a whole. */
  reason: string
  count: number
  field: string | null
  outcome: 'dropped' | 'emptied' | 'mended'
  /** `line`: where the record begins; of Parquet and WARC files the number of the record. */
  examples: { line: number | null; text: string }[]
}

const SAVED_KINDS = ['query', 'sql'] as const

/** A query that a user saves: a whole query as JSON, or SQL. It need not be valid yet. */
export const savedMessage = z.strictObject({
  kind: z.enum(SAVED_KINDS),
  name,
  text: z.string().min(1).max(SQL_MAX),
})
export type SavedMessage = z.infer<typeof savedMessage>

export interface SavedView extends SavedMessage {
  id: number
  owner: string
  madeAt: number
  editedAt: number
  /** When it was removed; it can be brought back for a while. */
  removedAt: number | null
}

export interface SqlLimitsView {
  rowsMax: number
  /** Of an answer that a page shows. */
  jsonRowsMax: number
  bytesMax: number
  memoryMb: number
  timeoutMs: number
}

const leaseId = z.object({
  query: name,
  stage: name,
  index: z.number().int().min(0),
  fence: z.number().int().min(0),
})
const workerFields = { worker: name, boot: name }

/** What a worker says; the task and what it did are the lake's own shapes. */
export const workerMessages = {
  lease: z.object({
    ...workerFields,
    /** What it reports about itself, for people. */
    about: z
      .object({
        machine: name.optional(),
        pid: z.number().int().optional(),
        memoryMb: z.number().optional(),
        version: name.optional(),
      })
      .optional(),
    /** The version of DuckDB: tasks of one query agree on it. */
    engine: name,
    waitMs: z.number().int().min(0).max(60_000).default(0),
  }),
  beat: z.object({
    ...workerFields,
    tasks: z.array(leaseId.extend({ progress: z.number() })).max(1_000),
  }),
  commit: leaseId.extend({
    ...workerFields,
    done: z.object({
      outputs: z.array(
        z.object({
          output: name,
          partition: z.number().int().min(0).nullable(),
          file: z.string().min(1).max(PATH_MAX),
          rows: z.number().int().min(0),
          bytes: z.number().int().min(0),
        }),
      ),
      rowsRead: z.number().int().min(0),
      bytesRead: z.number().int().min(0),
      rejects: z.record(z.string().max(NAME_MAX), z.number().int().min(0)),
    }),
  }),
  fail: leaseId.extend({
    ...workerFields,
    error: z.object({
      code: name,
      message: z.string().max(SQL_MAX),
      retry: z.enum(['now', 'later', 'never']),
      sql: z.string().max(SQL_MAX).optional(),
    }),
  }),
  return: leaseId.extend(workerFields),
}

export interface WorkerView {
  name: string
  boot: string
  engine: string
  /** Of this machine, or another. */
  address: string
  tasks: number
  seenAt: number
  /** Since when this process is known. */
  since: number
  machine: string | null
  pid: number | null
  /** That one of its tasks may use. */
  memoryMb: number | null
  version: string | null
  /** That it has done since then. */
  tasksDone: number
  isDrained: boolean
  /** What it has in hand. */
  task: { query: string; stage: string; index: number; since: number } | null
  /** Why it has nothing in hand; null when it has. */
  idle: 'drained' | 'nothing-asked' | 'waiting' | 'about-to-take' | null
}

export type LakeTaskState = 'ready' | 'resting' | 'running' | 'done' | 'failed' | 'cancelled'

export interface LakeTaskView {
  query: string
  /** What was asked: names of queries, or of the table. */
  queries: string[]
  kind: string
  owner: string
  queryState: QueryState
  stage: string
  about: string
  index: number
  state: LakeTaskState
  worker: string | null
  leasedAt: number | null
  leasedUntil: number | null
  readyAt: number | null
  endedAt: number | null
  attempts: number
  deaths: number
  /** Rows that went through. */
  progress: number
  error: { code: string; message: string; sql: string | null } | null
}

export interface LakeTaskPage {
  tasks: LakeTaskView[]
  /** For the next page; null after the last one. */
  next: string | null
}

/** A plan as it is drawn. */
export interface QueryStageView {
  id: string
  about: string
  tasks: number
  inputs: { name: string; bytes: number; columns: string[] }[]
  after: { stage: string; part: 'whole' | 'partition' }[]
  program: string[]
  outputs: {
    name: string
    partitionBy: string[]
    partitions: number
    format: string
  }[]
  done?: number
  running?: number
  rows?: number
  bytes?: number
  spentMs?: number
}

export interface QueryPlanView {
  text: string
  stages: QueryStageView[]
  results: { query: string; columns: string[]; stage: string }[]
}
