/**
 * Addresses that do something when they are asked: a vote, a like, a click that is paid for. One is
 * an ordinary link; many by one client are fraud with other people's machines. They are counted,
 * never refused one by one.
 */

export type SideEffect = 'vote' | 'like' | 'ad-click' | 'click' | 'subscription' | 'probe'

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

export function sideEffectOf(pathAndQuery: string): SideEffect | null {
  if (!SUSPECT.test(pathAndQuery)) return null
  return PATTERNS.find(([, pattern]) => pattern.test(pathAndQuery))?.[0] ?? null
}
