/** What a page says about itself: `X-Robots-Tag` headers and `<meta name="robots">`. */
export interface RobotsDirectives {
  noindex: boolean
  nofollow: boolean
}

/** These directives carry a value after a colon, so the word before it names no crawler. */
const VALUED = new Set([
  'unavailable_after',
  'max-snippet',
  'max-image-preview',
  'max-video-preview',
])

/**
 * Reads header values and meta contents together; the strictest wins.
 * In `otherbot: noindex, nofollow` both words speak to that crawler, until another is named.
 */
export function parseRobotsDirectives(values: string[], productToken: string): RobotsDirectives {
  const own = productToken.toLowerCase()
  const directives: RobotsDirectives = { noindex: false, nofollow: false }
  for (const value of values) {
    let concernsUs = true
    for (const item of value.toLowerCase().split(',')) {
      const colon = item.indexOf(':')
      const before = colon < 0 ? '' : item.slice(0, colon).trim()
      const named = colon >= 0 && !VALUED.has(before) && /^[a-z_*-]+$/.test(before)
      if (named) concernsUs = before === own || before === '*' || before === 'robots'
      if (concernsUs) applyDirective(directives, (named ? item.slice(colon + 1) : item).trim())
    }
  }
  return directives
}

function applyDirective(directives: RobotsDirectives, word: string): void {
  if (word === 'noindex' || word === 'none') directives.noindex = true
  if (word === 'nofollow' || word === 'none') directives.nofollow = true
}
