/** Up to when a user has seen what a watch found: later changes are unread for them. */
export const watchSeen = {
  version: 37,
  name: 'watch-seen',
  statements: [
    `CREATE TABLE watch_seen (
      account TEXT NOT NULL,
      collection_id {{int}} NOT NULL,
      seen_at {{int}} NOT NULL,
      PRIMARY KEY (account, collection_id)
    ) {{without_rowid}}`,
  ],
}
