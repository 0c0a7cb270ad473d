import { defineQuery } from '../plan/define-query.ts'
import { authorsInOneText, books, distinctBooks } from './parts/books.ts'

export const query = defineQuery({
  name: 'books-1',
  about: 'Books of a category, published in a span of years, with a word in their title',
  inputs: { books },
  parameters: {
    category: { type: 'text', default: 'Computers', about: 'Category that a book must have' },
    firstYear: { type: 'integer', default: 2000, about: 'First year of publication, included' },
    lastYear: { type: 'integer', default: 2023, about: 'Last year of publication, included' },
    word: { type: 'text', default: 'distributed', about: 'Part of the title, in any case' },
  },
  from: distinctBooks
    .filter('list_contains(categories, $category)')
    .filter('year BETWEEN $firstYear AND $lastYear')
    .filter('contains(lower(title), lower($word))')
    .project({ title: 'title', authors: authorsInOneText, publisher: 'publisher' }),
  output: { columns: ['title', 'authors', 'publisher'], order: [{ column: 'title' }] },
})
