/**
 * Where the page begins: take the key, choose language and colours, and ask for all that the first screen needs at
 * once. The page itself, its texts and its data would else come one after the other, and each waits for the station.
 */
import { askAhead } from './api/ahead.ts'
import { isStranger, signInByLink, takeKeyFromAddress, takeSignInFromAddress } from './api/key.ts'
import { fetchTexts, readLanguage } from './language.ts'
import { applyTheme, readTheme } from './theme.ts'

/** A visitor with a sign-in link is known before anything is asked for. */
async function signInFirst(): Promise<void> {
  const token = takeSignInFromAddress()
  if (token !== null) await signInByLink(token)
}

async function begin(): Promise<void> {
  const language = readLanguage()
  const [{ start }, texts] = await Promise.all([import('./start.ts'), fetchTexts(language)])
  await start(language, texts)
}

takeKeyFromAddress()
applyTheme(readTheme())
// Not awaited: what is fetched imports parts of this file, and would wait for its end.
void signInFirst().then(() => {
  askAhead(isStranger() ? ['/snapshot'] : ['/snapshot', '/me'])
  return begin()
})
