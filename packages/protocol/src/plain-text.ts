/** Control characters, and the marks that turn the direction of a line: on a terminal both could show
 * something else than was written. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** Text of another machine as it may be shown on a terminal: one line, nothing that is obeyed. */
export function plainText(text: string, charactersMax: number): string {
  return text.replaceAll(UNPRINTABLE, ' ').slice(0, charactersMax).trim()
}
