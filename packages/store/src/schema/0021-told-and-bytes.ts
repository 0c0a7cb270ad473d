/** When a change happened, as a source reported it, and what a visit usually brings. */
export const toldAndBytes = {
  version: 21,
  name: 'told-and-bytes',
  statements: [
    // told_at: the time of the change; NULL: none was given. quiet_until: until then the source had
    // surely reported everything; later changes except the reported one may be unknown.
    `ALTER TABLE notices ADD COLUMN told_at {{int}}`,
    `ALTER TABLE notices ADD COLUMN quiet_until {{int}}`,
    `CREATE INDEX notices_told ON notices (collection_id, host_id, hash, told_at)
       WHERE told_at IS NOT NULL`,
    `ALTER TABLE forecasts ADD COLUMN usual_bytes {{real}} NOT NULL DEFAULT 0`,
  ],
}
