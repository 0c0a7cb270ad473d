/** A list that is read page by page, each page after the last row of the one before. */
import { useInfiniteQuery } from '@tanstack/react-query'

export interface Pages<Row> {
  /** For `Loaded`. */
  query: { data: Row[] | undefined; error: Error | null }
  hasMore: boolean
  readMore: () => void
}

interface PagesOptions<Row, Cursor> {
  key: readonly unknown[]
  rows: number
  read: (after: Cursor | null, limit: number) => Promise<Row[]>
  cursorOf: (last: Row) => Cursor
  everyMs?: number
}

export function usePages<Row, Cursor>(options: PagesOptions<Row, Cursor>): Pages<Row> {
  const { key, rows, read, cursorOf, everyMs } = options
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) => read(pageParam as Cursor | null, rows),
    initialPageParam: null as Cursor | null,
    getNextPageParam: (page) => (page.length < rows ? undefined : cursorOf(page.at(-1)!)),
    refetchInterval: everyMs ?? false,
  })
  return {
    query: { data: data?.pages.flat(), error },
    hasMore: hasNextPage,
    readMore: () => void fetchNextPage(),
  }
}
