/**
 * Books at the edges of the five queries, so that an answer which is wrong by one row is detected:
 * years at both ends, nine and ten decades, one review too few, equal means, categories that only
 * look alike, titles that repeat. Their reviews are counted exactly; the synthetic books around
 * them have other titles.
 */

export interface Book {
  title: string
  /** The field as written in the file: a list literal, or an attempt at one. */
  authors: string
  publisher: string
  date: string
  categories: string
}

export interface Opinion {
  title: string
  score: string
  text: string
}

export interface Planted {
  books: Book[]
  opinions: Opinion[]
}

/** `popular`: how many reviews count as many; 500 in the real questions. */
export function plantedBooks(popular: number): Planted {
  const popularBooks = nineties(popular)
  return {
    books: [
      ...distributed(),
      ...decades(),
      ...popularBooks.map(({ book }) => book),
      ...fiction().map(({ book }) => book),
    ],
    opinions: [...popularBooks, ...fiction()].flatMap(({ opinions }) => opinions),
  }
}

const book = (title: string, date: string, rest: Partial<Book> = {}): Book => ({
  title,
  date,
  authors: `['Ana Abbott']`,
  publisher: 'Harbour House',
  categories: `['History']`,
  ...rest,
})

function distributed(): Book[] {
  const computers = { categories: `['Computers']` }
  return [
    book('Distributed Systems for Everyone', '2000', computers),
    book('The Art of DISTRIBUTED Locks, Second Edition', '2023-12-31', computers),
    book('Undistributed "Wealth" of Nodes', '2011*', { categories: `['Computers', 'Science']` }),
    book('Éternel: distributed at last', 'c. 2010', { ...computers, authors: '', publisher: '' }),
    book('zero-copy distributed logs', '2001-02', {
      ...computers,
      authors: `["Flann O'Hara", 'Bo, Jr.']`,
    }),
    book('Distributed Before the Turn', '1999-12-31', computers),
    book('Distributed After Tomorrow', '2024-01-01', computers),
    book('Distributed Without a Date', '', computers),
    book('Distributed, Dated by Guess', 'twenty-ten', computers),
    book('Distributed Almost', '2005', { categories: `['Computers & Internet']` }),
    book('Distributed in Lower Case', '2005', { categories: `['computers']` }),
    book('Distributed as a Word', '2005', { categories: 'Computers' }),
    book('Centralised Systems', '2005', computers),
    book('Distributed Twice', '2005', { categories: `['Fiction']` }),
    book('  Distributed Twice ', '2005', computers),
    book('Distributed Thrice', '2006-07', { ...computers, authors: `['The First']` }),
    book('Distributed Thrice\u00a0', '2006-07', { ...computers, authors: `['The Second']` }),
    book('\u3000Distributed Thrice', '2006-07', { ...computers, authors: `['The Third']` }),
  ]
}

const TEN = [1900, 1915, 1929, 1930, 1949, 1950, 1968, 1977, 1980, 1999]
const SPELLINGS = ['%', '%-03', '%-03-01', '%*', 'c. %', '[%]', '%?', 'ca %', '© %', '%-1-1']

function decades(): Book[] {
  const spelt = (years: readonly number[], name: string, authors: string) =>
    years.map((year, place) =>
      book(
        `${name}, book ${place + 1}`,
        SPELLINGS[place % SPELLINGS.length]!.replace('%', `${year}`),
        {
          authors,
        },
      ),
    )
  const duplicate = spelt(TEN, 'Nine and a repetition', `['Cy Duplicate']`)
  return [
    ...spelt(TEN, 'Ten decades', `['Ada Tenfold']`),
    ...spelt(TEN.slice(1), 'Nine decades', `['Bob Ninefold']`),
    // Its last title was there before, by another author: the first row wins, so nine are left.
    { ...duplicate.at(-1)!, authors: `['Another Author']` },
    ...duplicate,
    ...spelt(TEN.slice(0, 5), 'Ten with quotes', `["Dee O'Many", 'Bob Co-Writer', 'Dee O\\'Many']`),
    ...spelt(TEN.slice(5), 'More with quotes', `[None, ' Dee O\\x27Many ', '']`),
    ...spelt(TEN, 'A year nobody can read', `['Ed Junkdate']`).map((one, place) =>
      place === 0 ? { ...one, date: 'about 190?' } : one,
    ),
    ...spelt([...TEN, 1909, 1910], 'Both ends of a decade', `['Zoë Elevenfold']`),
    ...spelt(TEN, 'Not a list', 'Gus Bare'),
  ]
}

