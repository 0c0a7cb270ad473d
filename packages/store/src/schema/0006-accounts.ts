/**
 * Tables of accounts: people and programs that may use a station, how they show who they are
 * (sessions, API keys) and how they get back in (resets). Secrets are kept as SHA-256 only: they
 * are 256 random bits, so that a fast hash is as good as a slow one. Passwords are not, and get
 * scrypt. Times are milliseconds since the Unix epoch.
 */
export const accounts = {
  version: 6,
  name: 'accounts',
  statements: [
    // name_key is the name in lower case: "Ana" and "ana" are one person. Roles are words separated
    // by spaces. Without a password no login is possible; a reset gives the account its first.
    `CREATE TABLE accounts (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      name_key TEXT NOT NULL UNIQUE,
      password_hash TEXT,
      roles TEXT NOT NULL,
      created_at {{int}} NOT NULL,
      password_changed_at {{int}}
    )`,
    `CREATE INDEX accounts_by_age ON accounts (created_at, id)`,

    `CREATE TABLE account_sessions (
      hash TEXT PRIMARY KEY,
      account_id TEXT NOT NULL,
      created_at {{int}} NOT NULL,
      expires_at {{int}} NOT NULL
    ) {{without_rowid}}`,
    `CREATE INDEX account_sessions_of ON account_sessions (account_id, created_at)`,
    `CREATE INDEX account_sessions_expiring ON account_sessions (expires_at)`,

    `CREATE TABLE account_resets (
      hash TEXT PRIMARY KEY,
      account_id TEXT NOT NULL,
      made_by TEXT NOT NULL,
      created_at {{int}} NOT NULL,
      expires_at {{int}} NOT NULL,
      used_at {{int}}
    ) {{without_rowid}}`,
    `CREATE INDEX account_resets_of ON account_resets (account_id)`,

    // scopes are actions with spaces between; NULL: whatever its account may do. A rotated key
    // names its successor and expires after its grace.
    `CREATE TABLE api_keys (
      id TEXT PRIMARY KEY,
      account_id TEXT NOT NULL,
      name TEXT NOT NULL,
      hash TEXT NOT NULL UNIQUE,
      scopes TEXT,
      created_at {{int}} NOT NULL,
      expires_at {{int}},
      revoked_at {{int}},
      replaced_by TEXT,
      last_used_at {{int}}
    )`,
    `CREATE INDEX api_keys_of ON api_keys (account_id, created_at)`,
  ],
}
