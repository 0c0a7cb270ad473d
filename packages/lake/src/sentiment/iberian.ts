/**
 * Spanish and Portuguese by VADER's rules. Their lexicons are translations of AFINN-165 (npm `afinn-165-multilingual`),
 * made by a machine from English: good enough to rank many texts, too coarse for one sentence. Negations and adverbs
 * of degree are ours.
 */
import { wordsOf } from './english.ts'
import type { LanguageRules } from './language.ts'

/** AFINN rates from −5 to 5, VADER from −4 to 4. */
const AFINN_TO_VADER = 0.8
const RAISES = 0.293

interface OwnWords {
  raising: string
  lowering: string
  negating: string
  contrast: string
  never: string
}

const SPANISH: OwnWords = {
  raising: `absolutamente bastante completamente demasiado enormemente especialmente extremadamente increíblemente
    más mucho muy profundamente realmente sumamente tan tremendamente totalmente verdaderamente`,
  lowering: 'apenas algo casi escasamente ligeramente menos parcialmente poco',
  negating: 'jamás nada nadie ni ninguna ninguno ningún no nunca sin tampoco',
  contrast: 'pero',
  never: 'nunca',
}

const PORTUGUESE: OwnWords = {
  raising: `absolutamente bastante completamente demais enormemente especialmente extremamente incrivelmente mais
    muito profundamente realmente tão totalmente tremendamente verdadeiramente`,
  lowering: 'algo apenas escassamente ligeiramente menos parcialmente pouco quase',
  negating: 'jamais nada nem nenhum nenhuma ninguém nunca não sem tampouco',
  contrast: 'mas',
  never: 'nunca',
}

export type AfinnWords = Record<string, number | null>

export const spanishRules = (words: AfinnWords): LanguageRules => rulesOf(SPANISH, words)
export const portugueseRules = (words: AfinnWords): LanguageRules => rulesOf(PORTUGUESE, words)

function rulesOf(own: OwnWords, words: AfinnWords): LanguageRules {
  const negations = new Set(wordsOf(own.negating))
  const boosters = new Map([
    ...wordsOf(own.raising).map((word) => [word, RAISES] as const),
    ...wordsOf(own.lowering).map((word) => [word, -RAISES] as const),
  ])
  const valences = new Map<string, number>()
  for (const [word, rating] of Object.entries(words)) {
    // A negation with a rating of its own would hide that it turns the next word.
    if (!rating || negations.has(word) || boosters.has(word) || word.includes(' ')) continue
    valences.set(word, rating * AFINN_TO_VADER)
  }
  return {
    valences,
    boosters,
    negations,
    areNegationsSmall: false,
    negatingPart: '',
    contrast: own.contrast,
    idioms: new Map(),
    loweringPairs: new Set(),
    special: {
      never: own.never,
      so: 'tan',
      this: '',
      least: '',
      at: '',
      very: '',
      kind: '',
      of: '',
    },
  }
}
