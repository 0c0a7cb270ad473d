/**
 * What a scorer has to know of a language. Words are in lower case; a valence is how good (above 0) or bad a word
 * is, from −4 to 4. Another language is another value of this type: see `iberian.ts` for two.
 */
export interface LanguageRules {
  valences: ReadonlyMap<string, number>
  /** Raise the valence of a word after them by this much, away from 0; those below 0 lower it. */
  boosters: ReadonlyMap<string, number>
  /** Turn the valence of a word after them. */
  negations: ReadonlySet<string>
  /** Negations count in small letters only: so the port of VADER has it, and "Not good" is good to it. */
  areNegationsSmall: boolean
  /** A word that contains this is a negation, too. Empty: none does. */
  negatingPart: string
  /** What follows counts more, what went before less. */
  contrast: string
  /** Two or three words that mean more than their parts. */
  idioms: ReadonlyMap<string, number>
  /** Two words that lower the valence of the word after them. */
  loweringPairs: ReadonlySet<string>
  /** Words with a rule of their own. In a language without them they are empty. */
  special: SpecialWords
}

interface SpecialWords {
  /** With `so` and `this` between it and a word it makes that word stronger: "never so good". */
  never: string
  so: string
  this: string
  /** "least good" is bad, "at least good" and "very least" are not. */
  least: string
  at: string
  very: string
  /** "kind of" carries no valence, though "kind" does. */
  kind: string
  of: string
}
