/** A watched page whose banner is another one at every visit, on virtual time. */
import { openWatchStation, type WatchStation } from '../watch/visits/watch-fixture.ts'

export const BANNER_PAGE = 'http://town.test/'
const BANNERS = [
  'Fly to the islands this winter for the price of a bus ticket.',
  'Our kitchens are made of oak and last longer than their owners.',
  'Learn the accordion in eleven evenings, or get your money back.',
  'Seven kinds of potatoes, straight from the field to your door.',
  'The new bicycle shop repairs while you wait and have a coffee.',
]
export const NEWS = [
  'The library opens again in June.',
  'The bridge is closed until the end of the year.',
]

/** Another banner at every visit; the news is what the test says. */
export async function bannerStation(changes: Parameters<typeof openWatchStation>[0]): Promise<{
  on: WatchStation
  say: (text: string) => void
}> {
  const on = await openWatchStation(changes)
  const shown = { text: NEWS[0]!, banner: 0 }
  on.pageAt = (url) =>
    url === BANNER_PAGE
      ? {
          body: `<h1>Town</h1><div class="banner"><p>${BANNERS[shown.banner++ % BANNERS.length]}</p></div>
            <main><p>The office is open on weekdays from nine to five.</p><p>${shown.text}</p></main>`,
        }
      : undefined
  return { on, say: (text) => (shown.text = text) }
}
