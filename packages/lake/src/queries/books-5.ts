import { avg, defineQuery, scan } from '../plan/define-query.ts'
import { books, distinctBooks, reviews } from './parts/books.ts'

export const query = defineQuery({
  name: 'books-5',
  about: 'Titles of a category whose reviews are the most cheerful',
  inputs: { books, reviews },
  parameters: {
    category: { type: 'text', default: 'Fiction', about: 'Category that a book must have' },
    percentile: { type: 'number', default: 90, about: 'Of the mean sentiments of all its titles' },
  },
  from: scan('reviews')
    .filter('text IS NOT NULL')
    .join(distinctBooks.filter('list_contains(categories, $category)'), ['title'], { kind: 'semi' })
    // Only now: reading the mood of a text costs more than everything else together.
    .rowFunction('sentiment', ['text'], { name: 'mood', type: 'INTEGER' })
    .group(['title'], { sentiment: avg('mood * 0.0001') })
    .atLeastQuantile('sentiment', '$percentile * 0.01'),
  output: { columns: ['title', 'sentiment'], order: [{ column: 'title' }] },
})
