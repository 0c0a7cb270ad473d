import { count, defineQuery, distinct, scan, sum } from '../plan/define-query.ts'

export const query = defineQuery({
  name: 'busiest-domains',
  about: 'Domains with the most captures',
  inputs: { captures: { table: 'captures' } },
  parameters: { top: { type: 'integer', default: 20, about: 'How many domains' } },
  from: scan('captures')
    .group(['domain'], { captures: count(), addresses: distinct('url'), bytes: sum('bytes') })
    .top('$top', [{ column: 'captures', descending: true }, { column: 'domain' }]),
  output: {
    columns: ['domain', 'captures', 'addresses', 'bytes'],
    order: [{ column: 'captures', descending: true }, { column: 'domain' }],
  },
})
