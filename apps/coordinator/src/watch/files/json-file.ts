/** Watches as JSON: `{"kind":"minga-watches","version":1,"watches":[…]}`, or the list alone. */
import type { ReadFile, WatchEntry } from './watch-entry.ts'

const KIND = 'minga-watches'
const CODE = 'MINGA_BAD_WATCH_FILE'

export function jsonOf(entries: readonly WatchEntry[]): string {
  return `${JSON.stringify({ kind: KIND, version: 1, watches: entries }, null, 2)}\n`
}

export function readJson(text: string): ReadFile {
  let parsed: unknown
  try {
    parsed = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    return failed(`This is no JSON: ${(error as Error).message}`)
  }
  const watches = Array.isArray(parsed) ? parsed : (parsed as { watches?: unknown } | null)?.watches
  if (!Array.isArray(watches)) return failed('There is no list of watches in it.')
  const read: ReadFile = { entries: [], problems: [] }
  for (const [i, request] of watches.entries()) {
    const line = i + 1
    if (typeof request === 'object' && request !== null) {
      read.entries.push({ line, request, folders: [] })
    } else read.problems.push({ line, code: CODE, message: 'The entry is no object.' })
  }
  return read
}

function failed(message: string): ReadFile {
  return { entries: [], problems: [{ line: 1, code: CODE, message }] }
}
