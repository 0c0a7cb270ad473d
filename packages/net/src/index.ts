export * from './errors.ts'
export * from './guard/address-class.ts'
export * from './guard/address-guard.ts'
export type { CertificateFacts } from './http/certificate-facts.ts'
export * from './html/charset.ts'
export * from './html/links.ts'
export type { LinkKind } from './html/link-syntax.ts'
export * from './feeds/feed.ts'
export * from './feeds/feed-date.ts'
export * from './mmdb.ts'
export * from './feeds/opml.ts'
export * from './robots/robots-directives.ts'
export * from './robots/robots.ts'
export * from './url/scope.ts'
export * from './feeds/sitemap.ts'
export * from './url/url.ts'
export {
  decodeContent,
  DEFAULT_DECODING_LIMITS,
  type Decoded,
  type DecodingLimits,
} from './http/content-decoding.ts'
export * from './http/fetch-outcome.ts'
// Who fetches imports `@minga/net/fetch`: everyone else would load a hundred modules of undici
// without success.
export type { Fetcher, FetcherOptions, FetchLimits, FetchRequest } from './http/http-fetch.ts'
export * from './dns/resolver-errors.ts'
export * from './dns/resolver.ts'
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
export * from './html/page-content.ts'
export { compileUrlPattern, type UrlPattern } from './url/url-pattern.ts'
export * from './http/unpack-content.ts'
