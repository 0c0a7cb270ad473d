/**
 * What a query needs to know of a file before anything runs: its kind, the names of its fields, and units of whole
 * records. Only a few kilobytes per unit are read of it (see `split/units.ts`).
 */
import { fieldIn } from '../clean/clean-sql.ts'
import { BadInput } from '../errors.ts'
import type { Binding, Column, FileRef, InputFormat, InputRules } from '../model.ts'
import { nearNames } from '../plan/near-names.ts'
import { findUnits } from '../split/units.ts'
import { WARC_FIELDS } from '../split/warc-lines.ts'
import { formatOf, isPacked, isText, type TextFormat } from './file-format.ts'
import { readHeader } from './header.ts'
import { openLocalFile, readPart, readUnpacked, type LocalFile } from './local-file.ts'
import { parquetColumns } from './parquet-file.ts'

export type FileBinding = Extract<Binding, { kind: 'file' }>

export interface FileToLookAt {
  path: string
  /** What it is called, when its path does not say so. */
  name?: string
  /** Its name below the lake's folder, when it is in there. */
  lakeName?: string
}

export interface LookWishes {
  /** Fields that these need must be there. */
  rules?: InputRules | null
  format?: InputFormat
  workers?: number
  /** For tests: see UnitWishes. */
  unitBytes?: number
}

/** A header is far smaller, and these are enough objects to know their fields. */
const HEAD_BYTES = 1024 * 1024

export async function lookAtFile(
  asked: FileToLookAt,
  wishes: LookWishes = {},
): Promise<FileBinding> {
  const file = await openLocalFile(asked.path)
  try {
    const head = await readPart(file, 0, HEAD_BYTES)
    const packed = isPacked(head)
    const shown = packed ? await readUnpacked(asked.path, HEAD_BYTES) : head
    const name = asked.name ?? asked.path
    const format = wishes.format ?? formatOf(name, shown)
    const seen = { file, ref: refOf(file, asked), name, format, head: shown, packed }
    const binding = isText(format) ? await textBinding(seen, format, wishes) : await bindWhole(seen)
    if (wishes.rules) checkFields(name, binding, wishes.rules)
    return binding
  } finally {
    await file.close()
  }
}

interface Seen {
  file: LocalFile
  ref: FileRef
  name: string
  format: InputFormat
  head: Buffer
  packed: boolean
}

function refOf({ bytes, changedAtMs, path }: LocalFile, { lakeName }: FileToLookAt): FileRef {
  return lakeName === undefined
    ? { at: 'outside', name: path, bytes, changedAtMs }
    : { at: 'lake', name: lakeName, bytes }
}

async function textBinding(
  { file, ref, name, head, packed }: Seen,
  format: TextFormat,
  { rules, workers, unitBytes }: LookWishes,
): Promise<FileBinding> {
  const { names, from } = readHeader(name, format, head)
  const header = format === 'jsonl' ? withAskedFields(names, rules ?? null) : names
  const binding = { kind: 'file' as const, file: ref, format, header }
  if (packed) {
    // Nobody can begin in the middle of a gzip file: it is one unit, counted in the bytes that it unpacks to.
    const units = [{ kind: 'range' as const, from, to: Number.MAX_SAFE_INTEGER }]
    return { ...binding, units, compression: 'gzip' }
  }
  const asked = { ...(workers && { workers }), ...(unitBytes && { unitBytes }) }
  return { ...binding, units: await findUnits(file, { format, from, ...asked }) }
}

/** An object may lack any field, so a field that no line has yet is no mistake. */
function withAskedFields(names: string[], rules: InputRules | null): string[] {
  const asked = Object.entries(rules?.columns ?? {})
    .filter(([column, rule]) => fieldIn(names, column, rule) === undefined)
    .map(([column, rule]) => rule.from ?? column)
  return [...new Set([...names, ...asked])]
}

/** Where a record begins in such a file, only its reader knows: it is one unit. */
async function bindWhole({ file, ref, name, format, packed }: Seen): Promise<FileBinding> {
  if (packed && format === 'parquet') throw BadInput.packedParquet(name)
  const header = format === 'warc' ? WARC_FIELDS : (await parquetColumns(file.path)).map(nameOf)
  const units = [{ kind: 'range' as const, from: 0, to: file.bytes }]
  return { kind: 'file', file: ref, format, header, units }
}

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
