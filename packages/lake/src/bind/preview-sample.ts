/**
 * The first records of a file, as a small file that the import's own reader reads. Of CSV each record gets the line in
 * front on which it begins: a reader tells which records it refused only by what is in them.
 */
import type { InputFormat } from '../model.ts'
import { delimiterByte, FIELD_START, LINE_FEED, recordEnd } from '../split/dialect.ts'
import { warcLines } from '../split/warc-lines.ts'
import { delimiterOf } from './header.ts'
import { openLocalFile, readPart, readUnpacked, type LocalFile } from './local-file.ts'
import type { FileBinding } from './inspect-file.ts'

export interface Sample {
  format: Exclude<InputFormat, 'parquet' | 'warc'>
  bytes: Buffer
  /** Of lines of JSON, by the place of the row; lines of CSV are in their records. */
  records: CutRecord[]
  /** Nothing comes after it. */
  isWhole: boolean
}

export interface CutRecord {
  /** On which it begins; the first is 1. */
  line: number
  bytes: Buffer
}

export interface SampleLimits {
  rows: number
  bytes: number
}

/** Not of Parquet, whose reader finds its rows by itself. */
export async function sampleOf(
  path: string,
  binding: FileBinding,
  limits: SampleLimits,
): Promise<Sample> {
  const file = await openLocalFile(path)
  try {
    if (binding.format === 'warc') return await captureLines(file, limits)
    const [unit] = binding.units
    const from = unit?.kind === 'range' ? unit.from : 0
    // One more than may be read: then it is known whether there is more.
    const head = await headOf(file, binding, from + limits.bytes + 1)
    const isAll = head.length <= from + limits.bytes
    const part = { head, from, isAll }
    return binding.format === 'jsonl' ? jsonLines(part, limits) : csvRecords(part, binding, limits)
  } finally {
    await file.close()
  }
}

function headOf(file: LocalFile, { compression }: FileBinding, bytes: number): Promise<Buffer> {
  return compression === undefined ? readPart(file, 0, bytes) : readUnpacked(file.path, bytes)
}

interface Head {
  /** The beginning of the file. */
  head: Buffer
  /** Where the first record begins. */
  from: number
  /** The file ends with it. */
  isAll: boolean
}

function csvRecords(part: Head, { format, header }: FileBinding, { rows }: SampleLimits): Sample {
  const isTsv = format === 'tsv'
  const delimiter = delimiterOf(isTsv ? 'tsv' : 'csv')
  const endOf = (at: number): number | null =>
    recordEnd(part.head, at, FIELD_START, delimiterByte(delimiter)).end
  // In a file of one column the number in front would make a record of what is none.
  const blank = header.length === 1 ? /^(?:"")?(?:\r?\n)?$/ : /^(?:\r?\n)?$/
  const isBlank = (bytes: Buffer): boolean => isShort(bytes) && blank.test(bytes.toString('latin1'))
  const { records, isWhole } = recordsOf(part, { rows, endOf, isBlank })
  const pieces = records.flatMap(({ line, bytes }) => [Buffer.from(`${line}${delimiter}`), bytes])
  const bytes = Buffer.concat(pieces)
  return { format: isTsv ? 'tsv' : 'csv', bytes, records: [], isWhole }
}

const isShort = (bytes: Buffer): boolean => bytes.length <= 4

function jsonLines(part: Head, { rows }: SampleLimits): Sample {
  const endOf = (at: number): number | null => {
    const found = part.head.indexOf(LINE_FEED, at)
    return found < 0 ? null : found + 1
  }
  const isBlank = (bytes: Buffer): boolean => bytes.every((byte) => WHITE.includes(byte))
  const { records, isWhole } = recordsOf(part, { rows, endOf, isBlank })
  const bytes = Buffer.concat(records.map((record) => record.bytes))
  return { format: 'jsonl', bytes, records, isWhole }
}

/** What JSON takes for white space. */
const WHITE: readonly number[] = [...Buffer.from(' \t\r\n')]

interface Cutting {
  rows: number
  endOf: (at: number) => number | null
  /** Of what is no record. */
  isBlank: (bytes: Buffer) => boolean
}

function recordsOf(
  { head, from, isAll }: Head,
  { rows, endOf, isBlank }: Cutting,
): { records: CutRecord[]; isWhole: boolean } {
  const records: CutRecord[] = []
  let at = from
  let line = 1 + linesIn(head.subarray(0, from))
  while (at < head.length && records.length < rows) {
    const end = endOf(at)
    // What the limit cut off is not a record, unless it is all there is.
    if (end === null && !isAll) break
    const bytes = head.subarray(at, end ?? head.length)
    if (!isBlank(bytes)) records.push({ line, bytes })
    line += linesIn(bytes)
    at = end ?? head.length
  }
  return { records, isWhole: isAll && isBlank(head.subarray(at)) }
}

function linesIn(bytes: Buffer): number {
  let lines = 0
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) lines++
  return lines
}

/** Captures of the first bytes; the record that the limit cut through looks damaged and is left out. */
async function captureLines(file: LocalFile, { rows, bytes }: SampleLimits): Promise<Sample> {
  const head = await readPart(file, 0, bytes)
  const isAll = head.length === file.bytes
  const texts: string[] = []
  const whole = { name: file.path, from: 0, to: head.length, fileBytes: head.length }
  for await (const piece of warcLines({ ...whole, read: () => once(head) })) {
    texts.push(...piece.toString('utf8').trimEnd().split('\n'))
  }
  if (!isAll && texts.at(-1)?.includes('"damage"')) texts.pop()
  const records = texts
    .slice(0, rows)
    .map((text, place) => ({ line: place + 1, bytes: Buffer.from(`${text}\n`) }))
  const lines = Buffer.concat(records.map((record) => record.bytes))
  return { format: 'jsonl', bytes: lines, records, isWhole: isAll && texts.length <= rows }
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
