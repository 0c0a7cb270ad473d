/** What an address inside the archive asks for, behind the question mark. */
export interface ArchiveParams {
  url?: string
  /** A moment in milliseconds. */
  at?: number
  /** Times of captures or versions (`3/1`). */
  before?: string
  after?: string
  /** Whether everything counts in a comparison. */
  raw?: boolean
}

export function parseArchiveParams(search: Record<string, unknown>): ArchiveParams {
  const at = Number(textOf(search['at']) ?? Number.NaN)
  const [url, before, after] = ['url', 'before', 'after'].map((name) => textOf(search[name]))
  return {
    ...(url === undefined ? {} : { url }),
    ...(Number.isFinite(at) ? { at } : {}),
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
    ...(search['raw'] === true || search['raw'] === 'true' ? { raw: true } : {}),
  }
}

/** The router reads what looks like a number as one, as times of captures do. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

/** `20260131120000`, as the archive writes times in its addresses. */
export function timestampOf(at: number): string {
  return new Date(at).toISOString().replaceAll(/\D/g, '').slice(0, 14)
}
