/** Second factors of accounts: secrets of authenticator apps (RFC 6238), and codes for when the app is lost. */
export const secondFactors = {
  version: 56,
  name: 'second-factors',
  statements: [
    // secret: encrypted with the station's key. confirmed_at: since when log-ins need a code. last_step: the time step of
    // the last code that was accepted; it and those before are not accepted again.
    `CREATE TABLE account_totp (
      account_id TEXT PRIMARY KEY,
      secret TEXT NOT NULL,
      confirmed_at {{int}},
      last_step {{int}} NOT NULL
    ) {{without_rowid}}`,
    // hash: SHA-256 of the account's id and the code.
    `CREATE TABLE account_recovery_codes (
      hash TEXT PRIMARY KEY,
      account_id TEXT NOT NULL,
      used_at {{int}}
    ) {{without_rowid}}`,
    `CREATE INDEX account_recovery_codes_of ON account_recovery_codes (account_id)`,
  ],
}
