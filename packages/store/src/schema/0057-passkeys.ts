/** Passkeys (WebAuthn credentials) of accounts, and challenges that were answered. */
export const passkeys = {
  version: 57,
  name: 'passkeys',
  statements: [
    // id: of the credential, base64url; public_key: COSE, base64url; counter: of signatures, 0 where the device has none.
    // transports: words with spaces between; is_synced: 1 when the device says that it is copied elsewhere.
    `CREATE TABLE account_passkeys (
      id TEXT PRIMARY KEY,
      account_id TEXT NOT NULL,
      public_key TEXT NOT NULL,
      counter {{int}} NOT NULL,
      transports TEXT NOT NULL,
      name TEXT NOT NULL,
      is_synced {{int}} NOT NULL,
      created_at {{int}} NOT NULL,
      used_at {{int}}
    ) {{without_rowid}}`,
    `CREATE INDEX account_passkeys_of ON account_passkeys (account_id, created_at)`,
    // hash: SHA-256 of the challenge. It stays until the challenge would have expired.
    `CREATE TABLE passkey_challenges (
      hash TEXT PRIMARY KEY,
      expires_at {{int}} NOT NULL
    ) {{without_rowid}}`,
  ],
}
