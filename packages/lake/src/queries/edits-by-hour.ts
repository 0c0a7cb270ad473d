import { count, defineQuery, distinct, scan } from '../plan/define-query.ts'

export const query = defineQuery({
  name: 'edits-by-hour',
  about: 'Revisions of each wiki by weekday (1 is Monday) and hour, in UTC',
  inputs: { revisions: { table: 'revisions' } },
  from: scan('revisions')
    .project({ wiki: 'wiki', weekday: 'isodow("at")', hour: 'hour("at")', editor: 'editor' })
    .group(['wiki', 'weekday', 'hour'], { edits: count(), editors: distinct('editor') }),
  output: {
    columns: ['wiki', 'weekday', 'hour', 'edits', 'editors'],
    order: [{ column: 'wiki' }, { column: 'weekday' }, { column: 'hour' }],
  },
})
