/** The dialect once more, byte by byte and as plainly as it can be said: what the fast ways are compared with. */
import type { Delimiter } from '../../src/split/dialect.ts'

export interface PlainRecord {
  from: number
  to: number
  fields: string[]
}

/** All records, those without a single byte in their line included. */
export function plainRecords(bytes: Buffer, delimiter: Delimiter): PlainRecord[] {
  const records: PlainRecord[] = []
  let fields: string[] = []
  let field: number[] = []
  let from = 0
  let isQuoted = false
  let wasQuoted = false
  const endField = () => {
    fields.push(Buffer.from(field).toString('utf8'))
    field = []
    wasQuoted = false
  }
  const endRecord = (to: number) => {
    endField()
    records.push({ from, to, fields })
    fields = []
    from = to
  }
  for (let at = 0; at < bytes.length; at += 1) {
    const character = String.fromCharCode(bytes[at]!)
    if (isQuoted && character === '"' && bytes[at + 1] === 0x22) {
      field.push(bytes[at]!)
      at += 1
    } else if (isQuoted && character === '"') {
      isQuoted = false
      wasQuoted = true
    } else if (isQuoted) field.push(bytes[at]!)
    else if (character === '"' && field.length === 0 && !wasQuoted) isQuoted = true
    else if (character === delimiter) endField()
    else if (character === '\n') {
      if (field.at(-1) === 0x0d) field.pop()
      endRecord(at + 1)
    } else field.push(bytes[at]!)
  }
  if (from < bytes.length) endRecord(bytes.length)
  return records
}

/** What a table has of them: empty lines are no records, further fields must be empty, no value is null. */
export function plainRows(
  bytes: Buffer,
  delimiter: Delimiter,
  columns: number,
): (string | null)[][] {
  return plainRecords(bytes, delimiter)
    .map(({ fields }) => fields)
    .filter((fields) => fields.length > 1 || fields[0] !== '')
    .filter((fields) => fields.length >= columns && fields.slice(columns).every((f) => f === ''))
    .map((fields) => fields.slice(0, columns).map((field) => (field === '' ? null : field)))
}
