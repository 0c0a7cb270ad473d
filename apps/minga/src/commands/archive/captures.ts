/** The captures table, page by page, so that an archive of any size passes through little memory. */
import type { CaptureQuery, CaptureRow } from '@minga/coordinator'
import type { Api } from '../../api.ts'

type ReadPage = (query: CaptureQuery) => Promise<CaptureRow[]>

/** Rows per question: quick for a reader of the first lines, few questions for a million. */
const PAGE_ROWS = 2_000

export function pagesOf(api: Api): ReadPage {
  return (query) => {
    const asked = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) asked.set(name, String(value))
    return api.get<CaptureRow[]>(`/captures?${asked.toString()}`)
  }
}

export async function* capturesOf(
  read: ReadPage,
  query: Pick<CaptureQuery, 'url' | 'collectionId'>,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<CaptureRow> {
  let after: Pick<CaptureQuery, 'afterId' | 'afterAt'> = {}
  for (let left = limit; left > 0;) {
    const pageRows = Math.min(left, PAGE_ROWS)
    const rows = await read({ ...query, ...after, limit: pageRows })
    yield* rows
    left -= rows.length
    const last = rows.at(-1)
    if (!last || rows.length < pageRows) return
    after = { afterId: last.id, ...(query.url === undefined ? {} : { afterAt: last.capturedAt }) }
  }
}
