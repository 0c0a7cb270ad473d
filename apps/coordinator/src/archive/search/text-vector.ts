/** Words as PostgreSQL indexes them: `'casa':1,7 'verde':2`. */

/** It notes no more places of one word. */
const PLACES_MOST = 255

/** Made here and not by `to_tsvector`, whose division into words depends on the server's language. */
export function vectorOf(words: string): string {
  const places = new Map<string, number[]>()
  words.split(' ').forEach((word, i) => {
    const known = places.get(word)
    if (known === undefined) places.set(word, [i + 1])
    else if (known.length < PLACES_MOST) known.push(i + 1)
  })
  return [...places].map(([word, at]) => `'${word}':${at.join(',')}`).join(' ')
}
