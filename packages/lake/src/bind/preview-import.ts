/**
 * What an import would make of a file, shown on its first records: they go through the import's own
 * reader and rules, in a separate DuckDB, and nothing is stored. Next to each column is the text it
 * came from, cleaned by the same rules as a column of texts, so that what could not be read can be
 * shown.
 */
import { columnType, fieldIn } from '../clean/clean-sql.ts'
import { exactMacros } from '../clean/exact-macros.ts'
import type { TaskFiles } from '../kernel/depot.ts'
import { readRange, type RangeRead, type ReadFigures } from '../kernel/read-range.ts'
import { Sandbox, type Cell } from '../kernel/sandbox.ts'
import { sqlName } from '../kernel/sql-text.ts'
import type { Column, FieldRule, InputRules } from '../model.ts'
import type { FileBinding } from './inspect-file.ts'
import { copyFirstRows } from './parquet-file.ts'
import { sampleOf, type Sample } from './preview-sample.ts'

export interface PreviewAsked {
  path: string
  binding: FileBinding
  rules: InputRules
  /** Records that are read at most. */
  rows: number
  /** Rows that are shown at most. */
  shown: number
  bytes: number
  memoryMb: number
  /** Empty, and used by no other task. */
  folder: string
  signal: AbortSignal
}

export interface RejectExample {
  /** The line on which the record begins; of Parquet and WARC the number of the record. */
  line: number | null
  text: string
}

export interface PreviewedReject {
  reason: string
  count: number
  /** Of a record as a whole there is none. */
  field: string | null
  /** `mended`: the row is kept, rewritten in a well-formed way. */
  outcome: 'dropped' | 'emptied' | 'mended'
  examples: RejectExample[]
}

export interface PreviewedImport {
  columns: Column[]
  rows: unknown[][]
  rowsRead: number
  rowsKept: number
  /** The file has no more. */
  isWhole: boolean
  /** The most frequent first. */
  rejects: PreviewedReject[]
}

/** Enough to see a pattern. */
const EXAMPLES_MOST = 5
const TEXT_CHARACTERS = 80
const [AS, REJECTS] = ['input', 'input_rejects']
const MENDED = new Set(['row:quotes', 'row:not-utf8'])

export async function previewImport(asked: PreviewAsked): Promise<PreviewedImport> {
  const { path, binding, rows, bytes, folder, signal, memoryMb } = asked
  const sample =
    binding.format === 'parquet' ? null : await sampleOf(path, binding, { rows, bytes })
  const first = sample === null ? await copyFirstRows(path, { folder, rows }) : null
  const readable = first === null ? [] : [first.path]
  const columns = Object.keys(asked.rules.columns).length
  const sandbox = await Sandbox.open({ memoryMb, threads: 1, folder, readable, columns, signal })
  try {
    for (const macro of exactMacros) await sandbox.run(macro)
    const read = readOf(asked, sample)
    const files = filesOf(folder, sample)
    const figures = await readRange(read.range, { files, sandbox, signal, paths: readable })
    const isWhole = sample?.isWhole ?? first?.isWhole ?? true
    return await answerOf(sandbox, { asked, read, figures, sample, isWhole })
  } finally {
    sandbox.close()
  }
}

