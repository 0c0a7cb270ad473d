/**
 * What a query needs to know of a file before anything runs: its kind, the names of its fields, and units of whole
 * records. Only a few kilobytes per unit are read of it (see `split/units.ts`).
 */
import { fieldIn } from '../clean/clean-sql.ts'
import { BadInput } from '../errors.ts'
import type { Binding, Column, FileRef, InputFormat, InputRules } from '../model.ts'
import { nearNames } from '../plan/near-names.ts'
import { parquetUnits } from '../split/parquet-units.ts'
import { findUnits, type SizeOptions } from '../split/units.ts'
import { WARC_FIELDS } from '../split/warc-lines.ts'
import { findWarcUnits } from '../split/warc-units.ts'
import { formatOf, isPacked, isText, type TextFormat } from './file-format.ts'
import { readHeader } from './header.ts'
import { openLocalFile, readPart, readUnpacked, type LocalFile } from './local-file.ts'
import { parquetColumns, rowGroups } from './parquet-file.ts'

export type FileBinding = Extract<Binding, { kind: 'file' }>

export interface InspectedFile {
  path: string
  /** What it is called, when its path does not say so. */
  name?: string
  /** Its name below the lake's folder, when it is in there. */
  lakeName?: string
}

export interface InspectOptions {
  /** Fields that these need must be there. */
  rules?: InputRules | null
  format?: InputFormat
  workers?: number
  /** For tests: see UnitOptions. */
  unitBytes?: number
}

/** A header is far smaller, and these are enough objects to know their fields. */
const HEAD_BYTES = 1024 * 1024

export async function inspectFile(
  asked: InspectedFile,
  options: InspectOptions = {},
): Promise<FileBinding> {
  const file = await openLocalFile(asked.path)
  try {
    const head = await readPart(file, 0, HEAD_BYTES)
    const packed = isPacked(head)
    const shown = packed ? await readUnpacked(asked.path, HEAD_BYTES) : head
    const name = asked.name ?? asked.path
    const format = options.format ?? formatOf(name, shown)
    const seen = { file, ref: refOf(file, asked), name, head: shown, packed }
    const binding = await bindAs(format, seen, options)
    if (options.rules) checkFields(name, binding, options.rules)
    return binding
  } finally {
    await file.close()
  }
}

function bindAs(format: InputFormat, seen: Seen, options: InspectOptions): Promise<FileBinding> {
  if (isText(format)) return textBinding(seen, format, options)
  return format === 'warc' ? warcBinding(seen, options) : parquetBinding(seen, options)
}

interface Seen {
  file: LocalFile
  ref: FileRef
  name: string
  head: Buffer
  packed: boolean
}

function refOf({ bytes, changedAtMs, path }: LocalFile, { lakeName }: InspectedFile): FileRef {
  return lakeName === undefined
    ? { at: 'outside', name: path, bytes, changedAtMs }
    : { at: 'lake', name: lakeName, bytes }
}

async function textBinding(
  { file, ref, name, head, packed }: Seen,
  format: TextFormat,
  { rules, ...options }: InspectOptions,
): Promise<FileBinding> {
  const { names, from } = readHeader(name, format, head)
  const header = format === 'jsonl' ? withAskedFields(names, rules ?? null) : names
  const binding = { kind: 'file' as const, file: ref, format, header }
  if (packed) {
    // Reading cannot start in the middle of a gzip file: it is one unit, counted in the bytes that
    // it unpacks to.
    const units = [{ kind: 'range' as const, from, to: Number.MAX_SAFE_INTEGER }]
    return { ...binding, units, compression: 'gzip' }
  }
  return { ...binding, units: await findUnits(file, { format, from, ...sizesOf(options) }) }
}

/** An object may lack any field, so a field that no line has yet is no mistake. */
function withAskedFields(names: string[], rules: InputRules | null): string[] {
  const asked = Object.entries(rules?.columns ?? {})
    .filter(([column, rule]) => fieldIn(names, column, rule) === undefined)
    .map(([column, rule]) => rule.from ?? column)
  return [...new Set([...names, ...asked])]
}

async function warcBinding({ file, ref }: Seen, options: InspectOptions): Promise<FileBinding> {
  const units = await findWarcUnits(file, sizesOf(options))
  return { kind: 'file', file: ref, format: 'warc', header: WARC_FIELDS, units }
}

async function parquetBinding(
  { file, ref, name, packed }: Seen,
  options: InspectOptions,
): Promise<FileBinding> {
  if (packed) throw BadInput.packedParquet(name)
  const header = (await parquetColumns(file.path)).map(nameOf)
  // A column of that name hides the numbers by which a task finds its rows.
  const isNumbered = !header.some((field) => field.toLowerCase() === 'file_row_number')
  const groups = isNumbered ? await rowGroups(file.path) : []
  const units = parquetUnits(groups, { fileBytes: file.bytes, ...sizesOf(options) })
  return { kind: 'file', file: ref, format: 'parquet', header, units }
}

const sizesOf = ({ workers, unitBytes }: InspectOptions): SizeOptions => ({
  ...(workers && { workers }),
  ...(unitBytes && { unitBytes }),
})

const nameOf = ({ name }: Column): string => name

function checkFields(name: string, { header }: FileBinding, { columns }: InputRules): void {
  const missing = Object.entries(columns)
    .filter(([column, rule]) => fieldIn(header, column, rule) === undefined)
    .map(([column, rule]) => rule.from ?? column)
  if (missing.length === 0) return
  // What there is instead is said once.
  const named = missing.map((field) => `"${field}"`).join(', ')
  const hint =
    missing.length === 1 ? nearNames(missing[0]!, header) : `; there are ${header.join(', ')}`
  throw BadInput.missingFields(name, [`${named}${hint}`])
}
