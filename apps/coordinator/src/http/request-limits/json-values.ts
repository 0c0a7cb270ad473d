/**
 * How many values a JSON body may have. A value in memory is up to a hundred times its text, and the check of a list
 * describes each value that is wrong: sixteen megabytes of `[0,0,…]` would keep the main loop busy for ten seconds.
 */
import type { FastifyInstance } from 'fastify'
import { TooManyValues } from '../../station/errors.ts'

/** A batch of a hundred thousand URLs, with room for fields. */
const VALUES_MAX = 250_000
/** A watch may have a million addresses. */
const LONG_LISTS: ReadonlyMap<string, number> = new Map([
  ['/api/watches', 1_100_000],
  ['/api/watches/:id', 1_100_000],
])

const [QUOTE, BACKSLASH] = ['"'.charCodeAt(0), '\\'.charCodeAt(0)]
const SEPARATORS: ReadonlySet<number> = new Set([',', '[', '{'].map((sign) => sign.charCodeAt(0)))

/** To be called before any route is added; a scope that removes the parsers has its own. */
export function limitJsonValues(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser<string>(
    'application/json',
    { parseAs: 'string' },
    (request, body, done) => {
      const most = LONG_LISTS.get(request.routeOptions.url ?? '') ?? VALUES_MAX
      if (countValues(body, most) > most) return done(new TooManyValues(most))
      return parse(request, body, done)
    },
  )
}

/** Counts signs outside of texts, up to one more than the limit. */
export function countValues(json: string, most: number): number {
  let values = 0
  for (let at = 0; at < json.length && values <= most; at++) {
    const sign = json.charCodeAt(at)
    if (sign === QUOTE) at = endOfText(json, at + 1)
    else if (SEPARATORS.has(sign)) values++
  }
  return values
}

/** Of the quote that ends a text, or of the end of what has no end. */
function endOfText(json: string, from: number): number {
  for (let at = from; at < json.length; at++) {
    const sign = json.charCodeAt(at)
    if (sign === QUOTE) return at
    if (sign === BACKSLASH) at++
  }
  return json.length
}
