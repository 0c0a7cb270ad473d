/**
 * The identity of an account at an OpenID Connect issuer: a subject never becomes another person's,
 * an e-mail address may.
 */
export const accountIdentities = {
  version: 58,
  name: 'account-identities',
  statements: [
    // id: SHA-256 of issuer and subject, which may be long.
    `CREATE TABLE account_identities (
      id TEXT PRIMARY KEY,
      issuer TEXT NOT NULL,
      subject TEXT NOT NULL,
      account_id TEXT NOT NULL,
      created_at {{int}} NOT NULL,
      used_at {{int}}
    ) {{without_rowid}}`,
    `CREATE INDEX account_identities_of ON account_identities (account_id, created_at)`,
  ],
}
