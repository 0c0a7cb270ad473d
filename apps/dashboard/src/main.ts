/**
 * Where the page begins: take the key, choose language and colours, and ask for all that the first screen needs at
 * once. The page itself, its texts and its data would else come one after the other, and each waits for the station.
 */
import { prefetch } from './api/prefetch.ts'
import { acceptLogin, isStranger, takeLoginFromAddress } from './api/key.ts'
import { fetchTexts, readLanguage } from './language.ts'
import { keepArrival } from './auth/login-arrival.ts'
import { applyTheme, readTheme } from './theme.ts'

/** A stranger with a key or a sign-in link is known before anything is asked for; others are asked on the page. */
async function signInFirst(): Promise<void> {
  const login = takeLoginFromAddress()
  if (login === null) return
  if (isStranger()) keepArrival({ kind: 'used', isAccepted: await acceptLogin(login) })
  else keepArrival({ kind: 'undecided', login })
}

async function begin(): Promise<void> {
  const language = readLanguage()
  const [{ start }, texts] = await Promise.all([import('./start.ts'), fetchTexts(language)])
  await start(language, texts)
}

applyTheme(readTheme())
// Not awaited: what is fetched imports parts of this file, and would wait for its end.
void signInFirst().then(() => {
  prefetch(isStranger() ? ['/snapshot'] : ['/snapshot', '/me'])
  return begin()
})