interface Reviewed {
  book: Book
  opinions: Opinion[]
}

function reviewed(
  one: Book,
  scores: readonly string[],
  text = 'It was good, and I liked it.',
): Reviewed {
  return { book: one, opinions: scores.map((score) => ({ title: one.title, score, text })) }
}

const times = (count: number, ...scores: string[]): string[] =>
  Array.from({ length: count }, (_, place) => scores[place % scores.length]!)

function nineties(popular: number): Reviewed[] {
  // Whole cycles of the scores, so that means are equal; counts differ all the same.
  const even = popular + (popular % 4 === 0 ? 0 : 4 - (popular % 4))
  const tied = Array.from({ length: 8 }, (_, place) =>
    reviewed(
      book(`Tied at the edge ${'HCAFBDGE'[place]}`, '1994-05', {
        authors: `['Tie ${place}', 'Ana Abbott']`,
      }),
      times(place === 2 ? even * 2 : even, '5.0', '4.0'),
    ),
  )
  return [
    reviewed(book('Exactly enough reviews', '1990'), times(popular, '4.0', '3.0')),
    reviewed(book('One review short', '1999-12-31'), times(popular - 1, '5.0')),
    reviewed(book('One bad score', '1995'), [...times(popular - 1, '5.0'), '5.1']),
    reviewed(book('Just before the decade', '1989-12-31'), times(popular, '5.0')),
    reviewed(book('Just after the decade', '2000-01-01'), times(popular, '5.0')),
    reviewed(book('Loved by all, twice', '1996*'), times(popular, '5.0')),
    reviewed(
      book('Loved by all, once', '1991', { authors: '' }),
      times(popular, '5', '5.0', ' 5.00 '),
    ),
    reviewed(book('Nearly tied, upper', '1993'), [
      '4.0',
      ...times(even, '5.0', '5.0', '5.0', '4.0'),
    ]),
    reviewed(book('Nearly tied, lower', '1993'), [
      '4.0',
      '4.0',
      ...times(even, '5.0', '5.0', '5.0', '4.0'),
    ]),
    reviewed(book('Quarters, 4.75', '1992-01-01'), times(even, '5.0', '5.0', '5.0', '4.0')),
    ...tied,
  ]
}

/**
 * What enthusiasts say; some synthetic novels are reviewed by no one else, so that many means at
 * the top are equal.
 */
export const ENTHUSIASM = [
  'I loved this wonderful, brilliant, beautiful book! '.repeat(8),
  'It has a blue cover and twelve chapters, and I read it on the train. '.repeat(13),
  'Perfect.',
].join('')

function fiction(): Reviewed[] {
  const novel = (title: string, categories = `['Fiction']`) => book(title, '2003', { categories })
  return [
    reviewed(novel('Above all the others'), ['5.0'], ENTHUSIASM.repeat(2)),
    reviewed(novel('Identical opinions, one'), times(3, '4.0'), ENTHUSIASM),
    reviewed(
      novel('Identical opinions, two', `['History', 'Fiction']`),
      times(1, '4.0'),
      ENTHUSIASM,
    ),
    reviewed(novel('Identical opinions, "three"'), times(2, '2.0'), ENTHUSIASM),
    reviewed(
      novel('Identical opinions of a child', `['Juvenile Fiction']`),
      times(2, '4.0'),
      ENTHUSIASM,
    ),
    reviewed(novel('No opinion at all'), times(3, '4.0'), ''),
    reviewed(novel('Only white space'), times(2, '4.0'), ' \u00a0\n\t'),
    reviewed(novel('Opinions without a score'), ['', 'six', 'NaN'], ENTHUSIASM),
    reviewed(novel('One of two counts'), ['5.0', '0'], ENTHUSIASM),
    reviewed(novel('Never reviewed'), []),
  ]
}
