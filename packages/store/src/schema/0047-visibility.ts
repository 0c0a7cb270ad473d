/**
 * Who may read what: 'private' is for its owner and those in 'readers' (and operators), 'shared'
 * for every reader of the station, 'public' for everyone. Requests of clients and second opinions
 * on them are visible to their owner only.
 */
export const visibility = {
  version: 47,
  name: 'visibility',
  statements: [
    `ALTER TABLE collections ADD COLUMN visibility TEXT NOT NULL DEFAULT 'shared'`,
    `UPDATE collections SET visibility = 'private' WHERE identity IN ('requests', 'audits')`,
    // Few are private, and every list asks which: a station without private things reads an empty index.
    `CREATE INDEX collections_private ON collections (id) WHERE visibility = 'private'`,
    `CREATE INDEX collections_public ON collections (id) WHERE visibility = 'public'`,

    // kind: collection, batch, wiki, table, query. 'subject' is its number or name as text.
    `CREATE TABLE readers (
      kind TEXT NOT NULL,
      subject TEXT NOT NULL,
      account TEXT NOT NULL,
      PRIMARY KEY (kind, subject, account)
    ) {{without_rowid}}`,
    `CREATE INDEX readers_of_account ON readers (account, kind, subject)`,

    // By which captures a client's requests were answered: those are theirs to read.
    `CREATE INDEX requests_captured ON requests (host_id, hash, captured_at) WHERE outcome = 'captured'`,
  ],
}
