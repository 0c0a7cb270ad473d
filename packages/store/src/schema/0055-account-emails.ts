/** Confirmed e-mail addresses of accounts, and the links that confirm them. */
export const accountEmails = {
  version: 55,
  name: 'account-emails',
  statements: [
    // email_key is the address in lower case. An address may belong to several accounts: each gets its own mail.
    `ALTER TABLE accounts ADD COLUMN email TEXT`,
    `ALTER TABLE accounts ADD COLUMN email_key TEXT`,
    `CREATE INDEX accounts_by_email ON accounts (email_key) WHERE email_key IS NOT NULL`,
    // hash: SHA-256 of the token in the link.
    `CREATE TABLE account_email_links (
      hash TEXT PRIMARY KEY,
      account_id TEXT NOT NULL,
      email TEXT NOT NULL,
      expires_at {{int}} NOT NULL
    ) {{without_rowid}}`,
    `CREATE INDEX account_email_links_of ON account_email_links (account_id)`,
  ],
}
