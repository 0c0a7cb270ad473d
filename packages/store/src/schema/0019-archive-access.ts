/**
 * Tables of finding one's way in the archive: every archived URL in the order of its search key
 * (derived from the captures, so it may lag behind them and is caught up with before it is read),
 * and what people keep for themselves. Times are milliseconds since the Unix epoch.
 */
export const archiveAccess = {
  version: 19,
  name: 'archive-access',
  statements: [
    // The key is cut (see archived-urls.ts): an index of PostgreSQL takes no more than 2.7 KB. Title
    // and url are those of the newest capture.
    `CREATE TABLE archived_urls (
      url_key TEXT NOT NULL,
      host_id {{int}} NOT NULL,
      hash {{int}} NOT NULL,
      url TEXT NOT NULL,
      title TEXT,
      first_at {{int}} NOT NULL,
      last_at {{int}} NOT NULL,
      PRIMARY KEY (url_key, host_id, hash)
    ) {{without_rowid}}`,
    // With the time in it, so that a calendar is read from the index alone.
    `CREATE INDEX captures_by_collection ON captures (collection_id, id, captured_at)`,

    // Private to one account each.
    `CREATE TABLE favourites (
      account TEXT NOT NULL,
      url TEXT NOT NULL,
      note TEXT NOT NULL,
      added_at {{int}} NOT NULL,
      PRIMARY KEY (account, url)
    ) {{without_rowid}}`,
    `CREATE TABLE searches (
      id {{id}},
      account TEXT NOT NULL,
      query TEXT NOT NULL,
      searched_at {{int}} NOT NULL
    )`,
    `CREATE INDEX searches_of ON searches (account, searched_at)`,
  ],
}
