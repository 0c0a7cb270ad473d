/** The languages that are scored today; their lexicons are read when the first text comes. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { englishRules } from './english.ts'
import { portugueseRules, spanishRules, type AfinnWords } from './iberian.ts'
import { createScorer, type Scorer } from './scorer.ts'

export type Language = 'en' | 'es' | 'pt'

const known = new Map<Language, Scorer>()

export function scorerOf(language: Language): Scorer {
  const scorer = known.get(language) ?? createScorer(RULES[language]())
  known.set(language, scorer)
  return scorer
}

const RULES = {
  en: () => englishRules(packaged('vader-sentiment/vader_lexicon.txt')),
  es: () => spanishRules(afinn('es')),
  pt: () => portugueseRules(afinn('pt')),
}

const afinn = (language: Language): AfinnWords =>
  JSON.parse(packaged(`afinn-165-multilingual/build/AFINN-${language}.json`)) as AfinnWords

const packaged = (file: string): string =>
  readFileSync(fileURLToPath(import.meta.resolve(file)), 'utf8')
