/** A watch as written to a file: everything the user configured, nothing that was found. */
import type { watchRequest, WatchRequest } from '@minga/protocol'

export const FILE_FORMATS = ['opml', 'csv', 'json'] as const
export type FileFormat = (typeof FILE_FORMATS)[number]

export type WatchEntry = Omit<ReturnType<typeof watchRequest.parse>, 'name'> & { name: string }

/** Somewhere in a file, by its line; of a JSON file, by the number of the entry. */
export interface FileProblem {
  line: number
  code: string
  message: string
}

export interface ReadEntry {
  line: number
  request: WatchRequest
  /** Names of the folders around it, outermost first: perhaps a category's. */
  folders: readonly string[]
}

export interface ReadFile {
  entries: ReadEntry[]
  problems: FileProblem[]
}

type Kind = 'text' | 'number' | 'boolean' | 'list'

/** In the order of columns and attributes. */
const ENTRY_FIELDS: Readonly<Record<keyof WatchEntry, Kind>> = {
  name: 'text',
  subject: 'text',
  urls: 'list',
  feeds: 'list',
  sitemaps: 'list',
  category: 'number',
  observations: 'text',
  isActive: 'boolean',
  periodMs: 'number',
  policy: 'text',
  importance: 'number',
  budgetShare: 'number',
  floorMs: 'number',
  threshold: 'number',
  includeSelectors: 'list',
  excludeSelectors: 'list',
  scope: 'text',
  include: 'list',
  exclude: 'list',
  maxPages: 'number',
  maxBytes: 'number',
  maxTimeS: 'number',
  delayMs: 'number',
  politeness: 'text',
  delayMinMs: 'number',
}

export const ENTRY_NAMES = Object.keys(ENTRY_FIELDS) as (keyof WatchEntry)[]

/** What is nothing is written as nothing. */
export function fieldText(value: WatchEntry[keyof WatchEntry]): string {
  if (value === null) return ''
  return Array.isArray(value) ? listText(value) : String(value)
}

/**
 * One value per line, as people write it. A list that would be read otherwise (an empty value, a line
 * break inside one, a line that looks like JSON) is written as JSON.
 */
function listText(values: readonly string[]): string {
  const lines = values.join('\n')
  const isPlain = JSON.stringify(listIn(lines)) === JSON.stringify(values)
  return isPlain ? lines : JSON.stringify(values)
}

function listIn(text: string): string[] {
  if (text.startsWith('[')) {
    const parsed = parsedOrNull(text)
    if (Array.isArray(parsed) && parsed.every((value) => typeof value === 'string')) return parsed
  }
  return text.split(/\r\n|\r|\n/).filter((line) => line !== '')
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** As `fieldText` wrote it; what cannot be read stays text, and is refused with its field's name. */
export function fieldIn(name: keyof WatchEntry, text: string): unknown {
  switch (ENTRY_FIELDS[name]) {
    case 'list':
      return listIn(text)
    case 'number':
      return Number.isNaN(Number(text)) ? text : Number(text)
    case 'boolean':
      return /^(true|yes|1)$/i.test(text) ? true : /^(false|no|0)$/i.test(text) ? false : text
    case 'text':
      return text
  }
}
