/**
 * Rules for a file without given rules: the narrowest type that every value of a sample has. The
 * sample is taken from several places of the file; a value elsewhere that is not of that type is
 * emptied and counted like any flaw.
 */
import { pythonList } from '../clean/python-list.ts'
import { trimmed } from '../clean/white-space.ts'
import { BadInput } from '../errors.ts'
import type { FieldRule, InputRules } from '../model.ts'
import { nearNames } from '../plan/near-names.ts'
import {
  delimiterByte,
  FIELD_START,
  parseRecord,
  recordEnd,
  withoutLineEnd,
} from '../split/dialect.ts'
import { delimiterOf, objectsIn } from './header.ts'
import { openLocalFile, readPart, readUnpacked, type LocalFile } from './local-file.ts'
import type { FileBinding } from './inspect-file.ts'
import { fieldTypeOf, parquetColumns } from './parquet-file.ts'

type FieldType = FieldRule['type']

const SAMPLE_BYTES = 256 * 1024
const SAMPLE_PLACES = 8

/** What is damaged has no address, so it is dropped and counted. */
const WARC_RULES: InputRules = {
  columns: {
    url: { type: 'text', isRequired: true },
    at: { type: 'instant' },
    status: { type: 'integer' },
    mime: { type: 'text' },
    digest: { type: 'text' },
    bytes: { type: 'integer' },
    kind: { type: 'text' },
    offset: { type: 'integer' },
  },
}

/** From narrow to wide; what fits none is text. */
const SHAPES: readonly [FieldType, (value: string) => boolean][] = [
  ['boolean', (value) => /^(?:true|false)$/i.test(value)],
  // Numbers with zeros in front are codes, and beyond 15 digits they may be.
  ['integer', (value) => /^-?(?:0|[1-9][0-9]{0,14})$/.test(value)],
  ['decimal', (value) => /^-?(?:0|[1-9][0-9]{0,11})(?:\.[0-9]{1,6})?$/.test(value)],
  [
    'number',
    (value) => /^-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,2})?$/.test(value),
  ],
  ['date', (value) => /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(value)],
  [
    'instant',
    (value) => /^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.]+(?:Z|[+-][0-9:]+)?)?$/.test(value),
  ],
  ['list', (value) => value.startsWith('[') && pythonList(value) !== null],
  ['json', isJson],
]

export async function inferRules(path: string, binding: FileBinding): Promise<InputRules> {
  if (binding.format === 'parquet') return rulesOfParquet(path)
  if (binding.format === 'warc') return WARC_RULES
  const file = await openLocalFile(path)
  try {
    const records = await sampleOf(file, binding)
    return rulesFor(binding.header, (place) => {
      const values = records.map((record) => trimmed(record[place] ?? ''))
      return typeOf(values.filter((value) => value !== ''))
    })
  } finally {
    await file.close()
  }
}

async function rulesOfParquet(path: string): Promise<InputRules> {
  const columns = await parquetColumns(path)
  return rulesFor(
    columns.map(({ name }) => name),
    (place) => fieldTypeOf(columns[place]!.type),
  )
}

function rulesFor(header: readonly string[], typeAt: (place: number) => FieldType): InputRules {
  const names = columnNames(header)
  const columns = header.map((field, place): [string, FieldRule] => {
    const name = names[place]!
    return [name, { ...(name === field ? {} : { from: field }), type: typeAt(place) }]
  })
  return { columns: Object.fromEntries(columns) }
}

/** Types that the caller knows better than the sample does. */
export function withTypes(
  rules: InputRules,
  types: Readonly<Record<string, FieldType>>,
): InputRules {
  const columns = { ...rules.columns }
  for (const [asked, type] of Object.entries(types)) {
    const found = Object.entries(columns).find(
      ([column, { from }]) => column === asked || from === asked,
    )
    if (!found)
      throw BadInput.missingFields('the file', [
        `"${asked}"${nearNames(asked, Object.keys(columns))}`,
      ])
    columns[found[0]] = { ...found[1], type }
  }
  return { columns }
}

function typeOf(values: readonly string[]): FieldType {
  if (values.length === 0) return 'text'
  return SHAPES.find(([, fits]) => values.every(fits))?.[0] ?? 'text'
}

/** Names that SQL takes without quotes: `review/score` is review_score. */
function columnNames(header: readonly string[]): string[] {
  const taken = new Set<string>()
  return header.map((field, place) => {
    const plain = field
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
      .replaceAll(/^_+|_+$/g, '')
    let name = /^\p{L}/u.test(plain) ? plain : `column_${place + 1}`
    while (taken.has(name)) name = `${name}_${place + 1}`
    taken.add(name)
    return name
  })
}

/** Fields of records at the beginnings of some units: units begin with records. */
async function sampleOf(file: LocalFile, binding: FileBinding): Promise<string[][]> {
  const starts = binding.units.flatMap((unit) => (unit.kind === 'range' ? [unit.from] : []))
  const step = Math.max(1, Math.ceil(starts.length / SAMPLE_PLACES))
  const places = starts.filter((_, place) => place % step === 0)
  const samples: string[][] = []
  for (const from of places) samples.push(...recordsIn(binding, await partAt(file, binding, from)))
  return samples
}

async function partAt(
  file: LocalFile,
  { compression }: FileBinding,
  from: number,
): Promise<Buffer> {
  if (compression === undefined) return readPart(file, from, SAMPLE_BYTES)
  const unpacked = await readUnpacked(file.path, from + SAMPLE_BYTES)
  return unpacked.subarray(from)
}

function recordsIn({ format, header }: FileBinding, part: Buffer): string[][] {
  if (format === 'jsonl') {
    return objectsIn(part).map((object) => header.map((field) => textOf(object[field])))
  }
  const delimiter = delimiterOf(format === 'tsv' ? 'tsv' : 'csv')
  const records: string[][] = []
  for (let at = 0; at < part.length;) {
    const { end } = recordEnd(part, at, FIELD_START, delimiterByte(delimiter))
    // What the sample cut off is not a record, unless it is all there is.
    if (end === null && records.length > 0) break
    const line = part.subarray(at, end ?? part.length).toString('utf8')
    records.push(parseRecord(withoutLineEnd(line), delimiter))
    at = end ?? part.length
  }
  return records.filter((fields) => fields.length === header.length)
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function isJson(value: string): boolean {
  if (!/^[[{]/.test(value)) return false
  try {
    JSON.parse(value)
    return true
  } catch {
    return false
  }
}
