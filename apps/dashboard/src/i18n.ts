/** Three languages, all served by the station itself; a reader fetches the one they read. */
import { createInstance, type Resource } from 'i18next'
import { initReactI18next } from 'react-i18next'
import { fetchTexts, keepLanguage, type Language, type Texts } from './language.ts'

const i18n = createInstance()

export async function startI18n(language: Language, texts: Texts): Promise<void> {
  const resources = { [language]: { translation: texts } } as Resource
  await i18n.use(initReactI18next).init({
    resources,
    lng: language,
    // React escapes what it renders.
    interpolation: { escapeValue: false },
  })
  document.documentElement.lang = language
}

export async function setLanguage(language: Language): Promise<void> {
  keepLanguage(language)
  if (!i18n.hasResourceBundle(language, 'translation')) {
    i18n.addResourceBundle(language, 'translation', await fetchTexts(language))
  }
  await i18n.changeLanguage(language)
  document.documentElement.lang = language
}
