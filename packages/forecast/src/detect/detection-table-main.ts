/** `node packages/forecast/src/detect/detection-table-main.ts` prints the tables of docs/change-detection.md. */
import {
  detectionTable,
  heldOutScores,
  rocTable,
} from '../../test/detect/detection-table-fixture.ts'
import { sketchOf } from './sketch.ts'
import { largePage } from '../../test/detect/large-page-fixture.ts'

const scores = heldOutScores()
console.log(`${detectionTable(scores)}\n\n${rocTable(scores)}\n`)
for (const { pair, seed } of scores.wrong) console.log(`wrong: ${pair.kind}, seed ${seed}`)

const page = largePage(20_000_000)
for (let run = 1; run <= 3; run++) {
  const start = process.cpuUsage()
  sketchOf(page, { include: [], exclude: [] })
  const { user, system } = process.cpuUsage(start)
  console.log(`20 MB page, run ${run}: ${Math.round((user + system) / 1_000)} ms of processor time`)
}
console.log(`greatest memory: ${Math.round(process.resourceUsage().maxRSS / 1_024)} MB`)
