/** Everything that the first screen needs, rendered in the reader's language. */
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { startI18n } from './i18n.ts'
import type { Language, Texts } from './language.ts'

export async function start(language: Language, texts: Texts): Promise<void> {
  await startI18n(language, texts)
  createRoot(document.getElementById('page')!).render(createElement(App))
}
