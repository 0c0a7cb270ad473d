/**
 * Tables of the lake: which Parquet files a table consists of, now and at each version that can still be read.
 *
 * A file is a part of a table when a row of 'lake_segments' names it. A version sees the segments with
 * added_in <= version < removed_in; a segment that no row of 'lake_versions' sees is garbage.
 */
export const lake = {
  version: 29,
  name: 'lake',
  statements: [
    // 'columns' is JSON: name, type and the version since which a column is there. 'places' is the last place
    // that was given to a segment. Who changes a table holds this row until the commit. kind: own, system, rejects.
    `CREATE TABLE lake_tables (
      id {{id}},
      name TEXT NOT NULL,
      owner TEXT,
      kind TEXT NOT NULL,
      columns TEXT NOT NULL,
      version {{int}} NOT NULL,
      places {{int}} NOT NULL DEFAULT 0,
      made_at {{int}} NOT NULL,
      dropped_at {{int}}
    )`,
    // A name is free again when its table is dropped, though readers may still hold the old one.
    `CREATE UNIQUE INDEX lake_tables_by_name ON lake_tables (name) WHERE dropped_at IS NULL`,

    // 'place' orders the rows of a table. The name of a file is given once, for ever.
    `CREATE TABLE lake_segments (
      file TEXT PRIMARY KEY,
      table_id {{int}} NOT NULL,
      place {{int}} NOT NULL,
      row_count {{int}} NOT NULL,
      bytes {{int}} NOT NULL,
      added_in {{int}} NOT NULL,
      removed_in {{int}}
    ) {{without_rowid}}`,
    `CREATE INDEX lake_segments_of ON lake_segments (table_id, place)`,
    `CREATE INDEX lake_segments_live ON lake_segments (table_id, place) WHERE removed_in IS NULL`,
    `CREATE INDEX lake_segments_gone ON lake_segments (table_id, removed_in) WHERE removed_in IS NOT NULL`,

    // 'ended_at': when the next version came; the current one has none. Figures are those of the whole table.
    `CREATE TABLE lake_versions (
      table_id {{int}} NOT NULL,
      version {{int}} NOT NULL,
      at {{int}} NOT NULL,
      ended_at {{int}},
      why TEXT NOT NULL,
      segments {{int}} NOT NULL,
      row_count {{int}} NOT NULL,
      bytes {{int}} NOT NULL,
      PRIMARY KEY (table_id, version)
    ) {{without_rowid}}`,

    // Readers' leases: what a reader holds stays readable until its time is over.
    `CREATE TABLE lake_readers (
      reader TEXT NOT NULL,
      table_id {{int}} NOT NULL,
      version {{int}} NOT NULL,
      until {{int}} NOT NULL,
      who TEXT NOT NULL,
      PRIMARY KEY (reader, table_id, version)
    ) {{without_rowid}}`,
    `CREATE INDEX lake_readers_of ON lake_readers (table_id, version)`,

    // Current writers of files: files of a writer that is not here, nor in a segment, are
    // abandoned.
    `CREATE TABLE lake_writers (
      writer TEXT PRIMARY KEY,
      until {{int}} NOT NULL
    ) {{without_rowid}}`,
  ],
}
