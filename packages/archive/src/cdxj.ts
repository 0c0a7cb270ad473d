/**
 * CDXJ: one line per capture, `<SURT> <timestamp> <JSON>`, sorted byte by byte so that every
 * tool can search the file by halving it. Lines are pure ASCII (JSON escapes the rest), which
 * makes the order of JavaScript strings the order of bytes.
 */

import { surt } from '@minga/net'
import type { Instant } from '@minga/protocol'
import { writableDate } from './writable-time.ts'

export interface CdxjEntry {
  /** 14 digits (seconds) or 17 (milliseconds), UTC. */
  timestamp: string
  url: string
  /** `warc/revisit` for revisits: replay tools look for the original when they see it. */
  mime: string
  /** HTTP status, or `-`. */
  status: string
  digest: string
  length: number
  offset: number
  filename: string
}

/**
 * Never throws: one row with an impossible time would make every index that holds it unreadable.
 * A time that fourteen digits cannot write becomes the nearest one that they can.
 */
export function cdxjTimestamp(at: Instant, digits: 14 | 17 = 14): string {
  return writableDate(at).toISOString().replaceAll(/\D/g, '').slice(0, digits)
}

/** Null when it is not a date. Missing parts count as their first value: `2026` is its New Year. */
export function parseTimestamp(digits: string): Instant | null {
  if (!/^\d{4}(?:\d\d){0,5}$|^\d{17}$/.test(digits)) return null
  const full = digits + '00000101000000000'.slice(digits.length)
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{3})$/.exec(full)
  if (!parts) return null
  const [, year, month, day, hour, minute, second, ms] = parts
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`)
  return Number.isNaN(at) ? null : at
}

/** The last millisecond that a time covers: `2026` ends with its last second's. */
export function endOfTimestamp(digits: string): Instant | null {
  const start = parseTimestamp(digits)
  if (start === null) return null
  const date = new Date(start)
  if (digits.length === 4) return Date.UTC(date.getUTCFullYear() + 1, 0) - 1
  if (digits.length === 6) return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) - 1
  return start + (LENGTHS_MS[digits.length] ?? 1) - 1
}

/** The same of times as people write them: 2026, 20260131, 2026-01-31, 2026-01-31T12:00:00+01:00. */
export function endOfTime(written: string): Instant | null {
  const digits = written.replace(/Z$/, '').replaceAll(/[-:T. ]/g, '')
  const end = /^\d+$/.test(digits) ? endOfTimestamp(digits) : null
  if (end !== null) return end
  // What is left has an offset, such as +02:00.
  const exact = /^\d{4}-\d\d-\d\dT/.test(written) ? Date.parse(written) : Number.NaN
  if (Number.isNaN(exact)) return null
  return exact % 1_000 === 0 ? exact + 999 : exact
}

const LENGTHS_MS: Record<number, number> = { 8: 86_400_000, 10: 3_600_000, 12: 60_000, 14: 1_000 }

/** An index made by others keeps its own keys, or it would no longer be in order. */
export function cdxjLine(entry: CdxjEntry, key: string = searchKey(entry.url)): string {
  const { timestamp, url, mime, status, digest, length, offset, filename } = entry
  // Strings throughout, in pywb's order: readers that compare lines as text depend on both.
  const fields = { url, mime, status, digest, length: `${length}`, offset: `${offset}`, filename }
  const json = JSON.stringify(fields).replaceAll(BEYOND_ASCII, escapeUnit)
  return `${key} ${timestamp} ${json}`
}

/** The first column: SURT, with what would break the line or its order percent-encoded. */
export function searchKey(url: string): string {
  const key = surt(url)
  return UNSAFE_IN_KEY.test(key) ? key.replaceAll(UNSAFE_IN_KEY_ALL, percentEncode) : key
}

const UNSAFE_IN_KEY = /[^\x21-\x7e]/
const UNSAFE_IN_KEY_ALL = /[^\x21-\x7e]+/g
const BEYOND_ASCII = /[^\x20-\x7e]/g

function percentEncode(unsafe: string): string {
  return Array.from(Buffer.from(unsafe), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(
    '',
  )
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

export interface ParsedCdxjLine extends CdxjEntry {
  key: string
}

/** Null for header lines and for what cannot be understood. */
export function parseCdxjLine(line: string): ParsedCdxjLine | null {
  const parts = /^(\S+) (\d{14}|\d{17}) (\{.*\})\s*$/s.exec(line)
  if (!parts) return null
  const fields = parseFields(parts[3]!)
  const url = text(fields?.['url'])
  const filename = text(fields?.['filename'])
  const offset = count(fields?.['offset'])
  if (!fields || url === null || filename === null || offset === null) return null
  return {
    key: parts[1]!,
    timestamp: parts[2]!,
    url,
    mime: text(fields['mime']) ?? 'unk',
    status: text(fields['status']) ?? '-',
    digest: text(fields['digest']) ?? '-',
    length: count(fields['length']) ?? 0,
    offset,
    filename,
  }
}

function parseFields(json: string): Record<string, unknown> | null {
  try {
    return JSON.parse(json) as Record<string, unknown>
  } catch {
    return null
  }
}

/** Some writers give numbers where pywb gives strings. */
function text(value: unknown): string | null {
  if (typeof value === 'string') return value
  return typeof value === 'number' ? String(value) : null
}

function count(value: unknown): number | null {
  const digits = text(value)
  return digits !== null && /^\d{1,15}$/.test(digits) ? Number(digits) : null
}
