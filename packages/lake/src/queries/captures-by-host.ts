import { count, defineQuery, scan, sum } from '../plan/define-query.ts'

export const query = defineQuery({
  name: 'captures-by-host',
  about: 'Captures, errors and bytes by host and country',
  inputs: { captures: { table: 'captures' } },
  from: scan('captures')
    .project({
      host: 'host',
      country: 'country',
      bytes: 'bytes',
      error: 'CASE WHEN status >= 400 THEN 1 END',
    })
    .group(['host', 'country'], { captures: count(), errors: count('error'), bytes: sum('bytes') }),
  output: {
    columns: ['host', 'country', 'captures', 'errors', 'bytes'],
    order: [{ column: 'bytes', descending: true }, { column: 'host' }],
  },
})
