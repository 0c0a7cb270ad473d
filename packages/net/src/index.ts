export { BadPattern, TooManyPatterns } from './errors.ts'
export { addressBytes, classifyAddress, type AddressClass } from './guard/address-class.ts'
export {
  guardAddress,
  guardUrl,
  type GuardPolicy,
  type GuardRefusal,
} from './guard/address-guard.ts'
export type { CertificateFacts } from './http/certificate-facts.ts'
export { decodeText, type DecodedText } from './html/charset.ts'
export {
  extractCssLinks,
  extractLinks,
  type Link,
  type LinkedPage,
  type LinkOptions,
  type PageLinks,
} from './html/links.ts'
export type { LinkKind } from './html/link-syntax.ts'
export {
  discoverSources,
  parseFeed,
  type Feed,
  type FeedItem,
  type FeedOptions,
  type Sources,
} from './feeds/feed.ts'
export { webDate } from './feeds/feed-date.ts'
export { mmdbPlace, writeMmdb, type MmdbNetwork } from './mmdb.ts'
export { parseOpml, type Opml, type Outline } from './feeds/opml.ts'
export { parseRobotsDirectives, type RobotsDirectives } from './robots/robots-directives.ts'
export {
  asksToStayAway,
  crawlDelayMsOf,
  isAllowedByRobots,
  parseRobots,
  robotsFromResponse,
  type RobotsGroup,
  type RobotsRule,
  type RobotsRules,
} from './robots/robots.ts'
export { checkPatterns, compileScope, inScope, type Scope, type ScopeTest } from './url/scope.ts'
export {
  parseSitemap,
  type Sitemap,
  type SitemapEntry,
  type SitemapLimits,
} from './feeds/sitemap.ts'
export {
  canonicalUrl,
  hostKeyOf,
  isPublicSuffix,
  originOf,
  pathAndQueryOf,
  registrableDomainOf,
  requestTargetOf,
  surt,
  redirectTarget,
} from './url/url.ts'
export {
  decodeContent,
  DEFAULT_DECODING_LIMITS,
  type Decoded,
  type DecodingLimits,
} from './http/content-decoding.ts'
export {
  FETCH_FAILURE_CODES,
  fetchFailure,
  retryAfterMs,
  type FetchAnswer,
  type FetchFailure,
  type FetchFailureCode,
  type FetchOutcome,
  type HeaderList,
  type Truncation,
} from './http/fetch-outcome.ts'
// Who fetches imports `@minga/net/fetch`: everyone else would load a hundred modules of undici
// without success.
export type { Fetcher, FetcherOptions, FetchLimits, FetchRequest } from './http/http-fetch.ts'
export { InvalidResolveOverride } from './dns/resolver-errors.ts'
export {
  createResolver,
  parseOverrides,
  type Lookup,
  type Overrides,
  type Resolution,
  type Resolver,
  type ResolverOptions,
} from './dns/resolver.ts'
export { createLocLookup, type LocLookup } from './dns/loc-lookup.ts'
export { createTxtLookup, type TxtLookup } from './dns/txt-lookup.ts'
export {
  createBotSigner,
  directoryBase,
  directoryParams,
  KEY_DIRECTORY_PATH,
  KEY_DIRECTORY_TYPE,
  signDirectory,
  thumbprintOf,
  type DirectoryProof,
} from './http/web-bot-auth.ts'
export {
  headerValues,
  readPageContent,
  type PageContent,
  type ReceivedDocument,
} from './html/page-content.ts'
export { compileUrlPattern, type UrlPattern } from './url/url-pattern.ts'
export { unpackContent, unpackWhole } from './http/unpack-content.ts'
