/**
 * Double fetches that were requested, by which the noise of watched pages is learnt. Until now any second
 * visit within a minute counted as one, so that real edits were learnt as noise: what was learnt that way
 * cannot be trusted and is dropped. Pages with noise are learnt again from their next visits.
 */
export const twinRequests = {
  version: 42,
  name: 'twin-requests',
  statements: [
    // visit_id: the visit that it is a twin of, which ended at visited_at; capture_id: what it is compared
    // with, which after a first twin is that twin. due_at is the moment for which it was planned: a visit
    // that another request made due has another one and is no twin. out_since: it was queued then.
    `CREATE TABLE twin_requests (
      collection_id {{int}} NOT NULL,
      host_id {{int}} NOT NULL,
      hash {{int}} NOT NULL,
      visit_id {{int}} NOT NULL,
      visited_at {{int}} NOT NULL,
      capture_id {{int}} NOT NULL,
      due_at {{int}} NOT NULL,
      out_since {{int}},
      PRIMARY KEY (collection_id, host_id, hash)
    ) {{without_rowid}}`,
    `UPDATE sketches SET noise = NULL, states = '[]' WHERE noise IS NOT NULL`,
    `ALTER TABLE sketches DROP COLUMN twin_until`,
    // Of what is in 'noise': regions that are ignored or that a user restored. Most pages have none.
    `ALTER TABLE sketches ADD COLUMN noise_regions {{int}} NOT NULL DEFAULT 0`,
    `CREATE INDEX sketches_noise ON sketches (collection_id) WHERE noise_regions > 0`,
  ],
}
