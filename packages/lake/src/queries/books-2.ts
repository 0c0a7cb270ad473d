import { defineQuery, distinct } from '../plan/define-query.ts'
import { books, distinctBooks } from './parts/books.ts'

export const query = defineQuery({
  name: 'books-2',
  about: 'Authors with titles published in many different decades',
  inputs: { books },
  parameters: {
    decades: { type: 'integer', default: 10, about: 'Decades that an author must have at least' },
  },
  from: distinctBooks
    .filter('year IS NOT NULL')
    .project({ author: 'unnest(authors)', decade: 'year // 10' })
    .group(['author'], { decades: distinct('decade') })
    .filter('decades >= $decades'),
  output: { columns: ['author'], order: [{ column: 'author' }] },
})
