/** Where the files lie that a station shows in browsers. */
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Built by `npm run build:page`; the station says so when it is not there. */
export const PAGE_FOLDER = fileURLToPath(new URL('../../dashboard/dist', import.meta.url))

/** The package of the player, wherever npm put it; null when it was left out. */
export function playerFolder(): string | null {
  try {
    return dirname(fileURLToPath(import.meta.resolve('replaywebpage/index.html')))
  } catch {
    return null
  }
}
