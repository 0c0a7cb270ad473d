/** Addresses that each open one download, once and for a minute, without any other credentials. */
export const downloadTickets = {
  version: 40,
  name: 'download-tickets',
  statements: [
    // hash: of the ticket; credential: the hash of what its maker showed, as in account_sessions and api_keys.
    `CREATE TABLE download_tickets (
      hash TEXT PRIMARY KEY,
      credential TEXT NOT NULL,
      address TEXT NOT NULL,
      expires_at {{int}} NOT NULL
    ) {{without_rowid}}`,
    `CREATE INDEX download_tickets_of ON download_tickets (credential, expires_at)`,
  ],
}
