/** Where the page begins: take the key, choose language and colours, render. */
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { takeKeyFromAddress } from './api/key.ts'
import { App } from './app.tsx'
import { startI18n } from './i18n.ts'
import { applyTheme, readTheme } from './theme.ts'

takeKeyFromAddress()
applyTheme(readTheme())
await startI18n()
createRoot(document.getElementById('page')!).render(createElement(App))
