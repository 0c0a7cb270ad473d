/**
 * Which response holds the payload of a capture: of a response its own WARC-Record-ID, of a revisit that of the
 * response it refers to. NULL where that is not known: captures of older versions, until they are repaired.
 */
export const recordIds = {
  version: 41,
  name: 'record-ids',
  statements: [
    `ALTER TABLE captures ADD COLUMN record_id TEXT`,
    `ALTER TABLE payloads ADD COLUMN record_id TEXT`,
    // Empty in archives of this version: whether anything is to be repaired is known at once.
    `CREATE INDEX captures_unnamed ON captures (kind, id) WHERE record_id IS NULL`,
    // A page that is watched every minute has few responses among its captures.
    `CREATE INDEX captures_holding ON captures (host_id, hash, captured_at) WHERE kind = 'response'`,

    // Where a repaired revisit was before. WARC files only grow: the former record stays where it is, nothing
    // leads to it any more, and whatever takes its capture down takes it too.
    `CREATE TABLE superseded_records (
      file TEXT NOT NULL,
      offset_bytes {{int}} NOT NULL,
      length_bytes {{int}} NOT NULL,
      capture_id {{int}} NOT NULL,
      PRIMARY KEY (file, offset_bytes)
    ) {{without_rowid}}`,
    `CREATE INDEX superseded_of ON superseded_records (capture_id)`,
  ],
}
