/** What kind of file is it? Its name says it, else its first bytes do. */
import type { InputFormat } from '../model.ts'

export type TextFormat = 'csv' | 'tsv' | 'jsonl'

const ENDINGS: Readonly<Record<string, InputFormat>> = {
  csv: 'csv',
  tsv: 'tsv',
  tab: 'tsv',
  jsonl: 'jsonl',
  ndjson: 'jsonl',
  parquet: 'parquet',
  warc: 'warc',
}

export const isText = (format: InputFormat): format is TextFormat =>
  format === 'csv' || format === 'tsv' || format === 'jsonl'

/** Gzip: two bytes of its own and the only method there is. */
export const isPacked = (head: Buffer): boolean =>
  head[0] === 0x1f && head[1] === 0x8b && head[2] === 0x08

export function formatOf(name: string, head: Buffer): InputFormat {
  const ending = /\.([a-z]+)(?:\.gz)?$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  return ENDINGS[ending] ?? formatByContent(head)
}

function formatByContent(head: Buffer): InputFormat {
  if (head.subarray(0, 4).toString('latin1') === 'PAR1') return 'parquet'
  if (head.subarray(0, 5).toString('latin1') === 'WARC/') return 'warc'
  const text = head.toString('utf8').trimStart()
  if (text.startsWith('{')) return 'jsonl'
  const line = text.split('\n', 1)[0] ?? ''
  return line.split('\t').length > line.split(',').length ? 'tsv' : 'csv'
}
