/**
 * `npm run bench:revisit`: every policy in every regime at three budgets, wins and losses alike, as the
 * text of docs/experiments-revisit.md on standard output. Same seed, same text.
 *   node bench/revisit.ts [--urls 500] [--days 120] [--seed 1]
 */
import { parseArgs } from 'node:util'
import { REGIMES, type Regime } from '../simulate/revisit/regimes.ts'
import { markdownTable } from './report.ts'
import { classRows, togetherRows, toldRows } from './revisit-choice.ts'
import {
  budgetTables,
  freeRows,
  lengthRows,
  noiseRows,
  noticeRows,
  type Row,
  type Size,
} from './revisit-tables.ts'

const { values } = parseArgs({
  options: {
    urls: { type: 'string', default: '500' },
    days: { type: 'string', default: '120' },
    seed: { type: 'string', default: '1' },
  },
})
const size: Size = {
  urls: Number(values.urls),
  days: Number(values.days),
  seed: Number(values.seed),
}

const judged = REGIMES.filter((regime) => regime !== 'every-fetch')
const tables = judged.map((regime) => said(regime, () => budgetTables(regime, size)))
const free = judged.flatMap((regime) => said(`${regime}, own pace`, () => freeRows(regime, size)))
const lengths = said('lengths', () => lengthRows(size))
const noise = said('every-fetch', () => noiseRows(size))
const notified = said('notices', () => noticeRows('wiki', size))
const choice = said('choice', () => [classRows(size), togetherRows(size), toldRows(size)])

function said<T>(what: string, work: () => T): T {
  const from = performance.now()
  const result = work()
  process.stderr.write(`${what}: ${((performance.now() - from) / 1_000).toFixed(1)} s\n`)
  return result
}

const section = (title: string, text: string, rows: readonly Row[]): string =>
  `## ${title}\n\n${text}\n\n${markdownTable([...rows])}\n`

const figuresOf = (regime: Regime, rows: readonly Row[]): string =>
  `### ${regime}\n\n${markdownTable([...rows])}\n`

const CHOICES = `## Choices where the sources are silent

- **Edges of the figures.** A change at the instant of a visit is seen by it. A first visit captures a version and is
  not redundant, so crawls = versions + redundant. Before the first visit nothing is fresh; age runs from the first
  unseen change. Freshness is weighted by time and importance, mean age by time alone.
- **Simple** counts a first visit as one without change unless the change falls on its instant: only so do days 0–240 give
  the published 21 and 241.
- **History.** The window (TopeN) is 30 days; P is the share of _measured_ days with a change; the lost g is one over P
  in whole days, from one to six.
- **Notification.** The third party tells of every change at once; where a trace has \`notices\`, of those.
- **Day type.** Monday to Friday and the others, in UTC; the gap is counted in expected changes. Alone it moves the
  visits of an even share of the budget.
- **Exponential gap.** Times are those at which visits saw a change; all gaps are stretched by one factor to the budget.
- **Nutch** begins with a day, not with its 30.
- **Random** makes one visit at a random moment of every period of the budget: exactly as many as \`uniform\`.
- **Proportional, Cho, Azar, LambdaCrawl** take their rates from Minga's own belief, so that what is compared is the
  policy: the posterior's mean for the first, its geometric mean for the others, each the better of the two.
- **Budget.** First visits are part of it. Policies with a price get what is left evenly over the days that remain, a new
  price every day and whenever visits run ahead.
`

process.stdout.write(`# Experiments with coming back

\`npm run bench:revisit\` replays ${size.urls} URLs over ${size.days} days (seed ${size.seed}) in every regime of
\`simulate/revisit/regimes.ts\`, at budgets of 0.1, 0.3 and 1 visits per URL and day, first visits included. What
the figures mean and how edges are counted: \`simulate/revisit/run.ts\`. The histories are made up, the ones of
wikis too (\`simulate/revisit/wiki-history.ts\`): none could be fetched. The policies and the belief are the code that
the coordinator runs. Constants of \`minga\` were tuned on webs of seeds 1 and 2 of these same regimes: another seed
(\`--seed 7\`) is the fairer test.

The **oracle** knows every URL's mean rate, not the moments, and maximises weighted versions with it: a policy that
senses bursts may pass it. Intervals are 95 %, by drawing the URLs again with replacement, the same draws for both
sides of a comparison. _even_: the interval holds 0.

${section(
  'Verdicts',
  '`minga` on weighted versions and `minga:freshness` on freshness, against every policy that keeps to the budget. Versions are compared in per cent of the rival, freshness in points.',
  tables.flatMap(({ verdicts }) => verdicts),
)}
${section('How long it takes to learn', 'What `minga` loses to the oracle on steady pages it loses in the first weeks, before the rates are known. The goal is 0.97.', lengths)}
## All policies

Weighted versions as a share of the oracle's, and freshness weighted by importance.

${judged.map((regime, i) => figuresOf(regime, tables[i]!.figures)).join('\n')}
${section('Policies that ignore the budget', 'Each runs at its own pace; ours then get exactly as many visits. First visits of `fixed` are a period after the start. `notification` receives every change from a third party once its gap is above 15 days, the others receive nothing.', free)}
${section('Pages that change on every fetch', 'Two in a hundred pages change every five minutes. Counted by versions alone they would be worth every visit; the last column is what the other pages keep, compared with a web without those pages at the same budget per URL.', noise)}
${section('With notices', 'A third party reports every change (feeds, hubs). `complete-observation` follows a share of the notices, `minga` those worth their price.', notified)}
## What Minga chooses by

Every class of pages by itself, as a daily visitor would call it (\`revisit-choice.ts\`): who comes nearest to \`minga\` where
nothing is reported; \`minga\` at one price for all, compared with the best policy of each class at its share of the visits; and where a third party reports
every change, by the gate.

${choice.map((rows) => markdownTable(rows)).join('\n\n')}

${section(
  'Forecasts',
  'Chance of a change as `minga` stated it before each visit, against what the visit found: Brier score, that of always saying the base rate, and the largest difference between stated and observed share in a tenth of the scale with at least 100 forecasts.',
  tables.flatMap(({ calibration }) => calibration),
)}
${CHOICES}`)
