/**
 * Files of appended bytes. Bytes of a file after `committed_bytes` do not exist: the row moves
 * in the transaction that refers to them.
 */
export const blobs = {
  version: 0,
  name: 'blobs',
  statements: [
    `CREATE TABLE blob_files (
      name TEXT PRIMARY KEY,
      series TEXT NOT NULL,
      writer TEXT NOT NULL,
      committed_bytes {{int}} NOT NULL,
      closed {{int}} NOT NULL
    ) {{without_rowid}}`,
    `CREATE INDEX blob_files_by_writer ON blob_files (writer)`,
  ],
}
