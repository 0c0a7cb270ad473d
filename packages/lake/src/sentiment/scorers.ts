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
  en: () => englishRules(read(import.meta.resolve('vader-sentiment/vader_lexicon.txt'))),
  es: () => spanishRules(afinn(import.meta.resolve('afinn-165-multilingual/build/AFINN-es.json'))),
  pt: () =>
    portugueseRules(afinn(import.meta.resolve('afinn-165-multilingual/build/AFINN-pt.json'))),
}

const afinn = (url: string): AfinnWords => JSON.parse(read(url)) as AfinnWords

const read = (url: string): string => readFileSync(fileURLToPath(url), 'utf8')
