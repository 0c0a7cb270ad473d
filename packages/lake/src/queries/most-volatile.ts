import { avg, count, defineQuery, max, scan } from '../plan/define-query.ts'

export const query = defineQuery({
  name: 'most-volatile',
  about: 'Pages that changed most often, and how much of their content changed on average',
  inputs: { changes: { table: 'changes' } },
  parameters: { top: { type: 'integer', default: 50, about: 'How many pages' } },
  from: scan('changes')
    .filter('is_counted')
    // Magnitudes are floating point, of which sums would hang on the order of rows: six decimals are enough.
    .project({ url: 'url', at: 'at', content: 'CAST(content AS DECIMAL(9,6))' })
    .group(['url'], { changes: count(), content: avg('content'), lastAt: max('at') })
    .top('$top', [
      { column: 'changes', descending: true },
      { column: 'content', descending: true },
      { column: 'url' },
    ]),
  output: {
    columns: ['url', 'changes', 'content', 'lastAt'],
    order: [
      { column: 'changes', descending: true },
      { column: 'content', descending: true },
      { column: 'url' },
    ],
  },
})
