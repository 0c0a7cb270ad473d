/**
 * The five questions about books as one would write them for DuckDB alone, without query 5's sentiment: the length of a
 * text stands for its mood. Fields are cleaned by the macros that Minga uses, so that the answers are the same bytes.
 */
import { exactMacros, listMacros, textMacros } from '@minga/lake'

export const NAMES = ['books-1', 'books-2', 'books-3', 'books-4', 'books-5'] as const
export type BooksQuery = (typeof NAMES)[number]

export const MACROS: readonly string[] = [...textMacros, ...listMacros, ...exactMacros]

const readCsv = (path: string, options = ''): string =>
  `read_csv('${path}', header = true, all_varchar = true, delim = ',', quote = '"', escape = '"'${options})`

/** DuckDB refuses to read the books with several threads: their long texts have lines that look like records. */
const BOOKS_OPTIONS = ', parallel = false'

/** The rows of a file, cleaned; nothing is read before a statement asks. */
export function fromCsv(booksPath: string, reviewsPath: string): Relations {
  return {
    books: `SELECT row_number() OVER () AS place, clean_text(Title) AS title, clean_list(authors) AS authors,
        clean_text(publisher) AS publisher, clean_list(categories) AS categories,
        TRY_CAST(regexp_extract(publishedDate, '[0-9]{4}') AS INTEGER) AS year
      FROM ${readCsv(booksPath, BOOKS_OPTIONS)}`,
    reviews: `SELECT clean_text(Title) AS title, TRY_CAST("review/score" AS DECIMAL(18,6)) AS score,
        whole_text("review/text") AS text
      FROM ${readCsv(reviewsPath)}`,
  }
}

export interface Relations {
  books: string
  reviews: string
}

const FIRST = `(SELECT * FROM books WHERE title IS NOT NULL
  QUALIFY row_number() OVER (PARTITION BY title ORDER BY place) = 1)`
const RATED = `(SELECT * FROM reviews WHERE title IS NOT NULL AND score BETWEEN 1 AND 5)`
const IN_ONE_TEXT = `nullif(array_to_string(authors, '; '), '')`
const POPULAR = `SELECT title, ${IN_ONE_TEXT} AS authors, sum(score) AS total, count(*) AS n
  FROM ${RATED} JOIN (SELECT title, authors FROM ${FIRST} WHERE year // 10 = 199) USING (title)
  GROUP BY ALL HAVING count(*) >= 500`

export const STATEMENTS: Record<BooksQuery, string> = {
  'books-1': `SELECT title, ${IN_ONE_TEXT} AS authors, publisher FROM ${FIRST}
    WHERE list_contains(categories, 'Computers') AND year BETWEEN 2000 AND 2023
      AND contains(lower(title), 'distributed')
    ORDER BY title`,
  'books-2': `SELECT author FROM (
      SELECT unnest(authors) AS author, year // 10 AS decade FROM ${FIRST} WHERE year IS NOT NULL)
    GROUP BY author HAVING count(DISTINCT decade) >= 10 ORDER BY author`,
  'books-3': `SELECT title, authors FROM (${POPULAR}) ORDER BY title`,
  'books-4': `SELECT title, mean_text(total, n, 6) AS rating FROM (${POPULAR})
    ORDER BY mean_rank(total, n) DESC, title LIMIT 10`,
  'books-5': `WITH moods AS (
      SELECT title, sum(length(text)) AS total, count(*) AS n, mean_rank(sum(length(text)), count(*)) AS rank
      FROM ${RATED}
      WHERE text IS NOT NULL AND title IN (SELECT title FROM ${FIRST} WHERE list_contains(categories, 'Fiction'))
      GROUP BY title),
    edge AS (SELECT rank FROM moods ORDER BY rank LIMIT 1 OFFSET (SELECT (9 * count(*) + 9) // 10 - 1 FROM moods))
    SELECT title, mean_text(total, n, 4) AS sentiment FROM moods WHERE rank >= (SELECT rank FROM edge)
    ORDER BY title`,
}
