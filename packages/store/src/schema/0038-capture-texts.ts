/**
 * Finding captures by their words. Texts are derived from the archive: they lag behind it and can
 * be rebuilt. One row is stored for each different payload, whatever the number of its captures.
 */
export const captureTexts = {
  version: 38,
  name: 'capture-texts',
  statements: [
    // 'bytes': title and text, packed (page-words.ts).
    `CREATE TABLE capture_texts (
      id {{id}},
      digest TEXT NOT NULL UNIQUE,
      bytes {{bytes}} NOT NULL
    )`,
    `CREATE TABLE text_captures (
      text_id {{int}} NOT NULL,
      capture_id {{int}} NOT NULL,
      PRIMARY KEY (text_id, capture_id)
    ) {{without_rowid}}`,
    `CREATE INDEX text_captures_by_capture ON text_captures (capture_id)`,

    // Texts that lost a capture: those that have none left are to be taken out of the index.
    `CREATE TABLE doomed_texts (text_id {{int}} PRIMARY KEY) {{without_rowid}}`,
  ],
  only: {
    sqlite: [
      // The words come divided and folded: to 'ascii' everything but a space is a letter of them. No copy is kept, nor
      // what ranking would need. A row's number is that of its text.
      `CREATE VIRTUAL TABLE text_words USING fts5 (words, content='', columnsize=0, tokenize='ascii')`,
      // What is taken out leaves the pages at once, not at some later tidying.
      `INSERT INTO text_words (text_words, rank) VALUES ('secure-delete', 1)`,
    ],
    postgres: [
      `ALTER TABLE capture_texts ADD COLUMN words TSVECTOR NOT NULL`,
      `CREATE INDEX capture_texts_by_words ON capture_texts USING GIN (words)`,
    ],
  },
}
