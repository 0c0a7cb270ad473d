import type { ResultFormat } from '@minga/protocol'

/** What results can be had as, the plainest first. */
export const RESULT_FORMATS_SHOWN = ['csv', 'jsonl', 'parquet'] as const satisfies ResultFormat[]
