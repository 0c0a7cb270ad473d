/** Stages whose counters are wrong, and queries whose counters are not the sum of their stages'. */
export const RECOUNT = `
  SELECT s.query, s.stage FROM lake_stages s LEFT JOIN (
    SELECT query, stage, count(*) AS n,
      sum(CASE WHEN state = 'ready' THEN 1 ELSE 0 END) AS ready,
      sum(CASE WHEN state = 'leased' THEN 1 ELSE 0 END) AS running,
      sum(CASE WHEN state = 'done' THEN 1 ELSE 0 END) AS done
    FROM lake_tasks GROUP BY query, stage) t ON t.query = s.query AND t.stage = s.stage
  JOIN lake_queries q ON q.number = s.query
  WHERE q.files <> 'nothing' AND (s.ready <> coalesce(t.ready, 0) OR s.running <> coalesce(t.running, 0)
    OR s.done <> coalesce(t.done, 0) OR (s.state = 'waiting') <> (t.n IS NULL)
    OR (s.state = 'done') <> (s.done = s.total) OR coalesce(t.n, s.total) <> s.total)
  UNION ALL
  SELECT q.number, -1 FROM lake_queries q JOIN (
    SELECT query, sum(ready) AS ready, sum(running) AS running, sum(done) AS done, sum(total) AS total,
      sum(CASE WHEN state = 'done' THEN 0 ELSE 1 END) AS waiting
    FROM lake_stages GROUP BY query) s ON s.query = q.number
  WHERE q.ready <> s.ready OR q.running <> s.running OR q.done <> s.done OR q.total <> s.total
    OR q.stages_left <> s.waiting`
