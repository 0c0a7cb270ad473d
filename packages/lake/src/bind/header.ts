/** The names of a file's fields, and where its records begin. */
import { BadInput } from '../errors.ts'
import {
  delimiterByte,
  FIELD_START,
  parseRecord,
  recordEnd,
  withoutLineEnd,
  type Delimiter,
} from '../split/dialect.ts'
import { trimmed } from '../clean/white-space.ts'
import type { TextFormat } from './file-format.ts'

export interface Header {
  names: string[]
  /** Of the first record, in bytes. */
  from: number
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff')

export const delimiterOf = (format: 'csv' | 'tsv'): Delimiter => (format === 'csv' ? ',' : '\t')

export function readHeader(name: string, format: TextFormat, head: Buffer): Header {
  const mark = head.subarray(0, 3).equals(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0
  if (format === 'jsonl') return { names: namesOfObjects(head.subarray(mark)), from: mark }
  const delimiter = delimiterOf(format)
  const text = head.subarray(mark)
  const { end } = recordEnd(text, 0, FIELD_START, delimiterByte(delimiter))
  const line = text.subarray(0, end ?? text.length).toString('utf8')
  const names = parseRecord(withoutLineEnd(line), delimiter).map(trimmed)
  checkNames(name, names)
  return { names, from: mark + (end ?? text.length) }
}

function checkNames(name: string, names: readonly string[]): void {
  if (names.length === 1 && names[0] === '') throw BadInput.noHeader(name)
  const seen = new Set<string>()
  for (const [place, field] of names.entries()) {
    if (field === '') throw BadInput.namelessField(name, place + 1)
    if (!isNameable(field)) throw BadInput.zeroByte(name, place + 1)
    if (seen.has(field.toLowerCase())) throw BadInput.sameField(name, field)
    seen.add(field.toLowerCase())
  }
}

/** SQL ends at a zero byte, wherever it stands. */
const isNameable = (field: string): boolean => field !== '' && !field.includes('\0')

/** Objects need not have all fields: those of the first lines are known, the rest can be asked for by rules. */
function namesOfObjects(head: Buffer): string[] {
  const names = new Map<string, string>()
  for (const object of objectsIn(head)) {
    for (const name of Object.keys(object)) {
      if (isNameable(name) && !names.has(name.toLowerCase())) names.set(name.toLowerCase(), name)
    }
  }
  return [...names.values()]
}

/** Whole lines that are objects; a line that is none is a reject when it is read. */
export function objectsIn(text: Buffer): Record<string, unknown>[] {
  return text
    .toString('utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        const value: unknown = JSON.parse(line)
        return isObject(value) ? [value] : []
      } catch {
        return []
      }
    })
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
