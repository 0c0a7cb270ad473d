/**
 * Text in pieces that people would call one thing: words, numbers, marks, and the signs of wiki markup. Scripts
 * that are written without spaces fall into characters with their marks, since only a dictionary could do better.
 */

const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}'
const LETTER = `(?![${UNSPACED}])[\\p{L}\\p{M}\\p{Nl}\\u200c\\u200d_]`

/** Longer ones are cut: the engine remembers every turn of such a loop, and throws when it has no room left. */
const REPEATS_MAX = 10_000

/** The first that fits wins, so what is longer or more special stands first. */
const TOKEN = new RegExp(
  [
    // Addresses are one thing: a changed letter in one is another address.
    'https?:\\/\\/[^\\s\\[\\]<>"{}|]+',
    '<!--|-->|<\\/?[a-z][a-z0-9]*|\\/>',
    "\\[\\[|\\]\\]|\\{\\{\\{|\\}\\}\\}|\\{\\{|\\}\\}|\\{\\||\\|\\}|\\|-|'{2,5}|={2,6}|~{3,5}|-{4,}|__[A-Z]+__",
    '&#?[a-z0-9]{1,10};',
    `\\p{Nd}+(?:[.,\\u066B\\u066C]\\p{Nd}+){0,${REPEATS_MAX}}`,
    `[${UNSPACED}]\\p{M}*`,
    `(?:${LETTER})(?:${LETTER}|\\p{Nd}){0,${REPEATS_MAX}}(?:['’ʼ](?:${LETTER}){1,${REPEATS_MAX}}){0,9}`,
    '\\s+',
    '[^]',
  ].join('|'),
  'giu',
)

/** Without the white space between them. */
export function tokenise(text: string): string[] {
  return tokensAndSpaces(text).filter((token) => !/^\s/u.test(token))
}

/** Nothing is lost: joined together they are the text. */
export function tokensAndSpaces(text: string): string[] {
  return text.match(TOKEN) ?? []
}

/** Lines: in wiki text a line is a paragraph, a heading, an item of a list or a row of a table. */
export function paragraphsOf(text: string): string[] {
  return text.split('\n')
}

/**
 * With their ends and the space after them, so that joined together they are the paragraph. A mark of end counts
 * before white space; that of a script without spaces always does. Abbreviations end sentences too, which only makes
 * them shorter.
 */
const SENTENCE = /[^]*?(?:[.!?؟۔।](?=\s)\s+|[。！？]\s*|$)/gu

export function sentencesOf(paragraph: string): string[] {
  return (paragraph.match(SENTENCE) ?? []).filter((sentence) => sentence !== '')
}
