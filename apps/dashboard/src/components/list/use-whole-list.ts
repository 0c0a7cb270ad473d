/**
 * A list that stays small by its nature, read as a whole although the station gives it in pages: so
 * it can be sorted and filtered by everything it has. One that can grow long is read by pages instead.
 */
import { useQuery } from '@tanstack/react-query'
import type { ReadPage } from './list-rows.ts'
import { readWhole } from './whole-rows.ts'

const ROWS_A_PAGE = 1_000
/** Many more than a person makes manually; the foot of the list says when there are more. */
const ROWS_MAX = 10_000
/** A longer list is read again when the user returns to it, not every few seconds. */
const RENEWED_ROWS_MAX = 1_000

interface WholeList<Row> {
  key: readonly unknown[]
  read: ReadPage<Row>
  everyMs?: number
}

export function useWholeList<Row>({ key, read, everyMs }: WholeList<Row>) {
  const { data, error, dataUpdatedAt, refetch } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => readWhole(read, { signal, rowsAPage: ROWS_A_PAGE, rowsMax: ROWS_MAX }),
    refetchInterval: ({ state }) =>
      (state.data?.rows.length ?? 0) > RENEWED_ROWS_MAX ? false : (everyMs ?? false),
  })
  return { data: data?.rows, hasUnread: data?.hasUnread ?? false, error, dataUpdatedAt, refetch }
}
