/** The records of a slice as rows of DuckDB, every field a text. Nothing is guessed from what the file holds. */
import { sqlName, sqlText } from './sql-text.ts'

export interface RawRows {
  at: string
  /** All fields of a record, in their order. */
  header: readonly string[]
  /** Columns that will be read. */
  needed: readonly string[]
  /** No record is longer, in bytes. */
  longest: number
}

/** Tables in which DuckDB notes the records that it rejects. */
export const TORN = '_torn'
export const TORN_SCANS = '_torn_scans'

/** Buffers of twice that: larger ones are not faster, only larger, unless a record is longer. */
const USUAL_RECORD_BYTES = 4 * 1024 * 1024

/**
 * The slice is well-formed (see split/repair-csv.ts), so the strict reader agrees with our dialect about
 * every record; it rejects those with too few or too many fields.
 */
export function csvRows({ at, header, longest }: RawRows, delimiter: ',' | '\t'): string {
  const recordBytes = Math.max(USUAL_RECORD_BYTES, longest) + 1
  const columns = header.map((name) => `${sqlText(name)}: 'VARCHAR'`)
  const options = [
    'auto_detect = false',
    // Else it guesses where records begin at the borders of its buffers, even with one thread, and takes the lines of
    // a quoted text for records when they look like some.
    'parallel = false',
    'header = false',
    `delim = ${sqlText(delimiter)}`,
    `quote = '"'`,
    `escape = '"'`,
    `new_line = '\\n'`,
    'strict_mode = true',
    'null_padding = false',
    'ignore_errors = true',
    'store_rejects = true',
    `rejects_table = ${sqlText(TORN)}`,
    `rejects_scan = ${sqlText(TORN_SCANS)}`,
    `max_line_size = ${recordBytes}`,
    `buffer_size = ${2 * recordBytes}`,
    `columns = {${columns.join(', ')}}`,
  ]
  return `SELECT *, NULL::VARCHAR AS _broken FROM read_csv(${sqlText(at)}, ${options.join(', ')})`
}

/** A line that is no object is broken; a field that is no text is its JSON. All fields in one look at the line. */
export function jsonlRows({ at, needed, longest }: RawRows): string {
  const recordBytes = Math.max(3 * USUAL_RECORD_BYTES, longest) + 1
  const options = `format = 'newline_delimited', ignore_errors = true, maximum_object_size = ${recordBytes}`
  const pointers = needed.map((name) => sqlText(jsonPointer(name)))
  const fields = needed.map((name, place) => `_fields[${place + 1}] AS ${sqlName(name)}`)
  const taken = needed.length === 0 ? 'NULL' : `json_extract_string(json, [${pointers.join(', ')}])`
  const broken = `CASE WHEN json IS NULL OR json_type(json) <> 'OBJECT' THEN 'row:not-json' END`
  return `SELECT ${[...fields, '_broken'].join(', ')} FROM (
    SELECT ${taken} AS _fields, ${broken} AS _broken FROM read_json_objects(${sqlText(at)}, ${options}))`
}

/** RFC 6901: the only way to a field whose name may hold anything. */
const jsonPointer = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
