/** Watches by what they have in common. */
import type { WatchGroupView } from '@minga/protocol'
import type { Sql } from '@minga/store'

export const GROUPINGS = ['category', 'owner', 'subject'] as const
export type Grouping = (typeof GROUPINGS)[number]

const KEY: Record<Grouping, { key: string; name: string; join: string }> = {
  category: {
    key: 'CAST(w.category AS TEXT)',
    name: 'g.name',
    join: 'LEFT JOIN watch_categories g ON g.code = w.category',
  },
  owner: { key: 'c.owner', name: 'c.owner', join: '' },
  subject: { key: 'w.subject', name: 'w.subject', join: '' },
}

/** The largest first; the key is what `listWatches` takes to list a group's members. */
export function watchGroups(sql: Sql, { by }: { by: Grouping }): Promise<WatchGroupView[]> {
  const { key, name, join } = KEY[by]
  return sql.all<WatchGroupView>(
    `SELECT ${key} AS key, ${name} AS name, COUNT(*) AS watches,
       CAST(SUM(w.is_active) AS BIGINT) AS active,
       CAST(SUM(c.captures) AS BIGINT) AS captures, CAST(SUM(c.bytes) AS BIGINT) AS bytes
     FROM watches w JOIN collections c ON c.id = w.collection_id ${join}
     GROUP BY ${key}, ${name} ORDER BY watches DESC, key`,
  )
}
