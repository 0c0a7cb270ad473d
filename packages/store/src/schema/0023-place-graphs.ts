/**
 * What the crawl reveals about its own graph: pages and links by host, and how long devices waited
 * for hosts. Hosts are named, not numbered: most linked ones are never fetched, and other stations'
 * batches do not know our ids. Counts are of the station as a whole, over all collections.
 */
export const placeGraphs = {
  version: 23,
  name: 'place-graphs',
  statements: [
    `CREATE TABLE place_pages (
      host TEXT PRIMARY KEY,
      pages {{int}} NOT NULL
    ) {{without_rowid}}`,
    // heard_at: when the link was last met, to the quarter of a day.
    `CREATE TABLE place_links (
      from_host TEXT NOT NULL,
      to_host TEXT NOT NULL,
      links {{int}} NOT NULL,
      heard_at {{int}} NOT NULL,
      PRIMARY KEY (from_host, to_host)
    ) {{without_rowid}}`,
    // Two sketches of times; heard_at to the quarter of a day, so that the index seldom moves.
    `CREATE TABLE place_times (
      host TEXT NOT NULL,
      device TEXT NOT NULL,
      connection {{bytes}} NOT NULL,
      first_byte {{bytes}} NOT NULL,
      heard_at {{int}} NOT NULL,
      PRIMARY KEY (host, device)
    ) {{without_rowid}}`,
    `CREATE INDEX place_times_by_age ON place_times (heard_at)`,
    `CREATE INDEX place_times_by_device ON place_times (device)`,
    // Who sent batches, and the last one that counts: what comes twice counts once.
    `CREATE TABLE graph_sources (
      source TEXT PRIMARY KEY,
      sequence {{int}} NOT NULL,
      heard_at {{int}} NOT NULL
    ) {{without_rowid}}`,
    // A snapshot is there when place_totals names it; the parts of others are remains.
    `CREATE TABLE place_coordinates (
      snapshot {{int}} NOT NULL,
      part {{int}} NOT NULL,
      names TEXT NOT NULL,
      state {{bytes}} NOT NULL,
      neighbours {{bytes}} NOT NULL,
      PRIMARY KEY (snapshot, part)
    ) {{without_rowid}}`,
    // One row. link_rows is the maximum number of pairs of hosts (counted again now and then),
    // links the count between them.
    `CREATE TABLE place_totals (
      id {{int}} PRIMARY KEY,
      batches {{int}} NOT NULL,
      hosts {{int}} NOT NULL,
      pages {{int}} NOT NULL,
      link_rows {{int}} NOT NULL,
      links {{int}} NOT NULL,
      time_rows {{int}} NOT NULL,
      snapshot {{int}} NOT NULL,
      snapshot_parts {{int}} NOT NULL
    )`,
    `INSERT INTO place_totals VALUES (1, 0, 0, 0, 0, 0, 0, 0, 0)`,
    // What a host's own DNS says of its place; loc NULL: nothing.
    `CREATE TABLE place_locs (
      host TEXT PRIMARY KEY,
      loc TEXT,
      looked_at {{int}} NOT NULL
    ) {{without_rowid}}`,
  ],
}
