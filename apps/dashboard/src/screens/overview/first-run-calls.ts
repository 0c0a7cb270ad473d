/** Calls of the first steps, in addition to those of the screens. */
import { call } from '../../api/call.ts'
import { station } from '../../api/station.ts'

export interface SmallAnswer {
  columns: { name: string; type: string }[]
  rows: unknown[][]
  isCut: boolean
}

const ROWS_SHOWN = 8
const QUERIES_LOOKED_AT = 20

export const askSmall = (sql: string): Promise<SmallAnswer> =>
  call('POST', '/sql', { sql, rowsMax: ROWS_SHOWN })

export const readAskedQueries = (): Promise<{ kind: string }[]> =>
  station('GET /queries', { query: { limit: QUERIES_LOOKED_AT } })
