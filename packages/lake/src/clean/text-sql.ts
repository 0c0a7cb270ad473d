/** Texts in DuckDB's words: trimmed of white space, or as they are; null when nothing is in them. */
import { sqlText } from '../kernel/sql-text.ts'
import { whiteSpaceOf } from './white-space.ts'

const SPACE = whiteSpaceOf('re2')

// Nearly all texts begin and end with a visible character of ASCII: a look at both costs a third of any trimming.
const isVisible = (character: string): string => `${character} BETWEEN '!' AND '~'`

export const textMacros: readonly string[] = [
  `CREATE OR REPLACE TEMP MACRO clean_text(x) AS CASE
    WHEN ${isVisible('x[1]')} AND ${isVisible('x[-1]')} THEN x
    ELSE nullif(regexp_replace(x, ${sqlText(`^[${SPACE}]+|[${SPACE}]+$`)}, '', 'g'), '') END`,
  `CREATE OR REPLACE TEMP MACRO whole_text(x) AS nullif(x, '')`,
]
