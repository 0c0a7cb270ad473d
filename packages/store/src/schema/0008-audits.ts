/**
 * Audits on the road: URLs of the audits collection, each of which only one device may fetch. The
 * tag is whose answer it is, opaque to the frontier.
 */
export const audits = {
  version: 8,
  name: 'audits-on-the-road',
  statements: [
    `CREATE TABLE reserved_urls (
      collection_id {{int}} NOT NULL,
      host_id {{int}} NOT NULL,
      hash {{int}} NOT NULL,
      device TEXT NOT NULL,
      tag TEXT NOT NULL,
      expires_at {{int}} NOT NULL,
      PRIMARY KEY (collection_id, host_id, hash)
    ) {{without_rowid}}`,
    `CREATE INDEX reserved_urls_of ON reserved_urls (device, host_id)`,
    `CREATE INDEX reserved_urls_expiring ON reserved_urls (expires_at)`,
  ],
}
