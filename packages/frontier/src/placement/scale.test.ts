// Goal: choosing among 10,000 agents stays a seek in an index, whatever the strategy. Method: a
// fleet made by SQL, leases with their own lookups explained by the database, and a measured rate.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fleetsOnEngines, type Fleet } from '../../test/placement/placement-fixture.ts'
import { STRATEGIES } from './settings.ts'

const AGENTS = 10_000
const HOSTS = 20_000
const TURNS_PER_CALL = 512
const ROUNDS = 10
const COUNTRIES = ['CL', 'AR', 'DE', 'FR', 'JP', 'IN', '']
const COUNTRY_OF_I = `CASE i % 7 ${COUNTRIES.map((name, i) => `WHEN ${i} THEN '${name}'`).join(' ')} END`
const NUMBERS = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${AGENTS})`

async function fill(fleet: Fleet): Promise<void> {
  await fleet.begin()
  await fleet.change(
    `${NUMBERS} INSERT INTO agents (boot, device, joined_at, last_beat_at, progress_at)
     SELECT 'd' || i || '-boot', 'd' || i, 0, 0, 0 FROM n`,
  )
  await fleet.change(
    `${NUMBERS} INSERT INTO agent_loads (device, connected, ready, country, balance, in_hand, busy, latency_ms)
     SELECT 'd' || i, 1, 1, ${COUNTRY_OF_I}, i % 13, i % 17, i % 17 + 1, 50 + i % 101 FROM n`,
  )
  await fleet.change(
    `${NUMBERS} INSERT INTO agent_latencies (device, region, connected, samples, mean_ms, hopeful_ms)
     SELECT 'd' || i, ${COUNTRY_OF_I}, 1, 64, 50 + i % 101, 40 + i % 101 FROM n`,
  )
  for (let added = 0; added < HOSTS; added += 5_000) {
    await fleet.addHosts(Array.from({ length: 5_000 }, (_, i) => COUNTRIES[i % 7]!))
  }
  await fleet.change('ANALYZE')
}

for (const { engine, openFleet } of await fleetsOnEngines()) {
  describe(`Ten thousand agents on ${engine.name}`, { skip: engine.skip }, () => {
    test('every look-up about agents and turns uses an index, and a choice takes microseconds', async (t) => {
      const fleet = await openFleet()
      await fill(fleet)
      for (const strategy of STRATEGIES) {
        await fleet.strategy(strategy)
        const boot = `d${1 + STRATEGIES.indexOf(strategy)}-boot`
        const asking = { boot, requestsMax: 100, hostsMax: 20, now: fleet.now }
        const plans = await fleet.store.call('plansOfLease', asking)
        assert.ok(plans.length > 2)
        for (const { text, plan } of plans) {
          // The locks on those it gave to, all at once; PostgreSQL may well read a small table whole.
          if (text.includes('device IN')) continue
          // An agent's own turns are few: they may be sorted when they are read.
          const isOwn = plan.includes('collection_hosts_by_device')
          assert.ok(isOwn || !plan.includes('TEMP B-TREE'), `${text}\n${plan}`)
          assert.doesNotMatch(plan, /Seq Scan on (agent_|collection_)/, `${text}\n${plan}`)
          assert.doesNotMatch(plan, /SCAN (agent_\w+|c)\b(?! USING)/, `${text}\n${plan}`)
        }
        const turns = Array.from({ length: TURNS_PER_CALL }, (_, i) => ({
          hostId: i + 1,
          host: `host${i}.example`,
          country: COUNTRIES[i % 7]!,
          requests: 1,
        }))
        const many = { strategy, turns, rounds: ROUNDS }
        const start = performance.now()
        const choices = await fleet.store.call('chooseMany', many)
        assert.equal(choices, ROUNDS * TURNS_PER_CALL)
        const rate = choices / ((performance.now() - start) / 1_000)
        t.diagnostic(`${strategy}: ${Math.round(rate)} choices/s among ${AGENTS} agents`)
        assert.ok(rate > 500, `${strategy}: ${rate} choices/s`)
      }
      await fleet.strategy('least-busy')
      const start = performance.now()
      let hosts = 0
      for (let i = 100; i < 120; i++) {
        const { block } = await fleet.lease(`d${i}-boot`, { hostsMax: 20 })
        hosts += block!.hosts.length
      }
      t.diagnostic(`20 leases with ${hosts} hosts: ${Math.round(performance.now() - start)} ms`)
    })
  })
}
