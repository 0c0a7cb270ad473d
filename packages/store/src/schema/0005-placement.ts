/**
 * Tables of placement: which agent a host's next turn is meant for, and what is known of agents
 * to choose by. A turn's device is a hint that survives restarts and is shared by coordinators;
 * the lease alone gives a right. Every choice is a seek in one of these indexes.
 */
export const placement = {
  version: 5,
  name: 'placement',
  statements: [
    // What operators change while the station runs; 'value' is JSON.
    `CREATE TABLE settings (
      name TEXT PRIMARY KEY,
      value TEXT NOT NULL,
      changed_at {{int}} NOT NULL,
      changed_by TEXT
    ) {{without_rowid}}`,

    // ISO 3166 code, when the coordinator can tell where an address is.
    `ALTER TABLE hosts ADD COLUMN country TEXT`,

    // Whose turn it is (NULL: not assigned yet) and how many requests were counted for it.
    `ALTER TABLE collection_hosts ADD COLUMN device TEXT`,
    `ALTER TABLE collection_hosts ADD COLUMN promised {{int}} NOT NULL DEFAULT 0`,
    `DROP INDEX collection_hosts_by_turn`,
    `CREATE INDEX collection_hosts_by_turn ON collection_hosts (collection_id, device, turn_at) WHERE queued > 0`,
    // Without regard to 'queued': an unneeded turn must not keep a device that left.
    `CREATE INDEX collection_hosts_by_device ON collection_hosts (device) WHERE device IS NOT NULL`,

    `CREATE INDEX agents_by_device ON agents (device)`,

    // When an agent of ordinary speed would be done: its longest host's requests and pauses.
    `ALTER TABLE leases ADD COLUMN requests {{int}} NOT NULL DEFAULT 0`,
    `ALTER TABLE leases ADD COLUMN pauses_ms {{int}} NOT NULL DEFAULT 0`,
    `ALTER TABLE leases ADD COLUMN expected_end {{int}} NOT NULL DEFAULT 0`,
    `CREATE INDEX leases_by_expected_end ON leases (expected_end)`,

    // One row per device, kept when it leaves: its lifetime count is its own. 'assigned' counts
    // requests handed out; 'balance' is what the democratic strategy compares. 'due' turns with
    // 'promised' requests wait for the device, 'in_hand' requests are out with it. 'busy' is
    // (promised + in_hand + 1) / success. An agent is 'ready' unless it straggles.
    `CREATE TABLE agent_loads (
      device TEXT PRIMARY KEY,
      connected {{int}} NOT NULL DEFAULT 0,
      ready {{int}} NOT NULL DEFAULT 0,
      country TEXT NOT NULL DEFAULT '',
      assigned {{int}} NOT NULL DEFAULT 0,
      balance {{int}} NOT NULL DEFAULT 0,
      due {{int}} NOT NULL DEFAULT 0,
      promised {{int}} NOT NULL DEFAULT 0,
      in_hand {{int}} NOT NULL DEFAULT 0,
      success {{real}} NOT NULL DEFAULT 1,
      busy {{real}} NOT NULL DEFAULT 1,
      latency_ms {{real}} NOT NULL DEFAULT 0,
      idle_since {{int}}
    ) {{without_rowid}}`,
    `CREATE INDEX agent_loads_by_balance ON agent_loads (balance, busy, device) WHERE ready = 1`,
    `CREATE INDEX agent_loads_by_busy ON agent_loads (busy, device) WHERE ready = 1`,
    `CREATE INDEX agent_loads_by_country ON agent_loads (country, busy, device) WHERE ready = 1`,
    `CREATE INDEX agent_loads_by_due ON agent_loads (due DESC, device) WHERE due > 0`,
    `CREATE INDEX agent_loads_by_country_due ON agent_loads (country, due DESC, device) WHERE due > 0`,
    `CREATE INDEX agent_loads_idle ON agent_loads (idle_since) WHERE idle_since IS NOT NULL`,
    `CREATE INDEX agent_loads_by_latency ON agent_loads (latency_ms) WHERE connected = 1`,

    // Measured response times by agent and region of hosts ('' when the region is unknown).
    // 'hopeful_ms' is the bandit's index: the mean less what it may still turn out to be better.
    `CREATE TABLE agent_latencies (
      device TEXT NOT NULL,
      region TEXT NOT NULL,
      connected {{int}} NOT NULL,
      samples {{real}} NOT NULL,
      mean_ms {{real}} NOT NULL,
      hopeful_ms {{real}} NOT NULL,
      PRIMARY KEY (device, region)
    ) {{without_rowid}}`,
    `CREATE INDEX agent_latencies_by_hope ON agent_latencies (region, hopeful_ms, device) WHERE connected = 1`,
  ],
}
