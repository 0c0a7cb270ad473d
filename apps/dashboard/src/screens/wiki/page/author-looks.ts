/** How the words of each author look: a colour and a kind of underline, so that colour alone says nothing. */
import type { WikiAuthorShare } from '@minga/protocol'

/** The number of authors with their own colour; all others look alike. */
export const AUTHORS_SHOWN = 8

/** A class of `wiki-authors.css`. Authors come with the most present first. */
export function lookOf(author: number, authors: readonly WikiAuthorShare[]): string {
  const isShown = author < AUTHORS_SHOWN && (authors[author]?.present ?? 0) > 0
  return isShown ? `author-${author}` : 'author-rest'
}

export interface LegendEntry {
  look: string
  /** Null: hidden by the wiki, unless it stands for all the rest. */
  user: string | null
  /** How many authors it stands for. */
  authors: number
  present: number
  share: number
}

/** The authors with their own colour, and all others as one. */
export function legendOf(authors: readonly WikiAuthorShare[]): LegendEntry[] {
  const present = authors.filter((author) => author.present > 0)
  const shown = present.slice(0, AUTHORS_SHOWN).map((author, i) => ({
    look: `author-${i}`,
    user: author.user,
    authors: 1,
    present: author.present,
    share: author.share,
  }))
  const rest = present.slice(AUTHORS_SHOWN)
  if (rest.length === 0) return shown
  const sum = (of: (author: WikiAuthorShare) => number): number =>
    rest.reduce((total, author) => total + of(author), 0)
  return [
    ...shown,
    {
      look: 'author-rest',
      user: null,
      authors: rest.length,
      present: sum((author) => author.present),
      share: sum((author) => author.share),
    },
  ]
}
