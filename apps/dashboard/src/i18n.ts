/** Three languages, all on board: nothing is fetched when one is chosen. */
import { createInstance } from 'i18next'
import { initReactI18next } from 'react-i18next'
import en from './locales/en.json' with { type: 'json' }
import es from './locales/es.json' with { type: 'json' }
import pt from './locales/pt.json' with { type: 'json' }

export const LANGUAGES = { en: 'English', es: 'Español', pt: 'Português' } as const
export type Language = keyof typeof LANGUAGES

const STORED_AS = 'minga:language'
const i18n = createInstance()

export async function startI18n(): Promise<void> {
  await i18n.use(initReactI18next).init({
    resources: { en: { translation: en }, es: { translation: es }, pt: { translation: pt } },
    lng: preferred(localStorage.getItem(STORED_AS), navigator.languages),
    fallbackLng: 'en',
    // React escapes what it renders.
    interpolation: { escapeValue: false },
  })
  document.documentElement.lang = i18n.language
}

export async function setLanguage(language: Language): Promise<void> {
  localStorage.setItem(STORED_AS, language)
  await i18n.changeLanguage(language)
  document.documentElement.lang = language
}

function preferred(chosen: string | null, spoken: readonly string[]): string {
  const wanted = [chosen ?? '', ...spoken].map((tag) => tag.split('-')[0] ?? '')
  return wanted.find((tag) => tag in LANGUAGES) ?? 'en'
}
