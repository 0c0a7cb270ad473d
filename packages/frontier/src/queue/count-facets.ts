/** What was captured, by family of media types, status and depth: the bars of a collection's page. */
import type { Sql, Value } from '@minga/store'
import type { Accepted } from '../settle/accept.ts'

/** In the order in which they are asked; a family takes what the ones before it left. */
const FAMILIES: readonly [name: string, isOf: RegExp][] = [
  ['html', /^(text\/html|application\/xhtml\+xml)$/],
  ['style', /^text\/css$/],
  ['script', /javascript/],
  ['json', /json/],
  ['image', /^image\//],
  ['video', /^video\//],
  ['audio', /^audio\//],
  ['font', /font/],
  ['pdf', /^application\/pdf$/],
  ['xml', /xml/],
  ['text', /^text\//],
]

/** One of a dozen: a site chooses its media types, and may choose a new one for each page. */
function familyOf(mime: string): string {
  const type = mime.toLowerCase()
  return FAMILIES.find(([, isOf]) => isOf.test(type))?.[0] ?? 'other'
}

/** Deeper ones are counted together. */
const DEPTH_MOST = 100

interface Bar {
  count: number
  bytes: number
}

/** To be called with those results of which a capture was kept. */
export async function countFacets(sql: Sql, kept: readonly Accepted[]): Promise<void> {
  const bars = new Map<string, { key: Value[]; bar: Bar }>()
  const add = (key: Value[], bytes: number): void => {
    const name = key.join(' ')
    const { bar } = bars.get(name) ?? { bar: { count: 0, bytes: 0 } }
    bars.set(name, { key, bar: { count: bar.count + 1, bytes: bar.bytes + bytes } })
  }
  for (const { result, lease, url } of kept) {
    if (result.type !== 'captured') continue
    const { payloadBytes: bytes } = result
    add([lease.collection_id, 'type', familyOf(result.mime)], bytes)
    add([lease.collection_id, 'status', String(result.status)], bytes)
    if (url !== null && url.kind !== 'robots') {
      add([lease.collection_id, 'depth', String(Math.min(url.depth, DEPTH_MOST))], bytes)
    }
  }
  // All writers use one order: two uploads must not wait for each other.
  const rows = [...bars].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
  if (rows.length === 0) return
  await sql.run(
    `INSERT INTO collection_facets (collection_id, facet, value, count, bytes)
     VALUES ${rows.map(() => '(?, ?, ?, ?, ?)').join(', ')}
     ON CONFLICT (collection_id, facet, value) DO UPDATE SET
       count = collection_facets.count + excluded.count,
       bytes = collection_facets.bytes + excluded.bytes`,
    rows.flatMap(({ key, bar }) => [...key, bar.count, bar.bytes]),
  )
}
