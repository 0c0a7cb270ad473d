import { defineQuery } from '../plan/define-query.ts'
import { books, popularBooks, popularParameters, reviews } from './parts/books.ts'

export const query = defineQuery({
  name: 'books-4',
  about: 'The books of books-3 with the best mean rating',
  inputs: { books, reviews },
  parameters: {
    ...popularParameters,
    top: { type: 'integer', default: 10, about: 'How many of them' },
  },
  from: popularBooks
    .project({ title: 'title', rating: 'rating' })
    .top('$top', [{ column: 'rating', descending: true }, { column: 'title' }]),
  output: {
    columns: ['title', 'rating'],
    order: [{ column: 'rating', descending: true }, { column: 'title' }],
  },
})
