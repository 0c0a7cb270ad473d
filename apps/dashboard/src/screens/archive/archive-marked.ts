/** A text with marked places as pieces to be shown one after another: never as markup, which strangers wrote. */
import type { MarkedText } from '@minga/protocol'

export interface TextPiece {
  text: string
  isMarked: boolean
}

/** Places that are none are passed over. */
export function piecesOf({ text, marks }: MarkedText): TextPiece[] {
  const pieces: TextPiece[] = []
  let at = 0
  for (const [from, to] of marks) {
    if (from < at || to <= from || to > text.length) continue
    if (from > at) pieces.push({ text: text.slice(at, from), isMarked: false })
    pieces.push({ text: text.slice(from, to), isMarked: true })
    at = to
  }
  if (at < text.length) pieces.push({ text: text.slice(at), isMarked: false })
  return pieces
}
