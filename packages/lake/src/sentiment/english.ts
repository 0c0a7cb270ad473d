/**
 * English as VADER knows it: Hutto and Gilbert, "VADER: a parsimonious rule-based model for sentiment analysis of
 * social media text", ICWSM 2014. The lexicon of 7,500 words comes with the npm package `vader-sentiment`.
 */
import type { LanguageRules } from './language.ts'

/** Mean rise of the rating that people gave to a word with a degree adverb before it. */
const RAISES = 0.293

const RAISING = `absolutely amazingly awfully completely considerably decidedly deeply effing enormously entirely
  especially exceptionally extremely fabulously flippin flipping frickin fricking friggin frigging fucking fully
  greatly hella highly hugely incredibly intensely majorly more most particularly purely quite really remarkably so
  substantially thoroughly totally tremendously uber unbelievably unusually utterly very`

const LOWERING = `almost barely hardly kind-of kinda kindof less little marginally occasionally partly scarcely
  slightly somewhat sort-of sorta sortof`

/** With and without their apostrophe. */
const CONTRACTED = `ain't aren't can't couldn't daren't didn't doesn't don't hadn't hasn't haven't isn't mightn't
  mustn't needn't oughtn't shan't shouldn't wasn't weren't won't wouldn't`

const NEGATING = `cannot despite neither never none nope nor not nothing nowhere rarely seldom uh-uh uhuh without`

const IDIOMS = {
  'bad ass': 1.5,
  'cut the mustard': 2,
  'hand to mouth': -2,
  'kiss of death': -1.5,
  'the bomb': 3,
  'the shit': 3,
  'yeah right': -2,
}

export function englishRules(lexicon: string): LanguageRules {
  return {
    valences: valencesIn(lexicon),
    boosters: new Map([
      ...wordsOf(RAISING).map((word) => [word, RAISES] as const),
      ...wordsOf(LOWERING).map((word) => [word, -RAISES] as const),
    ]),
    negations: new Set([
      ...wordsOf(NEGATING),
      ...wordsOf(CONTRACTED),
      ...wordsOf(CONTRACTED.replaceAll("'", '')),
    ]),
    areNegationsSmall: true,
    negatingPart: "n't",
    contrast: 'but',
    idioms: new Map(Object.entries(IDIOMS)),
    loweringPairs: new Set(['just enough', 'kind of', 'sort of']),
    special: {
      never: 'never',
      so: 'so',
      this: 'this',
      least: 'least',
      at: 'at',
      very: 'very',
      kind: 'kind',
      of: 'of',
    },
  }
}

/** A word, a tab, its mean valence, and more that is not needed. Of words that come twice the last counts. */
function valencesIn(lexicon: string): Map<string, number> {
  const valences = new Map<string, number>()
  for (const line of lexicon.split('\n')) {
    const [word, valence] = line.split('\t')
    if (word && valence !== undefined) valences.set(word, Number(valence))
  }
  return valences
}

export const wordsOf = (text: string): string[] => text.split(/\s+/)
