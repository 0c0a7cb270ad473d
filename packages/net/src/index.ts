export { BadPattern, TooManyPatterns } from './errors.ts'
export { addressBytes, classifyAddress, type AddressClass } from './address-class.ts'
export { guardAddress, guardUrl, type GuardPolicy, type GuardRefusal } from './address-guard.ts'
export type { CertificateFacts } from './certificate-facts.ts'
export { decodeText, type DecodedText } from './charset.ts'
export {
  extractCssLinks,
  extractLinks,
  type Link,
  type LinkedPage,
  type LinkOptions,
  type PageLinks,
} from './links.ts'
export type { LinkKind } from './link-syntax.ts'
export {
  discoverSources,
  parseFeed,
  type Feed,
  type FeedItem,
  type FeedOptions,
  type Sources,
} from './feed.ts'
export { webDate } from './feed-date.ts'
export { mmdbPlace, writeMmdb, type MmdbNetwork } from './mmdb.ts'
export { parseOpml, type Opml, type Outline } from './opml.ts'
export { parseRobotsDirectives, type RobotsDirectives } from './robots-directives.ts'
export {
  asksToStayAway,
  crawlDelayMsOf,
  isAllowedByRobots,
  parseRobots,
  robotsFromResponse,
  type RobotsGroup,
  type RobotsRule,
  type RobotsRules,
} from './robots.ts'
export { checkPatterns, compileScope, inScope, type Scope, type ScopeTest } from './scope.ts'
export { parseSitemap, type Sitemap, type SitemapEntry, type SitemapLimits } from './sitemap.ts'
export {
  canonicalUrl,
  hostKeyOf,
  isPublicSuffix,
  originOf,
  pathAndQueryOf,
  registrableDomainOf,
  requestTargetOf,
  surt,
} from './url.ts'
export {
  decodeContent,
  DEFAULT_DECODING_LIMITS,
  type Decoded,
  type DecodingLimits,
} from './content-decoding.ts'
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
} from './fetch-outcome.ts'
// Who fetches imports `@minga/net/fetch`: everybody else would load a hundred modules of undici in vain.
export type { Fetcher, FetcherOptions, FetchLimits, FetchRequest } from './http-fetch.ts'
export { InvalidResolveOverride } from './resolver-errors.ts'
export {
  createResolver,
  parseOverrides,
  type Lookup,
  type Overrides,
  type Resolution,
  type Resolver,
  type ResolverOptions,
} from './resolver.ts'
export { createLocLookup, type LocLookup } from './loc-lookup.ts'
export { createTxtLookup, type TxtLookup } from './txt-lookup.ts'
export {
  createBotSigner,
  directoryBase,
  directoryParams,
  KEY_DIRECTORY_PATH,
  KEY_DIRECTORY_TYPE,
  signDirectory,
  thumbprintOf,
  type DirectoryProof,
} from './web-bot-auth.ts'
export {
  headerValues,
  readPageContent,
  type PageContent,
  type ReceivedDocument,
} from './page-content.ts'
export { redirectTarget } from './redirect-target.ts'
export { compileUrlPattern, type UrlPattern } from './url-pattern.ts'
export { unpackContent, unpackWhole } from './unpack-content.ts'
