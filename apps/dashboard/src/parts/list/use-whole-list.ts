/**
 * A list that stays small by its nature, read as a whole although the station gives it in pages: so
 * it can be sorted and filtered by everything it has.
 */
import { useQuery } from '@tanstack/react-query'
import { walkPages, type ReadPage } from './list-rows.ts'

const ROWS_A_PAGE = 1_000
/** Many more than a person makes by hand; what is beyond is left out. A list that can grow so long is read by pages. */
const ROWS_MAX = 10_000
/** A longer one is read again when somebody comes back to it, not every few seconds. */
const RENEWED_ROWS_MAX = 1_000

interface WholeList<Row> {
  key: readonly unknown[]
  read: ReadPage<Row>
  everyMs?: number
}

export function useWholeList<Row>({ key, read, everyMs }: WholeList<Row>) {
  return useQuery({
    queryKey: key,
    queryFn: ({ signal }) => readWhole(read, signal),
    refetchInterval: ({ state }) =>
      (state.data?.length ?? 0) > RENEWED_ROWS_MAX ? false : (everyMs ?? false),
  })
}

function readWhole<Row>(read: ReadPage<Row>, gone: AbortSignal): Promise<Row[]> {
  const enough = new AbortController()
  const question = {
    text: '',
    filters: {},
    spans: {},
    sort: '',
    cursor: null,
    limit: ROWS_A_PAGE,
  }
  return walkPages(read, question, {
    signal: AbortSignal.any([gone, enough.signal]),
    onCount: (count) => {
      if (count >= ROWS_MAX) enough.abort()
    },
  })
}
