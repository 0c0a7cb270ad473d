/**
 * What people see of agents and of placement in addition to what the work itself needs: why an
 * agent is idle, which were asked to stop after their current work, the messages to their owners,
 * how fast they are, contributions by day, and what each plan of the map changed.
 */
export const fleetView = {
  version: 36,
  name: 'fleet-view',
  statements: [
    // Why its owner lets this boot rest, as it said itself; NULL: it does not rest.
    `ALTER TABLE agents ADD COLUMN rest TEXT`,

    // drained_at: since when it finishes what it has and gets no more. message: the latest one to its owner.
    // refused: why its last hello came to nothing, if it did.
    `ALTER TABLE devices ADD COLUMN drained_at {{int}}`,
    `ALTER TABLE devices ADD COLUMN message TEXT`,
    `ALTER TABLE devices ADD COLUMN message_at {{int}}`,
    `ALTER TABLE devices ADD COLUMN refused TEXT`,

    // Minutes and days of the Unix epoch. Bytes down are what sites sent, bytes up what the station received.
    `CREATE TABLE device_minutes (
      device TEXT NOT NULL,
      minute {{int}} NOT NULL,
      requests {{int}} NOT NULL,
      down_bytes {{int}} NOT NULL,
      up_bytes {{int}} NOT NULL,
      PRIMARY KEY (device, minute)
    ) {{without_rowid}}`,
    `CREATE INDEX device_minutes_by_age ON device_minutes (minute)`,
    // By device, so that the devices of one owner never wait for each other. owner NULL: it was deleted.
    `CREATE TABLE device_days (
      device TEXT NOT NULL,
      day {{int}} NOT NULL,
      owner TEXT,
      requests {{int}} NOT NULL,
      bytes {{int}} NOT NULL,
      PRIMARY KEY (device, day)
    ) {{without_rowid}}`,
    `CREATE INDEX device_days_by_day ON device_days (day)`,

    // JSON of what a plan weighed: figures before and after, the ways compared, links between parts.
    `ALTER TABLE place_maps ADD COLUMN story TEXT`,
    // Hosts that left one device for another in an epoch, those with most pages if there are too many.
    `CREATE TABLE place_moves (
      epoch {{int}} NOT NULL,
      host TEXT NOT NULL,
      from_device TEXT NOT NULL,
      to_device TEXT NOT NULL,
      pages {{int}} NOT NULL,
      PRIMARY KEY (epoch, host)
    ) {{without_rowid}}`,
  ],
}
