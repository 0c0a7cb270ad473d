/** Which key made a key, so that both end together. NULL: a logged-in user, or an older version. */
export const keyParents = {
  version: 50,
  name: 'key-parents',
  statements: [
    `ALTER TABLE api_keys ADD COLUMN parent_id TEXT`,
    `CREATE INDEX api_keys_of_parent ON api_keys (parent_id)`,
  ],
}
