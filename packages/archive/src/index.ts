export * from './writable-time.ts'
export {
  hostRanges,
  parseCdxQuery,
  prefixRange,
  type CdxQuery,
  type CdxRow,
  type KeyRange,
} from './cdx-query.ts'
export * from './cdx-query-answer.ts'
export * from './cdxj.ts'
export * from './cdxj-sort.ts'
export { type DamageCode } from './damage.ts'
export { mayBeEqual, parseDigest, sha256Label, type LabelledDigest } from './digest.ts'
export * from './errors.ts'
export * from './exchange-members.ts'
export { isGzip, looksLikeWarcMember } from './gzip-member.ts'
export * from './http-block.ts'
export * from './index-warc.ts'
export * from './memento.ts'
export * from './one-member.ts'
export { parseRecordHead, type RecordHead } from './record-head.ts'
export * from './tombstone.ts'
export * from './verify.ts'
export * from './wacz.ts'
export { bareUri, findHeadEnd, type HeaderLines } from './header-lines.ts'
export * from './warc-reader.ts'
export * from './warc-record.ts'
