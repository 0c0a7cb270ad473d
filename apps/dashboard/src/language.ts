/** Which of the three languages the reader has, and where its texts are. The rest of the page is not needed for that. */
export const LANGUAGES = { en: 'English', es: 'Español', pt: 'Português' } as const
export type Language = keyof typeof LANGUAGES

export type Texts = Record<string, unknown>

const STORED_AS = 'minga:language'

const CATALOGUES = {
  en: () => import('./locales/en.ts'),
  es: () => import('./locales/es.ts'),
  pt: () => import('./locales/pt.ts'),
}

export async function fetchTexts(language: Language): Promise<Texts> {
  return (await CATALOGUES[language]()).texts
}

export function readLanguage(): Language {
  return preferred(localStorage.getItem(STORED_AS), navigator.languages)
}

export function keepLanguage(language: Language): void {
  localStorage.setItem(STORED_AS, language)
}

function preferred(chosen: string | null, spoken: readonly string[]): Language {
  const wanted = [chosen ?? '', ...spoken].map((tag) => tag.split('-')[0] ?? '')
  return (wanted.find((tag) => tag in LANGUAGES) ?? 'en') as Language
}
