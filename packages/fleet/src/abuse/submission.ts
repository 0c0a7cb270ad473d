/**
 * What a part of a submission looks like, in numbers: pure, counted outside the transaction. The
 * numbers of a day together tell a researcher from a scanner; no single address does.
 */
export interface JudgedUrl {
  /** Canonical, or null when it is no address. */
  url: string | null
  host: string
  /** Why it is refused. */
  code: string | null
}

export interface Submission {
  submitted: number
  denied: number
  injections: number
  credentials: number
  effects: number
  probes: number
  /** Addresses that differ from the one before by the next number only. */
  numbered: number
  firstUrl: string | null
  lastUrl: string | null
  /** Hosts that are a good part of it. */
  hosts: [host: string, submitted: number][]
  samples: Samples
}

/** A few addresses by what was noticed about them. */
export type Samples = Record<string, string[]>

const SAMPLES_MAX = 5
/** Longer ones are cut: they are to be recognised, not to be used. */
const SAMPLE_CHARS = 300
/** A host below this share of what is sent together is not being hammered by it. */
const HOST_SHARE_MIN = 0.1

export function describeSubmission(urls: readonly JudgedUrl[]): Submission {
  const counts = { denied: 0, injections: 0, credentials: 0, effects: 0, probes: 0, numbered: 0 }
  const hosts = new Map<string, number>()
  const samples: Samples = {}
  let previous: string | null = null
  const count = (name: keyof typeof counts, url: string): void => {
    counts[name]++
    addSample(samples, name, url)
  }
  for (const { url, host, code } of urls) {
    if (code !== null) counts.denied++
    if (url === null) continue
    hosts.set(host, (hosts.get(host) ?? 0) + 1)
    if (code === 'MINGA_ABUSE_INJECTION') count('injections', url)
    if (code === 'MINGA_ABUSE_CREDENTIALS') count('credentials', hidden(url))
    const effect = sideEffectOf(url.slice(url.indexOf('/', url.indexOf('://') + 3)))
    if (effect === 'probe') count('probes', url)
    else if (effect !== null) count('effects', url)
    if (previous !== null && isNextNumber(previous, url)) count('numbered', url)
    previous = url
  }
  return {
    submitted: urls.length,
    ...counts,
    firstUrl: urls.find(({ url }) => url !== null)?.url ?? null,
    lastUrl: previous,
    hosts: [...hosts].filter(([, submitted]) => submitted >= urls.length * HOST_SHARE_MIN),
    samples,
  }
}

export function addSample(samples: Samples, kind: string, url: string): void {
  const known = (samples[kind] ??= [])
  if (known.length < SAMPLES_MAX) known.push(url.slice(0, SAMPLE_CHARS))
}

/** An operator need not read a password to know that it was there. */
function hidden(url: string): string {
  return url.replace(/=[^&]*/g, '=…')
}

/** Is the second address the first with a number in it one higher (or lower)? */
export function isNextNumber(before: string, after: string): boolean {
  let start = 0
  while (start < before.length && before[start] === after[start]) start++
  if (start === before.length && start === after.length) return false
  // 129 → 130 differ in two digits: the number begins before the first difference.
  while (start > 0 && isDigit(before[start - 1])) start--
  const [a, b] = [numberAt(before, start), numberAt(after, start)]
  if (a === null || b === null) return false
  const isStep = Math.abs(Number(a) - Number(b)) === 1
  return isStep && before.slice(start + a.length) === after.slice(start + b.length)
}

const isDigit = (character: string | undefined): boolean =>
  character !== undefined && character >= '0' && character <= '9'

/** Longer numbers are no counters. */
const DIGITS_MAX = 15

function numberAt(text: string, start: number): string | null {
  let end = start
  while (isDigit(text[end])) end++
  return end === start || end - start > DIGITS_MAX ? null : text.slice(start, end)
}

type SideEffect = 'vote' | 'like' | 'ad-click' | 'click' | 'subscription' | 'probe'

const SUSPECT =
  /vot(?:e|ar)|poll|like|upvote|rate|click|aclk|adclick|adurl|bannerid|track|subscri|follow|share|\.env|\.git|\.aws|wp-config|phpmyadmin|\.sql|\.bak|backup|server-status|actuator|xmlrpc/i

const PATTERNS: readonly [SideEffect, RegExp][] = [
  [
    'ad-click',
    /\/(?:aclk|adclick|ad_click|ads?\/click|adx\/click|clk;|ddm\/clk|pagead\/aclk|pcs\/click|banner\/click|click\.php\?.*(?:ad|banner|campaign))|[?&](?:adurl|ad_?click|adclick|clickurl|bannerid)=/i,
  ],
  [
    'vote',
    /\/(?:up|down)?vote(?:s|_up|up|down)?(?:[/?.]|$)|\/(?:poll|polls|encuesta|votar)\/\w+\/?(?:vote|submit|votar)|[?&](?:action|do|op|act|a|task)=(?:vote|poll|votar|upvote|downvote|rate)(?:&|$)|[?&](?:vote|poll_?option|rating_?vote|votar)=\w/i,
  ],
  [
    'like',
    /\/(?:like|unlike|favou?rite|heart|kudos)(?:s)?(?:\/add|\/create|\?|$)|[?&](?:action|do|op|act|a)=(?:like|favou?rite|follow|share|unlike)(?:&|$)/i,
  ],
  [
    'subscription',
    /\/(?:un)?subscribe(?:[/?.]|$)|[?&](?:action|do)=(?:un)?subscribe(?:&|$)|\/opt-?out\?/i,
  ],
  [
    'click',
    /\/(?:click|clicks|clickthrough|track\/click|ct|redirect\/click)(?:\.php|\.aspx?|\/)?(?:\?|\/)|[?&](?:clickid|click_id)=/i,
  ],
  [
    'probe',
    /\/(?:\.env(?:\.\w+)?|\.git\/(?:config|head)|\.aws\/credentials|\.htpasswd|\.ds_store|wp-config\.php(?:\.\w+)?|phpmyadmin\/?|server-status|actuator\/(?:env|heapdump)|xmlrpc\.php|backup\.(?:zip|sql|tar\.gz)|dump\.sql|db\.sql|id_rsa)(?:[?]|$)/i,
  ],
]

/**
 * Addresses that do something when they are asked: a vote, a like, a click that is paid for. One is
 * an ordinary link; many by one client are fraud with other people's machines. They are counted,
 * never refused one by one.
 */
export function sideEffectOf(pathAndQuery: string): SideEffect | null {
  if (!SUSPECT.test(pathAndQuery)) return null
  return PATTERNS.find(([, pattern]) => pattern.test(pathAndQuery))?.[0] ?? null
}
