/**
 * Which elements of a page are not part of its content, recognised by their names, classes and ids.
 */
import type { HtmlAttributes } from './html-events.ts'

/** Neither seen nor part of the layout. */
const UNSEEN = new Set(
  'script style noscript template object applet param meta base link source track'.split(' '),
)

export function isUnseen(name: string): boolean {
  return UNSEEN.has(name)
}

/**
 * Left out on purpose: `sponsors` of a conference, the `leaderboard` of a game, `anuncios`, which in Spanish
 * are notices as often as advertisements.
 */
const AD_WORDS = new Set(
  `ad ads advert adverts advertisement advertisements advertising advertorial adsense adsbygoogle adslot
   adunit adbox adblock adbanner adcontainer adwrapper adspace adframe admanager adserver dfp sponsored
   publicidad publicidade propaganda patrocinado patrocinados taboola outbrain revcontent mgid doubleclick
   googlead googleads rotator rotating rotativo rotativos rotativa prebid`
    .trim()
    .split(/\s+/),
)
/** Cookie banners come and go with the country of the visitor. */
const CONSENT =
  /^(?:cookies?|gdpr|lgpd|consent|onetrust)[-_]?(?:banner|bar|notice|consent|popup|modal|law|msg|message|overlay|box|wrapper|sdk)/i
/** Subjects of an article, not what it is: `category-advertising`. */
const SUBJECT = /(?:^|\s)(?:category|tag|term|topic|section|cat)-\S*/g
const TIME_WORDS = new Set(
  `timestamp timeago ago clock datetime updated lastupdated lastmod lastmodified modified reloj relogio
   relative today`
    .trim()
    .split(/\s+/),
)
const COUNTER_WORDS = new Set(
  `count counter counts views view likes like shares share hits visits visitors comments replies
   contador visitas vistas comentarios respuestas respostas curtidas pageviews badge online`
    .trim()
    .split(/\s+/),
)

/** `site-header`, `footer`, `topbar`, `pie`; not `card-header`. */
const EDGE =
  /^(?:(?:site|page|main|global|the|layout|app|l)[-_]?)?(?:header|footer|head|foot|top|topbar|topline|masthead|navbar|nav|cabecera|cabecalho|encabezado|pie|rodape|copyright|colophon|statusbar)(?:[-_](?:wrapper|container|inner|bar|line|area|left|right|bottom|top|\d{1,3}))*$/i

/** Longer lists of classes are nonsense or hostile; their start is enough. */
const LONGEST = 512

function namesOf(attributes: HtmlAttributes): string {
  return `${attributes['class'] ?? ''} ${attributes['id'] ?? ''}`.slice(0, LONGEST).trim()
}

/** `adSlot ad-slot ad_slot2` → ad, slot, ad, slot, ad, slot. `4ad7c` is a hash, not an advertisement. */
function nameWords(names: string): string[] {
  return names
    .replace(SUBJECT, ' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map((word) => word.replace(/\d+$/, ''))
}

export interface ElementNoise {
  /** Nothing in it counts. */
  isAd: boolean
  /** Its pictures and links come and go; its words count. */
  isBanner: boolean
  isTime: boolean
  isCounter: boolean
  /** The frame around what the page says. */
  isEdge: boolean
}

const PLAIN: ElementNoise = {
  isAd: false,
  isBanner: false,
  isTime: false,
  isCounter: false,
  isEdge: false,
}
const NEVER_AD = new Set(['html', 'body', 'main', 'article', 'form', 'h1', 'title'])

export function noiseOf(name: string, attributes: HtmlAttributes): ElementNoise {
  const names = namesOf(attributes)
  const isSaidAd = isLabelledAd(attributes) || isSponsoredLink(name, attributes)
  if (names === '') return isSaidAd ? { ...PLAIN, isAd: true } : PLAIN
  const words = nameWords(names)
  const tokens = names.split(/\s+/)
  const isNamedAd =
    words.some((word) => AD_WORDS.has(word)) || tokens.some((token) => CONSENT.test(token))
  return {
    isAd: isSaidAd || (isNamedAd && !NEVER_AD.has(name)),
    isBanner: name !== 'header' && name !== 'body' && words.some(isBannerWord),
    isTime: words.some((word) => TIME_WORDS.has(word)),
    isCounter: words.some((word) => COUNTER_WORDS.has(word)),
    isEdge: name !== 'body' && name !== 'main' && tokens.some((token) => EDGE.test(token)),
  }
}

function isBannerWord(word: string): boolean {
  return word === 'banner' || word === 'banners' || word === 'promo' || word === 'promos'
}

function isLabelledAd(attributes: HtmlAttributes): boolean {
  const label = attributes['aria-label']?.trim() ?? ''
  return /^(?:advertisements?|ads?|publicidade?|sponsored)$/i.test(label)
}

function isSponsoredLink(name: string, attributes: HtmlAttributes): boolean {
  return name === 'a' && /\bsponsored\b/i.test(attributes['rel'] ?? '')
}

/** States that scripts and servers toggle, and names that a build generates each time. */
const STATE_CLASS =
  /^(?:is-|has-|js-|no-js$|js$|active$|current$|selected$|open$|opened$|closed$|hover$|focus$|visited$|loading$|loaded$|lazy|odd$|even$|first$|last$|hidden$|show$|visible$|collapsed?$|expanded$|in$|fade|animated?$|wow$|logged-|postid-|page-id-|post-\d|menu-item-\d|node-\d)/
const INVENTED = /^(?=.*\d)(?=.*[a-z])[a-zA-Z\d]{5,}$/

/** A class as it counts for the look of an element; null when it says nothing lasting. */
export function lastingClass(token: string): string | null {
  if (token.length > 64 || STATE_CLASS.test(token) || isInvented(token)) return null
  return token
}

/** `css-1x8f3k`, `Button_root__3kFx9`, `sc-bdVaJa9`: letters and digits mixed in the last part. */
export function isInvented(token: string): boolean {
  // CSS modules and styled components: `card__aBcDe`, `hXyZab`.
  if (
    /__[\w+-]{5}$/.test(token) ||
    /^(?=.*[a-z])(?=.*[A-Z][a-z]?[A-Z])[a-zA-Z]{5,8}$/.test(token)
  ) {
    return true
  }
  const last = token.split(/[-_]+/).at(-1) ?? token
  if (!INVENTED.test(last)) return false
  // `col12`, `h2title`, `step3`: one run of digits at an end is a number, not a hash.
  return !/^(?:[a-zA-Z]+\d{1,4}|\d{1,4}[a-zA-Z]+)$/.test(last)
}

/** An id or class as part of an element's place: numbers and inventions would make every place new. */
export function placeName(token: string): string {
  if (token.length > 64 || isInvented(token)) return ''
  return token.replace(/\d+/g, '')
}
