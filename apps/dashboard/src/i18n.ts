/** Three languages, all served by the station itself; a reader fetches the one they read. */
import { createInstance } from 'i18next'
import { initReactI18next } from 'react-i18next'

export const LANGUAGES = { en: 'English', es: 'Español', pt: 'Português' } as const
export type Language = keyof typeof LANGUAGES

const STORED_AS = 'minga:language'
const i18n = createInstance()

const CATALOGUES = {
  en: () => import('./locales/en.ts'),
  es: () => import('./locales/es.ts'),
  pt: () => import('./locales/pt.ts'),
}

export async function startI18n(): Promise<void> {
  const language = preferred(localStorage.getItem(STORED_AS), navigator.languages)
  const { texts } = await CATALOGUES[language]()
  await i18n.use(initReactI18next).init({
    resources: { [language]: { translation: texts } },
    lng: language,
    // React escapes what it renders.
    interpolation: { escapeValue: false },
  })
  document.documentElement.lang = language
}

export async function setLanguage(language: Language): Promise<void> {
  localStorage.setItem(STORED_AS, language)
  if (!i18n.hasResourceBundle(language, 'translation')) {
    const { texts } = await CATALOGUES[language]()
    i18n.addResourceBundle(language, 'translation', texts)
  }
  await i18n.changeLanguage(language)
  document.documentElement.lang = language
}

function preferred(chosen: string | null, spoken: readonly string[]): Language {
  const wanted = [chosen ?? '', ...spoken].map((tag) => tag.split('-')[0] ?? '')
  return (wanted.find((tag) => tag in LANGUAGES) ?? 'en') as Language
}
