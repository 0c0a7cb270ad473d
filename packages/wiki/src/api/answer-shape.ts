/** Access to foreign JSON: every read may find anything, and returns null for the unexpected. */

export type Json = Record<string, unknown>

export function asObject(value: unknown): Json | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Json)
    : null
}

export function objectAt(from: Json | null, key: string): Json | null {
  return from !== null && Object.hasOwn(from, key) ? asObject(from[key]) : null
}

/** Lists are arrays, or objects keyed by id in the older form of answers. */
export function listAt(from: Json | null, key: string): Json[] {
  const value = from === null ? undefined : from[key]
  const items: unknown[] = Array.isArray(value) ? value : Object.values(asObject(value) ?? {})
  return items.map(asObject).filter((item) => item !== null)
}

export function textAt(from: Json | null, key: string): string | null {
  const value = from?.[key]
  return typeof value === 'string' ? value : null
}

export function numberAt(from: Json | null, key: string): number | null {
  const value = from?.[key]
  if (typeof value === 'string' && /^-?\d{1,16}$/.test(value)) return Number(value)
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : null
}

/** Flags are `true` and `false`, or, in the older form, an empty text and nothing at all. */
export function flagAt(from: Json | null, key: string): boolean {
  const value = from?.[key]
  return value !== undefined && value !== null && value !== false
}

/** `2020-01-31T12:00:00Z`, or the fourteen digits of the database. */
export function timeAt(from: Json | null, key: string): number | null {
  const text = textAt(from, key) ?? ''
  const digits = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(text)
  const [, year, month, day, hour, minute, second] = digits ?? []
  const at = Date.parse(
    digits === null ? text : `${year}-${month}-${day}T${hour}:${minute}:${second}Z`,
  )
  return Number.isNaN(at) || !/\d{4}/.test(text) ? null : at
}
