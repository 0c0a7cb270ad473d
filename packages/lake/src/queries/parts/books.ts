/** What the five questions about books have in common: their two files, and the paths that they share. */
import type { InputRules, Parameter } from '../../model.ts'
import { avg, count, scan } from '../../plan/define-query.ts'

export const books: InputRules = {
  columns: {
    title: { from: 'Title', type: 'text', isRequired: true },
    authors: { type: 'list' },
    publisher: { type: 'text' },
    year: { from: 'publishedDate', type: 'year' },
    categories: { type: 'list' },
  },
}

export const reviews: InputRules = {
  columns: {
    title: { from: 'Title', type: 'text', isRequired: true },
    score: {
      from: 'review/score',
      type: 'decimal',
      // As many as any number between 1 and 5 is written with that a program has computed.
      decimals: 17,
      isRequired: true,
      least: 1,
      most: 5,
      onFlaw: 'drop',
    },
    text: { from: 'review/text', type: 'text', isTrimmed: false },
  },
}

/** Where a title repeats, its first row is the book. */
export const distinctBooks = scan('books').first(['title'])

/** An empty field rather than an empty text: CSV writes the latter as two quotes. */
export const authorsInOneText = "nullif(array_to_string(authors, '; '), '')"

export const popularParameters: Record<string, Parameter> = {
  decade: { type: 'integer', default: 1990, about: 'First year of the decade of publication' },
  least: { type: 'integer', default: 500, about: 'Reviews that a title must have at least' },
}

/** Titles of a decade with enough reviews: the path of books-3 and books-4. */
export const popularBooks = scan('reviews')
  .join(
    distinctBooks
      .filter('year // 10 = $decade // 10')
      .project({ title: 'title', authors: authorsInOneText }),
    ['title'],
  )
  .group(['title', 'authors'], { reviews: count(), rating: avg('score') })
  .filter('reviews >= $least')
