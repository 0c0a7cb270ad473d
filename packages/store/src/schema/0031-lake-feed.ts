/**
 * What the station notes by itself on its way into the lake's tables: rows that wait to be written to a segment, how
 * far each table came, and what has to leave it again. Times are milliseconds since the Unix epoch.
 */
export const lakeFeed = {
  version: 31,
  name: 'lake-feed',
  statements: [
    // How far a table of the station came. 'cursor' is JSON. 'turn' counts what was written from or taken out of what
    // a writer read: who read at another turn commits nothing.
    `CREATE TABLE lake_feeds (
      feed TEXT PRIMARY KEY,
      cursor TEXT NOT NULL,
      turn {{int}} NOT NULL
    ) {{without_rowid}}`,

    // Rows of uploads, packed; they go in the transaction that adds their segment. 'kept': places of the results
    // that count, JSON; without it all do.
    `CREATE TABLE lake_batches (
      id {{id}},
      feed TEXT NOT NULL,
      row_count {{int}} NOT NULL,
      kept TEXT,
      bytes {{bytes}} NOT NULL
    )`,
    `CREATE INDEX lake_batches_of ON lake_batches (feed, id)`,
    `CREATE TABLE station_events (
      id {{id}},
      at {{int}} NOT NULL,
      kind TEXT NOT NULL,
      subject TEXT NOT NULL,
      detail TEXT NOT NULL
    )`,

    // Captures that are gone: their rows must leave every version of every table.
    `CREATE TABLE lake_doomed (
      id {{id}},
      capture_id {{int}} NOT NULL,
      collection_id {{int}} NOT NULL,
      url TEXT NOT NULL,
      captured_at {{int}} NOT NULL
    )`,
  ],
}
