/**
 * Which agent a host is meant for under the strategy `partitioned`. A map is written in pages and holds as a
 * whole: `next_device` counts for rows whose `next_epoch` is not above the newest whole epoch, so
 * publishing is one row, and what was written of an epoch that never became whole counts for nothing.
 */
export const agentMap = {
  version: 24,
  name: 'agent-map',
  statements: [
    `CREATE TABLE host_parts (
      host_id {{int}} PRIMARY KEY,
      device TEXT,
      next_device TEXT,
      next_epoch {{int}} NOT NULL DEFAULT 0
    )`,
    `CREATE INDEX host_parts_next ON host_parts (next_epoch) WHERE next_epoch > 0`,
    // moved_pages: what had to leave a device that is still there.
    `CREATE TABLE place_maps (
      epoch {{int}} PRIMARY KEY,
      is_whole {{int}} NOT NULL,
      writer TEXT NOT NULL,
      at {{int}} NOT NULL,
      reason TEXT NOT NULL,
      why TEXT NOT NULL,
      way TEXT NOT NULL,
      hosts {{int}} NOT NULL DEFAULT 0,
      pages {{int}} NOT NULL DEFAULT 0,
      moved_pages {{int}} NOT NULL DEFAULT 0,
      exchange_share {{real}},
      imbalance {{real}},
      latency_ms {{real}}
    )`,
    `CREATE TABLE place_map_parts (
      epoch {{int}} NOT NULL,
      device TEXT NOT NULL,
      capacity {{real}} NOT NULL,
      hosts {{int}} NOT NULL,
      pages {{int}} NOT NULL,
      PRIMARY KEY (epoch, device)
    )`,
    // Those among whom names decide about hosts without a part, in an order that nothing changes.
    `CREATE INDEX agent_loads_by_name ON agent_loads (connected, device) WHERE ready = 1`,
  ],
}
