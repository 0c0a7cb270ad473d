import { count, defineQuery, distinct, max, min, scan } from '../plan/define-query.ts'

export const query = defineQuery({
  name: 'top-editors',
  about: 'Editors of each wiki with the most revisions',
  inputs: { revisions: { table: 'revisions' } },
  parameters: { top: { type: 'integer', default: 100, about: 'How many editors' } },
  from: scan('revisions')
    .filter('editor IS NOT NULL')
    .group(['wiki', 'editor'], {
      edits: count(),
      pages: distinct('page_id'),
      firstAt: min('at'),
      lastAt: max('at'),
    })
    .top('$top', [{ column: 'edits', descending: true }, { column: 'wiki' }, { column: 'editor' }]),
  output: {
    columns: ['wiki', 'editor', 'edits', 'pages', 'firstAt', 'lastAt'],
    order: [{ column: 'edits', descending: true }, { column: 'wiki' }, { column: 'editor' }],
  },
})
