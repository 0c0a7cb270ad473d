/** What running a crawl again changes of the collection that it continues, in a line for the terminal. */
import type { CollectionSpec, ExistingCollection } from '@minga/protocol'
import { formatBytes } from '../../progress.ts'

/** What each setting is called here; the others keep the name that the API gives them. */
const NAMES: Partial<Record<keyof CollectionSpec, string>> = {
  maxPages: 'limit',
  maxDepth: 'depth',
  maxBytes: 'limit of bytes',
  maxTimeS: 'limit of time',
  maxPagesPerHost: 'pages per host',
  maxBytesPerHost: 'bytes per host',
  maxTimePerHostS: 'time per host',
  bytesPerSecond: 'bandwidth',
  bytesPerSecondPerHost: 'bandwidth per host',
  delayMs: 'delay',
  delayMinMs: 'shortest delay',
  inFlightPerHost: 'in flight per host',
}

/** Empty for a new collection, and for one that is continued with the settings it has. */
export function describeExisting({ collection, changes }: ExistingCollection): string {
  const fields = Object.keys(changes.after)
  if (collection === null || fields.length === 0) return ''
  const said = fields.map((field) => {
    const name = NAMES[field as keyof CollectionSpec] ?? field
    return `${name} ${valueIn(field, changes.before[field])} → ${valueIn(field, changes.after[field])}`
  })
  return `minga: continues collection ${collection.id}: ${said.join(', ')}\n`
}

function valueIn(field: string, value: unknown): string {
  if (value === null || value === undefined) return 'none'
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(' ')
  if (typeof value !== 'number') return 'a file'
  if (field.endsWith('Ms')) return `${value} ms`
  if (field.endsWith('S')) return `${value} s`
  return /bytes/i.test(field) ? formatBytes(value) : String(value)
}
