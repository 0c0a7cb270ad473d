/** What an import asks for. */
import type { FileSummary } from '@minga/protocol'

export type Rules = FileSummary['rules']['columns']

export const FIELD_TYPES = [
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
] as const satisfies Rules[string]['type'][]

const NAME_MOST = 63

/** Names of tables stand in SQL without quotes. */
export function isTableName(name: string): boolean {
  return /^[a-z][a-z0-9_]{0,62}$/.test(name)
}

/** A name that the file suggests: `Books_rating.csv.gz` → `books_rating`. */
export function tableNameOf(fileName: string): string {
  const words = fileName
    .replace(/^.*[\\/]/, '')
    .replace(/(\.(csv|tsv|jsonl|ndjson|parquet|warc|gz))+$/i, '')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[_0-9]+|_+$/g, '')
  return words.slice(0, NAME_MOST)
}

/** How the rows of a version differ from those of the one before it. */
export function changeOf(
  versions: readonly { version: number; rows: number }[],
  place: number,
): number | null {
  const before = versions[place + 1]
  return before === undefined ? null : versions[place]!.rows - before.rows
}