/** The sample is in memory; what is read of it is written where the reader wants it. */
function filesOf(folder: string, sample: Sample | null): TaskFiles {
  return {
    folder,
    fetch: (file) => Promise.resolve(file.name),
    async *range() {
      if (sample !== null) yield sample.bytes
    },
    keep: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}

interface PreviewRead {
  range: RangeRead
  /** The column that says the line; null where the place of a row does. */
  line: string | null
  /** By the name of a column, the one with its text. */
  texts: ReadonlyMap<string, string>
}

function readOf({ binding, rules }: PreviewAsked, sample: Sample | null): PreviewRead {
  const isCsv = sample !== null && sample.format !== 'jsonl'
  const taken = new Set([...binding.header, ...Object.keys(rules.columns)])
  const line = isCsv ? freeName(':line', taken) : null
  const texts = new Map(
    Object.entries(rules.columns)
      .filter(([, { type }]) => type !== 'text')
      .map(([column], place) => [column, freeName(`:text${place}`, taken)]),
  )
  const shadows = [...texts].map(([column, text]): [string, FieldRule] => {
    const from = fieldIn(binding.header, column, rules.columns[column]!) ?? column
    return [text, { from, type: 'text', isTrimmed: false }]
  })
  const columns: Record<string, FieldRule> = {
    ...rules.columns,
    ...Object.fromEntries(shadows),
    ...(line === null ? {} : { [line]: { type: 'integer' } }),
  }
  const bytes = sample?.bytes.length ?? binding.file.bytes
  const range: RangeRead = {
    as: AS,
    kind: 'range',
    file: { at: 'outside', name: 'the sample', bytes },
    format: sample?.format ?? 'parquet',
    header: line === null ? binding.header : [line, ...binding.header],
    from: 0,
    to: bytes,
    unit: 0,
    rules: { columns },
    columns: Object.keys(columns),
    withRow: false,
    rejectsAs: REJECTS,
  }
  return { range, line, texts }
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  const lower = new Set([...taken].map((name) => name.toLowerCase()))
  let name = wanted
  while (lower.has(name)) name = `:${name}`
  return name
}

interface Answering {
  asked: PreviewAsked
  read: PreviewRead
  figures: ReadFigures
  sample: Sample | null
  isWhole: boolean
}

async function answerOf(sandbox: Sandbox, answering: Answering): Promise<PreviewedImport> {
  const { rules, shown } = answering.asked
  const columns = Object.entries(rules.columns).map(([name, rule]) => ({
    name,
    type: columnType(rule),
  }))
  const names = columns.map(({ name }) => sqlName(name)).join(', ')
  const view = sqlName(AS)
  const rows = await sandbox.rows(`SELECT ${names || '1'} FROM ${view} LIMIT ${shown}`)
  const [[kept] = []] = await sandbox.rows(`SELECT count(*)::DOUBLE FROM ${view}`)
  const { figures, isWhole } = answering
  const rejects = await rejectsOf(sandbox, answering)
  return { columns, rows, rowsRead: figures.rows, rowsKept: Number(kept), isWhole, rejects }
}

async function rejectsOf(sandbox: Sandbox, answering: Answering): Promise<PreviewedReject[]> {
  const { asked, figures } = answering
  const examples = Map.groupBy(await flawsOf(sandbox, answering), ({ reason }) => reason)
  return Object.entries(figures.rejects)
    .map(([reason, count]) => {
      const field = fieldOf(reason, asked.rules)
      const outcome = outcomeOf(reason, field === null ? null : asked.rules.columns[field]!)
      const some = (examples.get(reason) ?? []).slice(0, EXAMPLES_MOST)
      return {
        reason,
        count,
        field,
        outcome,
        examples: some.map(({ line, text }) => ({ line, text: shortened(text) })),
      }
    })
    .toSorted((a, b) => b.count - a.count)
}

/** Reasons are `column:flaw`, or `row:flaw` of a record as a whole. */
function fieldOf(reason: string, { columns }: InputRules): string | null {
  const name = reason.slice(0, reason.lastIndexOf(':'))
  const isOfRow = name === 'row' && /:(?:fields|too-long|not-json|quotes|not-utf8)$/.test(reason)
  return isOfRow || !Object.hasOwn(columns, name) ? null : name
}

function outcomeOf(reason: string, rule: FieldRule | null): PreviewedReject['outcome'] {
  if (rule === null) return MENDED.has(reason) ? 'mended' : 'dropped'
  return rule.isRequired === true || rule.onFlaw === 'drop' ? 'dropped' : 'emptied'
}

interface Flaw {
  reason: string
  line: number | null
  text: string
}

async function flawsOf(sandbox: Sandbox, answering: Answering): Promise<Flaw[]> {
  const { line, texts } = answering.read
  const columns = [...texts.values()].map(sqlName)
  const at = line === null ? 'NULL' : sqlName(line)
  const found = await sandbox.rows(
    `SELECT ${['rowid::DOUBLE', `${at}::DOUBLE`, 'coalesce(_broken, _reject)', '_flaws', ...columns].join(', ')}
     FROM ${sqlName(`${AS}:cleaned`)} WHERE coalesce(_broken, _reject) IS NOT NULL OR _flaws IS NOT NULL ORDER BY rowid`,
  )
  const flaws = found.flatMap((row) => flawsIn(row, answering))
  return line === null ? flaws : [...flaws, ...(await tornIn(sandbox))]
}

function flawsIn(row: Cell[], { asked, read, sample }: Answering): Flaw[] {
  const [place, at, reject, flaws, ...texts] = row
  const record = sample?.records[Number(place)]
  const line = at === null || at === undefined ? (record?.line ?? Number(place) + 1) : Number(at)
  // A list of texts is a list in JSON too.
  const reasons = [
    ...(typeof reject === 'string' ? [reject] : []),
    ...((flaws as unknown as string[] | null) ?? []),
  ]
  const columns = [...read.texts.keys()]
  return reasons.map((reason) => {
    const field = fieldOf(reason, asked.rules)
    const text = field === null ? record?.bytes.toString('utf8') : texts[columns.indexOf(field)]
    return { reason, line, text: String(text ?? '') }
  })
}

/** Records with too few fields or too many, with the line in front that they were given. */
async function tornIn(sandbox: Sandbox): Promise<Flaw[]> {
  const torn = await sandbox.rows(
    `SELECT record FROM ${sqlName(REJECTS)} WHERE reason = 'row:fields'`,
  )
  return torn
    .map(([record]) => {
      const [, line, text] = /^"?([0-9]+)"?[,\t]([^]*)$/.exec(String(record)) ?? []
      return { reason: 'row:fields', line: Number(line), text: text ?? '' }
    })
    .toSorted((a, b) => a.line - b.line)
}

function shortened(text: string): string {
  // By code points: half of one is no text.
  const characters = Array.from(text.trimEnd())
  return characters.length <= TEXT_CHARACTERS
    ? characters.join('')
    : `${characters.slice(0, TEXT_CHARACTERS - 1).join('')}…`
}
