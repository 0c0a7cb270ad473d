/** What the policies that choose a host's delay go by (see politeness.ts of the frontier). */
export const politeness = {
  version: 25,
  name: 'politeness',
  statements: [
    // Since it last complained or strained, up to 20: a host that is not known to cope is not hurried.
    `ALTER TABLE hosts ADD COLUMN good_answers {{int}} NOT NULL DEFAULT 0`,
    // Of a host in a collection, for the policies that remember: how long its last download took, the
    // delay that was come to, the usual time to the first byte. 0: not known yet.
    `ALTER TABLE collection_hosts ADD COLUMN last_ms {{int}} NOT NULL DEFAULT 0`,
    `ALTER TABLE collection_hosts ADD COLUMN pace_ms {{int}} NOT NULL DEFAULT 0`,
    `ALTER TABLE collection_hosts ADD COLUMN first_byte_ms {{real}} NOT NULL DEFAULT 0`,
    // The URLs of the host of which most are known, so that no lease has to search for it.
    `ALTER TABLE collections ADD COLUMN most_found {{int}} NOT NULL DEFAULT 0`,
    `UPDATE collections SET most_found = (SELECT COALESCE(MAX(found), 0) FROM collection_hosts
       WHERE collection_id = collections.id)`,
  ],
}
