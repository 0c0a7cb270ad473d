/**
 * A document as the detector sees it: parts in the order of the page, each with the place where it
 * stands. A place is the path of element names, ids and classes that leads there, without ordinals: all
 * items of one list share it, and a rotating slot keeps it whatever it shows.
 */

export interface TextPart {
  kind: 'text' | 'link' | 'image'
  place: number
  /** As people read it; what a diff shows. */
  raw: string
  /** Without noise; what is compared. */
  text: string
  /** Titles and headings weigh more than the same words in a paragraph. */
  emphasis: number
}

export interface PartsSink {
  /** Returns the hash of the part, so that readers can tell which parts stand in one item. */
  text(part: TextPart): number
  /** An element of the tree or a field of a form, and the place of the element around it. */
  shape(place: number, parent: number, hash: number, weight: number): void
  /** A class, a style, a picture: how something looks. */
  look(place: number, hash: number, weight: number): void
  /** A list item, table row or article, by the parts it holds in any order. */
  item(place: number, hash: number): void
}

/** 65,536 places: a page has hundreds. */
const PLACE_MASK = 0xffff

export function placeOf(hash: number): number {
  return hash & PLACE_MASK
}

/** Longer runs of text are cut into sentences, so that one edit is not a change of all of them. */
const LONG_TEXT = 4_000

/** Cuts at the end of sentences, which move with the text when something is put in before them. */
export function sentencesOf(text: string): string[] {
  if (text.length <= LONG_TEXT) return [text]
  const sentences: string[] = []
  let start = 0
  while (start < text.length) {
    const end = sentenceEnd(text, start)
    sentences.push(text.slice(start, end))
    start = end
    while (text.charCodeAt(start) === 32) start += 1
  }
  return sentences
}

function sentenceEnd(text: string, start: number): number {
  const limit = Math.min(text.length, start + LONG_TEXT)
  for (let i = start; i < limit; i++) {
    const code = text.charCodeAt(i)
    const isStop = code === 46 || code === 33 || code === 63 || code === 0x3002
    if (isStop && (code === 0x3002 || text.charCodeAt(i + 1) === 32)) return i + 1
  }
  return limit
}
