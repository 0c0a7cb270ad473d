/** Tables that scraping fills. */
import type { Column } from '@minga/lake'
import type { ExtractRule, ExtractSpec } from '@minga/protocol'

const GIVEN: Column[] = [
  { name: 'capture', type: 'BIGINT' },
  { name: 'url', type: 'VARCHAR' },
  { name: 'at', type: 'TIMESTAMP' },
]

const TYPES: Record<ExtractRule['type'], string> = {
  text: 'VARCHAR',
  integer: 'BIGINT',
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
  instant: 'TIMESTAMP',
}

export const columnsOf = ({ rules }: ExtractSpec): Column[] => [
  ...GIVEN,
  ...rules.map(({ field, type, list }) => ({
    name: field,
    type: list ? 'VARCHAR[]' : TYPES[type],
  })),
]

/** `is_dropped`: the capture is no row; else only the field is empty. */
export const REJECT_COLUMNS: Column[] = [
  ...GIVEN,
  { name: 'reason', type: 'VARCHAR' },
  { name: 'is_dropped', type: 'BOOLEAN' },
]

export const rejectsOf = (table: string): string => `${table}_rejects`
