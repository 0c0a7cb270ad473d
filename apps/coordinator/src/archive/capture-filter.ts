/**
 * Selects captures by the user's criteria, as SQL conditions on the table that a query calls `c`.
 */
import type { Value } from '@minga/store'

export const CAPTURE_TYPES = ['page', 'image', 'style', 'script', 'data', 'media', 'other'] as const
export type CaptureType = (typeof CAPTURE_TYPES)[number]

export interface CaptureFilter {
  /** Part of an address or of a title. */
  text: string | null
  /** The hundreds of a status: 2 is 200 to 299. */
  status: number | null
  type: CaptureType | null
  kind: 'response' | 'revisit' | null
  /** Both included. */
  fromAt: number
  toAt: number
}

const KNOWN: Record<Exclude<CaptureType, 'other'>, string> = {
  page: `c.mime IN ('text/html', 'application/xhtml+xml')`,
  image: `c.mime LIKE 'image/%'`,
  style: `c.mime = 'text/css'`,
  script: `c.mime LIKE '%javascript%'`,
  data: `(c.mime IN ('text/plain', 'text/csv', 'application/pdf') OR c.mime LIKE '%json%'
    OR (c.mime LIKE '%xml%' AND c.mime <> 'application/xhtml+xml' AND c.mime NOT LIKE 'image/%'))`,
  media: `(c.mime LIKE 'audio/%' OR c.mime LIKE 'video/%')`,
}

const conditionOf = (type: CaptureType): string =>
  type === 'other' ? `NOT (${Object.values(KNOWN).join(' OR ')})` : KNOWN[type]

export const NO_FILTER: CaptureFilter = {
  text: null,
  status: null,
  type: null,
  kind: null,
  fromAt: 0,
  toAt: Number.MAX_SAFE_INTEGER,
}

/** Empty when everything is wanted; begins with AND otherwise. */
export function conditionsOf(filter: CaptureFilter): { where: string; params: Value[] } {
  const where: string[] = []
  const params: Value[] = []
  const and = (condition: string, ...values: Value[]): void => {
    where.push(`AND ${condition}`)
    params.push(...values)
  }
  if (filter.fromAt > NO_FILTER.fromAt || filter.toAt < NO_FILTER.toAt) {
    and('c.captured_at BETWEEN ? AND ?', filter.fromAt, filter.toAt)
  }
  if (filter.status !== null) {
    and('c.status BETWEEN ? AND ?', filter.status * 100, filter.status * 100 + 99)
  }
  if (filter.type !== null) and(conditionOf(filter.type))
  if (filter.kind !== null) and('c.kind = ?', filter.kind)
  for (const word of (filter.text ?? '').toLowerCase().split(/\s+/).filter(Boolean)) {
    const part = `%${word.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`
    and(`(LOWER(c.url) LIKE ? ESCAPE '\\' OR LOWER(c.title) LIKE ? ESCAPE '\\')`, part, part)
  }
  return { where: where.join(' '), params }
}
