import { defineQuery } from '../plan/define-query.ts'
import { books, popularBooks, popularParameters, reviews } from './parts/books.ts'

export const query = defineQuery({
  name: 'books-3',
  about: 'Titles and authors of books of a decade with many reviews',
  inputs: { books, reviews },
  parameters: popularParameters,
  from: popularBooks,
  output: { columns: ['title', 'authors'], order: [{ column: 'title' }] },
})
